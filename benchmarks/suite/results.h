#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suite/machine.h"
#include "suite/measure.h"

namespace stencilgen::suite {

inline constexpr int kSchema = 1;

/// What is known of a program before it is measured: names, sizes, work of a step.
Json DescribeProgram(const Program& program, driver::Target target);
/// A version and its samples.
Json DescribeVersion(const Version& version, const std::string& check, const Samples& samples);

/// Results in a file that is valid at any time.
class ResultFile {
 public:
  explicit ResultFile(std::string path) : path_(std::move(path)) {}

  /// Reads what an earlier run left. Empty, or why it cannot be gone on with: no such file counts
  /// as nothing done yet.
  std::string Resume(const Json& revision);
  /// True where the file has the program measured.
  bool Has(const Json& program) const;
  /// Adds a result, in the place of one of the same program.
  void Add(Json result);
  /// Writes all of it. Empty on success.
  std::string Write() const;

  Json document;  ///< `results` and what stands around it

 private:
  std::string path_;
};

}  // namespace stencilgen::suite
