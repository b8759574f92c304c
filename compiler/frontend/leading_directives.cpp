#include "frontend/leading_directives.h"

#include <algorithm>

namespace stencilgen::frontend {
namespace {

std::string_view FirstWord(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  return text.substr(begin, end - begin);
}

bool IsOneWord(std::string_view text) {
  const std::string_view word = FirstWord(text);
  const std::size_t after = static_cast<std::size_t>(word.data() - text.data()) + word.size();
  return !word.empty() && text.find_first_not_of(kBlanks, after) == std::string_view::npos;
}

/// A name that programs may only define for the library to see.
bool IsReserved(std::string_view name) {
  if (name == "NDEBUG") return true;
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

}  // namespace

LeadingDirectives::LeadingDirectives(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == kByteOrderMark) place_ = 3;
}

void LeadingDirectives::Accept(const CppDirective& directive) {
  if (depth_ == guard_depth_) {
    place_ = directive.after;
  } else {
    pending_ = true;
  }
}

void LeadingDirectives::AddDefinition(const CppDirective& directive, std::string_view name) {
  const bool guards = !guard_.empty() && name == guard_ && IsOneWord(directive.rest);
  if (guards && guard_depth_ == 0 && depth_ == 1) {
    guard_depth_ = 1;
    before_guard_ = place_;
  }
  if (guards || IsReserved(name)) {
    Accept(directive);
  } else {
    finished_ = true;
  }
}

/// The end of a conditional.
void LeadingDirectives::Leave(const CppDirective& directive) {
  if (depth_ == 0) return;
  --depth_;
  if (guard_depth_ > 0 && depth_ < guard_depth_) {
    guard_ended_ = true;
  } else if (!finished_ && depth_ == guard_depth_ && pending_) {
    Accept(directive);
    pending_ = false;
  }
}

void LeadingDirectives::AddLeading(const CppDirective& directive) {
  const std::string& keyword = directive.keyword;
  const std::string_view name = FirstWord(directive.rest);
  if (keyword == "define" || keyword == "undef") {
    AddDefinition(directive, name);
  } else if (keyword == "pragma" && name == "once") {
    Accept(directive);
  } else if (keyword == "if" || keyword == "ifdef" || keyword == "ifndef") {
    guard_ = keyword == "ifndef" ? name : "";
    return;
  } else if (keyword != "else" && keyword != "elif" && keyword != "endif") {
    finished_ = true;
  }
  guard_.clear();
}

void LeadingDirectives::Add(const CppDirective& directive) {
  const std::string& keyword = directive.keyword;
  if (guard_ended_) {
    // It did not guard the whole file.
    place_ = finished_ ? before_guard_ : guard_end_;
    guard_ended_ = false;
    guard_depth_ = 0;
  }
  finished_ = finished_ || directive.after_code;
  if (keyword == "if" || keyword == "ifdef" || keyword == "ifndef") ++depth_;
  if (keyword == "endif") Leave(directive);
  if (guard_ended_) guard_end_ = directive.after;
  if (!finished_) AddLeading(directive);
}

}  // namespace stencilgen::frontend
