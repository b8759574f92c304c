#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Writes C++ code of any length in lines of about 100 characters, broken at spaces.
void WriteWrapped(CodeWriter& writer, std::string_view code);

/// `head(a, b, c)tail`, broken between arguments.
void WriteCall(CodeWriter& writer, std::string_view head, const std::vector<std::string>& arguments,
               std::string_view tail);

/// `if (!call) statement`, in one line or several.
void WriteUnless(CodeWriter& writer, std::string_view call, std::string_view statement);

/// Writes the lines of a function's body under a signature of any number of lines.
void WriteIndented(CodeWriter& writer, std::string_view body);

}  // namespace stencilgen
