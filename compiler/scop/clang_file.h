#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scop/c_region.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::scop {

/// A C or C++ file as clang sees it.
class ClangFile {
 public:
  /// Parses the text of the file. `arguments`: of the compiler, such as `-I` and `-D`; without
  /// `-std` and `-x` the language is that of the file's name. clang's own errors are reported, each
  /// at its place in this file. Ensures: empty exactly when an error was reported.
  static std::unique_ptr<ClangFile> Parse(const SourceFile& source,
                                          const std::vector<std::string>& arguments,
                                          DiagnosticSink& sink);
  ~ClangFile();
  ClangFile(const ClangFile&) = delete;
  ClangFile& operator=(const ClangFile&) = delete;

  /// What stands in the text between the two places, which are those of a region's directives.
  /// Reports all that is not understood; a region without it is not `complete`. Empty where the
  /// directives do not fit the code, which is reported, and where the compiler skips the text:
  /// `skipped` says which.
  std::optional<Region> Read(Span begin, Span end, bool& skipped, bool& complete,
                             DiagnosticSink& sink) const;

  /// The files that it includes, as they were found.
  std::vector<std::string> Includes() const;

 private:
  struct Unit;
  explicit ClangFile(std::unique_ptr<Unit> unit);
  std::unique_ptr<Unit> unit_;
};

}  // namespace stencilgen::scop
