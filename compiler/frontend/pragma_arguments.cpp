#include "frontend/pragma_arguments.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace stencilgen::frontend {
namespace {

constexpr DiagnosticKind<std::string> kMalformedArgument{"malformed-argument", Severity::Error,
                                                         "`{}` is not of the form `name:value`"};
constexpr DiagnosticKind<std::string> kMissingValue{"missing-value", Severity::Error,
                                                    "`{}:` is followed by no value"};
constexpr DiagnosticKind<std::string> kRepeatedArgument{"repeated-argument", Severity::Error,
                                                        "`{}` is given twice"};

constexpr std::string_view kBlanks = " \t\f\v\r";

bool IsName(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

class ArgumentReader {
 public:
  ArgumentReader(const CppDirective& directive, std::size_t begin, DiagnosticSink& sink)
      : directive_(directive), text_(directive.rest), at_(begin), sink_(sink) {}

  std::vector<BlockArgument> Run() {
    for (SkipBlanks(); at_ < text_.size(); SkipBlanks()) ReadArgument();
    return std::move(arguments_);
  }

 private:
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  std::size_t WordEnd(std::size_t from) const {
    return std::min(text_.find_first_of(kBlanks, from), text_.size());
  }

  void ReadArgument() {
    const std::size_t begin = at_;
    const std::size_t word_end = WordEnd(begin);
    const std::size_t colon = std::min(text_.find(':', begin), word_end);
    const std::string name = text_.substr(begin, colon - begin);
    if (!IsName(name)) {
      at_ = word_end;
      sink_
          .Report(directive_.SpanOfRest(begin, at_), kMalformedArgument,
                  text_.substr(begin, at_ - begin))
          .Hint("for example `block:32,8 stream:j`");
      return;
    }
    BlockArgument argument{name, std::nullopt, {}, {}};
    at_ = colon;
    if (colon < word_end) {
      at_ = colon + 1;
      SkipBlanks();
      const std::size_t value = at_;
      argument.value = ReadValue();
      argument.value_span = directive_.SpanOfRest(value, at_);
    }
    argument.span = directive_.SpanOfRest(begin, std::max(at_, colon));
    if (argument.value && argument.value->empty()) {
      sink_.Report(directive_.SpanOfRest(begin, colon + 1), kMissingValue, name);
      return;
    }
    if (!argument.value) argument.value_span = argument.span;
    Add(std::move(argument));
  }

  /// To the next blank that no comma stands beside.
  std::string ReadValue() {
    std::string value;
    while (at_ < text_.size()) {
      const std::size_t end = WordEnd(at_);
      value.append(text_, at_, end - at_);
      at_ = end;
      const std::size_t next = std::min(text_.find_first_not_of(kBlanks, end), text_.size());
      const bool continues = next < text_.size() && (value.back() == ',' || text_[next] == ',');
      if (!continues) break;
      at_ = next;
    }
    return value;
  }

  void Add(BlockArgument argument) {
    // One parameter an argument, several arguments: as on the command line.
    const bool repeatable = argument.name == "ndim";
    for (const BlockArgument& earlier : arguments_) {
      if (earlier.name != argument.name || repeatable) continue;
      sink_.Report(argument.span, kRepeatedArgument, argument.name)
          .Note(earlier.span, "the first time")
          .Hint("keep one of them");
      return;
    }
    arguments_.push_back(std::move(argument));
  }

  const CppDirective& directive_;
  const std::string& text_;
  std::size_t at_;
  DiagnosticSink& sink_;
  std::vector<BlockArgument> arguments_;
};

}  // namespace

std::vector<BlockArgument> ReadPragmaArguments(const CppDirective& directive, std::size_t begin,
                                               DiagnosticSink& sink) {
  return ArgumentReader(directive, begin, sink).Run();
}

}  // namespace stencilgen::frontend
