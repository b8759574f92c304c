#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen {

/// `block:32,16` of `#pragma dsl begin`.
struct BlockArgument {
  std::string name;
  std::optional<std::string> value;  ///< what follows the colon; empty for a flag
  Span span;                         ///< of the whole argument
  Span value_span;                   ///< of the value; the argument's where there is none
};

/// A stencil program inside a C or C++ file, or code that becomes one.
struct EmbeddedBlock {
  Span begin;  ///< the directive `#pragma dsl begin ...`, or `#pragma scop`
  Span body;   ///< the program, or the code
  /// What a call takes the place of: both directives and what lies between them, from the start of
  /// the first line (or the `#`, where a comment stands before it) to the end of the last.
  Span whole;
  std::vector<BlockArgument> arguments;
  bool is_code = false;  ///< between `#pragma scop` and `#pragma endscop`
  Span end = {};         ///< the directive that ends it
};

struct EmbeddedFile {
  std::vector<EmbeddedBlock> blocks;
  /// Where generated definitions go: before all code, but after a byte order mark, an include
  /// guard, `#pragma once` and definitions of reserved names such as _GNU_SOURCE, which the
  /// headers of the standard library heed.
  std::size_t definitions = 0;
  /// Starts of lines, in order, that need a `#line` of their own: a compiler that skips a block
  /// for an `#if` skips the `#line` after it too, so one must follow the `#else` and `#endif`.
  std::vector<std::size_t> renumbered;
};

/// Finds the stencil programs of C or C++ text, and the code that is to become one: that between
/// `#pragma scop` and `#pragma endscop`, whose arguments are those of a `#pragma stencilgen` on the
/// lines before it. Conditional compilation is not evaluated.
/// Reports: malformed `#pragma dsl` lines, and `begin` and `end` that do not match; never throws.
/// Ensures: empty exactly when an error was reported.
std::optional<EmbeddedFile> FindEmbeddedBlocks(const SourceFile& source, DiagnosticSink& sink);

/// The program of a block as a file for Parse: the text up to the end of the block, with blanks for
/// all that lies before it, so that places in it are places in the original.
SourceFile ProgramOfBlock(const SourceFile& source, const EmbeddedBlock& block);

}  // namespace stencilgen
