#pragma once

#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::frontend {

/// A `/*` of a program by itself or in a C++ file.
inline constexpr DiagnosticKind<> kUnterminatedComment{"unterminated-comment", Severity::Error,
                                                       "this comment is never closed"};

struct CleanText {
  std::string text;           ///< as long as the source, so that offsets agree; ASCII only
  std::vector<Span> removed;  ///< what was reported, in order
};

/// Whether offsets of 32 bits reach all of the file; reports `file-too-large` where they do not.
bool HasLegalSize(const SourceFile& source, DiagnosticSink& sink);

/// Whether the program may be text in UTF-8 or ASCII; reports `wrong-encoding` where it is UTF-16.
bool HasLegalEncoding(const SourceFile& source, DiagnosticSink& sink);

/// The text with everything the scanner need not see replaced by blanks: comments, a byte order
/// mark, and what cannot be part of a program, which is reported (`invalid-character`,
/// `unterminated-comment`, and `syntax-error` for preprocessor lines and quoted text).
CleanText CleanSource(const SourceFile& source, DiagnosticSink& sink);

}  // namespace stencilgen::frontend
