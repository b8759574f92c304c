#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "graph/graph.h"
#include "support/code_writer.h"

namespace stencilgen::codegen {

/// The text on one line, fit for a `//` comment: no line ends, no comment marks, trigraphs or
/// trailing backslash, ASCII only, at most `limit` characters.
std::string CommentText(std::string_view text, std::size_t limit = 72);

/// `line 12: B[j][i] = ...` for the statement at `span`; empty without source text.
std::string SourceComment(const CodegenOptions& options, Span span);

/// Writes C++ code of any length in lines of about 100 characters, broken at spaces.
void WriteWrapped(CodeWriter& writer, std::string_view code);

/// `head(a, b, c)tail`, broken between arguments.
void WriteCall(CodeWriter& writer, std::string_view head, const std::vector<std::string>& arguments,
               std::string_view tail);

/// `if (!call) statement`, in one line or several.
void WriteUnless(CodeWriter& writer, std::string_view call, std::string_view statement);

/// A literal of the type with exactly that value: `0.2`, `0.2F`, `7`, `true`.
std::string LiteralText(ScalarType type, double value);
std::string LiteralText(ScalarType type, std::int64_t value);

}  // namespace stencilgen::codegen
