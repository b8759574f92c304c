#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/files.h"
#include "driver/measure_orders.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver/recompile.h"

namespace stencilgen::driver {

/// A program that has been read, or the exit status that says it could not be.
struct LoadedProgram {
  int exit_status = 0;  ///< not 0: everything has been said
  std::unique_ptr<SourceFile> source;
  std::optional<graph::Program> program;
  PipelineOptions pipeline;
  std::shared_ptr<OrderMeasurer> orders;   ///< that `pipeline` asks; null where it asks none
  std::shared_ptr<Recompiler> recompiler;  ///< the same
};

/// Reads, parses and checks the command line against the program. Parse errors have been printed
/// where exit_status is not 0; otherwise what was found is in the sink.
LoadedProgram LoadProgram(const Options& options, DiagnosticSink& sink);

/// Lets the pipeline ask nvcc where the options want that. An error where it is not there.
std::optional<UsageError> AskNvcc(const Options& options, LoadedProgram& loaded);

/// Takes into the pipeline's options what the tuning database has for the command line, and adds
/// the note about it; where it was tuned for another GPU than the default, the options get that.
/// An error where the database cannot be used.
std::optional<UsageError> TakeTuned(Options& options, LoadedProgram& loaded, Target target,
                                    const std::string& gpu_arch, std::string& notes);

/// What the command line makes of a program, in a file of its own or a block of another one.
struct CompiledProgram {
  std::optional<UsageError> error;  ///< then there is nothing else
  std::optional<Lowered> lowered;   ///< empty: errors were reported
  std::string explanation;          ///< notes, and what `--explain` asks for
};

/// Takes the program to where the command line wants it, with what tuning has found and nvcc says.
/// `source`: its file.
CompiledProgram CompileProgram(const Options& options, LoadedProgram& loaded,
                               const SourceFile& source, DiagnosticSink& sink);

/// Writes all files or none, and what they were made from where the options ask for that; never
/// the input file. Says what went wrong; returns the exit status.
int WriteCompiled(std::vector<OutputFile> outputs, const std::vector<std::string>& inputs,
                  const Options& options);

/// `stencilgen FILE` of a stencil program. Returns the exit status.
int CompileCommand(const Options& options);

}  // namespace stencilgen::driver
