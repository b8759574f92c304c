#include "support/comment_text.h"

namespace stencilgen {
namespace {

bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Appends one character unless it would complete something that compilers warn about.
void AppendHarmless(std::string& out, char c) {
  const char last = out.empty() ? ' ' : out.back();
  if (c < ' ' || c > '~') c = '.';
  if (c == '\\') c = '/';
  if ((c == '?' && last == '?') || (last == '/' && (c == '*' || c == '/')) ||
      (last == '*' && c == '/')) {
    out.push_back(' ');
  }
  out.push_back(c);
}

}  // namespace

std::string CommentText(std::string_view text, std::size_t limit) {
  std::string out;
  bool pending_space = false;
  for (const char c : text) {
    if (IsSpace(c)) {
      pending_space = !out.empty();
      continue;
    }
    if (out.size() >= limit) return out.append(" ...");
    if (pending_space) out.push_back(' ');
    pending_space = false;
    AppendHarmless(out, c);
  }
  return out;
}

}  // namespace stencilgen
