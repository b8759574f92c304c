#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "graph/graph.h"
#include "support/code_writer.h"
#include "support/literal_text.h"

namespace stencilgen::codegen {

/// The text on one line, fit for a `//` comment: no line ends, no comment marks, trigraphs or
/// trailing backslash, ASCII only, at most `limit` characters.
std::string CommentText(std::string_view text, std::size_t limit = 72);

/// `line 12: B[j][i] = ...` for the statement at `span`; empty without source text.
std::string SourceComment(const CodegenOptions& options, Span span);

/// `j2d5pt, line 12: B[j][i] = ...`: the operator's stencil and statement.
std::string StencilComment(const CodegenOptions& options, const graph::Operator& op);

}  // namespace stencilgen::codegen
