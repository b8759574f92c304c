#include "support/text_template.h"

#include <set>

#include "support/check.h"

namespace stencilgen {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

/// Appends the value with `indent` before each of its non-empty lines.
void AppendIndented(std::string& out, std::string_view value, std::string_view indent) {
  while (!value.empty()) {
    const std::size_t end = value.find('\n');
    const std::string_view line = value.substr(0, end);
    if (!line.empty()) out.append(indent).append(line);
    out.push_back('\n');
    if (end == std::string_view::npos) break;
    value.remove_prefix(end + 1);
  }
}

}  // namespace

std::string FillTemplate(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::set<std::string> used;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    bool whole_line = false;
    while (true) {
      const std::size_t open = line.find("@{");
      if (open == std::string_view::npos) break;
      const std::size_t close = line.find('}', open);
      STENCILGEN_CHECK(close != std::string_view::npos);
      const std::string name(line.substr(open + 2, close - open - 2));
      const auto value = values.find(name);
      STENCILGEN_CHECK(value != values.end());
      used.insert(name);
      if (IsBlank(line.substr(0, open)) && IsBlank(line.substr(close + 1)) &&
          (out.empty() || out.back() == '\n')) {
        AppendIndented(out, value->second, line.substr(0, open));
        whole_line = true;
        break;
      }
      out.append(line.substr(0, open)).append(value->second);
      line.remove_prefix(close + 1);
    }
    if (!whole_line) out.append(line).push_back('\n');
  }
  STENCILGEN_CHECK(used.size() == values.size());
  return out;
}

}  // namespace stencilgen
