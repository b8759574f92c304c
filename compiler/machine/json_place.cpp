#include "machine/json_place.h"

namespace stencilgen::machine {
namespace {

/// Walks over a JSON text and keeps the place of the value that a path leads to.
class PlaceFinder {
 public:
  PlaceFinder(std::string_view text, const JsonPath& path) : text_(text), path_(path) {}

  JsonPlace Find() {
    SkipBlanks();
    Value(0, true, {});
    return best_;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::uint32_t Here() const { return static_cast<std::uint32_t>(at_); }

  void SkipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string::npos)
      ++at_;
  }

  /// Its contents as they are written: names with escapes are none that anybody asks for.
  std::string_view String() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::string_view contents = text_.substr(begin, at_ - begin);
    ++at_;
    return contents;
  }

  /// The value that begins here. `on_path`: it is what the first `depth` steps of the path lead to.
  void Value(std::size_t depth, bool on_path, Span name) {
    const std::uint32_t begin = Here();
    if (on_path && depth >= depth_) {
      depth_ = depth;
      best_ = {name, {begin, begin}};
    }
    const bool is_best = on_path && depth == depth_;
    if (Peek() == '{') {
      Members(depth, on_path);
    } else if (Peek() == '[') {
      Elements(depth, on_path);
    } else if (Peek() == '"') {
      String();
    } else {
      while (at_ < text_.size() &&
             std::string_view(",]} \t\r\n").find(text_[at_]) == std::string::npos)
        ++at_;
    }
    if (is_best && best_.value.begin == begin) best_.value.end = Here();
  }

  void Members(std::size_t depth, bool on_path) {
    ++at_;
    SkipBlanks();
    while (at_ < text_.size() && Peek() != '}') {
      const std::uint32_t begin = Here();
      const std::string_view name = String();
      const Span span = {begin, Here()};
      SkipBlanks();
      ++at_;  // the colon
      SkipBlanks();
      const auto* step = depth < path_.size() ? std::get_if<std::string>(&path_[depth]) : nullptr;
      Value(depth + 1, on_path && step != nullptr && *step == name, span);
      Separator();
    }
    ++at_;
  }

  void Elements(std::size_t depth, bool on_path) {
    ++at_;
    SkipBlanks();
    for (std::size_t index = 0; at_ < text_.size() && Peek() != ']'; ++index) {
      const auto* step = depth < path_.size() ? std::get_if<std::size_t>(&path_[depth]) : nullptr;
      Value(depth + 1, on_path && step != nullptr && *step == index, {});
      Separator();
    }
    ++at_;
  }

  void Separator() {
    SkipBlanks();
    if (Peek() == ',') ++at_;
    SkipBlanks();
  }

  const std::string_view text_;
  const JsonPath& path_;
  std::size_t at_ = 0;
  JsonPlace best_;
  std::size_t depth_ = 0;  ///< steps of the path that lead to `best_`
};

}  // namespace

JsonPlace FindJsonPlace(std::string_view text, const JsonPath& path) {
  return PlaceFinder(text, path).Find();
}

}  // namespace stencilgen::machine
