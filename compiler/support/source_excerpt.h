#pragma once

#include <string>

#include "support/source.h"

namespace stencilgen {

/// A line of source as a terminal can show it, and the marks that go under it.
struct SourceExcerpt {
  std::string line;   ///< tabs expanded, unprintable bytes as '?', cut to a window where long
  std::string marks;  ///< blanks, then `^~~~` under the span
};

/// The line where the span begins; a span that goes on is marked to the end of that line.
SourceExcerpt Excerpt(const SourceFile& source, Span span);

}  // namespace stencilgen
