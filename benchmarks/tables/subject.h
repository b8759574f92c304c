#pragma once

#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "plan/plan.h"
#include "support/suite.h"

namespace stencilgen::tables {

/// A benchmark compiled for CUDA: what `stencilgen FILE`, with options or alone, chooses.
struct Subject {
  testing::Benchmark benchmark;
  bool single = false;  ///< in single precision
  driver::PipelineOptions options;
  int time_tile = 1;  ///< steps of its loop that were planned together
  driver::Compiled compiled;

  /// `j2d5pt`, `j2d5pt, float`.
  std::string Title() const;
};

/// `options`: of the command line. Ends the process where it does not compile.
Subject CompileSubject(const testing::Benchmark& benchmark, bool single,
                       const std::vector<std::string>& options = {});

/// The programs of suite A of these names in double precision, then in single where that is wanted;
/// all of the suite where `names` is empty. Ends the process where one does not compile.
std::vector<Subject> CompileSuite(const std::vector<std::string>& names, bool with_single);

/// How a kernel runs, in short: `32x16, 2 points, along k`.
std::string Describe(const Subject& subject, const plan::Kernel& kernel);

/// The arguments of a table's command: `[--check FILE] [NAME...]`.
struct TableArguments {
  std::string check;  ///< the file whose rows are compared; empty: the table is printed
  std::vector<std::string> names;
};
TableArguments ParseArguments(int argc, char** argv);

/// The cells of a row, without the spaces around them.
std::vector<std::string> CellsOf(const std::string& row);

/// True where the file has each of these rows as a line. Says which differ on standard error.
bool HasRows(const std::string& file, const std::vector<std::string>& rows);

}  // namespace stencilgen::tables
