#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/ranks_code.h"
#include "support/exchange.h"
#include "support/source.h"

namespace stencilgen::codegen {

/// What a stencil program inside of a C or C++ file becomes.
struct EmbeddedBlockText {
  std::string definitions;  ///< at namespace scope, before all code of the file
  /// Where the file is C: of the functions that the call's lines name, at the top of the file. The
  /// definitions are those of another file, in C++ or CUDA.
  std::string declarations;
  std::string call;  ///< the lines that take the block's place
  /// What the definitions call by names of the program, which macros must not change.
  std::vector<std::string> names;
  std::vector<std::string_view> runtime;  ///< the runtime headers that they need
};

/// Where a block stands.
struct BlockPlace {
  const SourceFile* source = nullptr;  ///< the C or C++ file
  std::string file;                    ///< of the C or C++ file, for `#line`
  Span begin;                          ///< the directive that begins the block
  std::string indent;                  ///< of that line
  /// What names of the program are in the file, where that is not the name itself.
  std::map<std::string, std::string> bindings = {};
  /// Complex names of the program, each of which binds to a variable of complex numbers.
  std::set<std::string> pairs = {};
  std::string condition = {};  ///< of C, for the call; empty where it always can be made
  std::string otherwise = {};  ///< code that runs where the condition does not hold, as it stands
  Span otherwise_at = {};      ///< its place in the file
  std::vector<Exchange> after = {};    ///< after the call
  std::vector<std::string> left = {};  ///< assignments of C, after that
  /// Variables around the block that only the code in its place has used.
  std::vector<std::string> unused = {};
  std::optional<RanksCode> ranks = {};
  bool is_c = false;  ///< the file is compiled as C, and its types are known to fit
};

/// The definitions hold the program's functions and a function that checks what the block's names
/// are bound to. The call binds them by their names: an error of the C++ compiler is reported at
/// the line of the block that declares the name. In C, which has no templates, it calls a function
/// with C linkage by pointers and numbers.
/// Requires: options.part, place.source; with place.ranks options.exported and no place.is_c.
EmbeddedBlockText EmitEmbeddedBlock(const kernel::Module& module, const FileOptions& options,
                                    const BlockPlace& place);

/// `#line 12 "app.cpp"`
std::string LineDirective(int line, std::string_view file);

/// The line of a place as C and C++ compilers count: they know no lone carriage returns.
int CompilerLine(std::string_view text, std::size_t offset);

}  // namespace stencilgen::codegen
