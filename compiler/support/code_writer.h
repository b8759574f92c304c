#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace stencilgen {

/// Indented lines of C-like text. Braces of blocks never appear in format strings.
class CodeWriter {
 public:
  /// Closes its block when it goes out of scope.
  class Scope {
   public:
    explicit Scope(CodeWriter* writer, std::string_view close) : writer_(writer), close_(close) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Scope(Scope&&) = delete;
    Scope& operator=(Scope&&) = delete;
    ~Scope();

   private:
    CodeWriter* writer_;
    std::string close_;
  };

  template <typename... Args>
  void Line(fmt::format_string<Args...> text, Args&&... args) {
    Append(fmt::format(text, std::forward<Args>(args)...));
  }
  void Line() { Append(""); }
  /// Text of several lines, each at the present indentation.
  void Text(std::string_view text);

  /// Writes `head {`; the scope's end writes `}` followed by `tail`.
  template <typename... Args>
  [[nodiscard]] Scope Block(fmt::format_string<Args...> head, Args&&... args) {
    return OpenBlock(fmt::format(head, std::forward<Args>(args)...), "}");
  }
  [[nodiscard]] Scope OpenBlock(std::string_view head, std::string_view close);

  const std::string& str() const { return text_; }

 private:
  void Append(std::string_view line);

  std::string text_;
  int depth_ = 0;
};

}  // namespace stencilgen
