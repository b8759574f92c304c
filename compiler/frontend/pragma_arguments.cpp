#include "frontend/pragma_arguments.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace stencilgen::frontend {
namespace {

constexpr DiagnosticKind<std::string> kMalformedArgument{"malformed-argument", Severity::Error,
                                                         "`{}` is not of the form `name:value`"};
constexpr DiagnosticKind<std::string> kMissingValue{"missing-value", Severity::Error,
                                                    "`{}:` is followed by no value"};
constexpr DiagnosticKind<std::string> kRepeatedArgument{"repeated-argument", Severity::Error,
                                                        "`{}` is given twice"};

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

  /// An argument without its blanks, and the place of each of its characters in the text.
  struct Word {
    std::string text;
    std::vector<std::size_t> places;
  };

  /// To the next blank beside which stands nothing that joins words.
  Word ReadWord() {
    constexpr std::string_view kJoining = ":,=-";
    Word word;
    while (at_ < text_.size()) {
      if (kBlanks.find(text_[at_]) == std::string_view::npos) {
        word.text.push_back(text_[at_]);
        word.places.push_back(at_++);
        continue;
      }
      SkipBlanks();
      const bool joined =
          at_ < text_.size() && (kJoining.find(word.text.back()) != std::string_view::npos ||
                                 kJoining.find(text_[at_]) != std::string_view::npos);
      if (!joined) break;
    }
    return word;
  }

  /// The place in the file of the characters from `begin` to `end`.
  Span SpanOf(const Word& word, std::size_t begin, std::size_t end) const {
    return directive_.SpanOfRest(word.places[begin], word.places[end - 1] + 1);
  }

  void ReadArgument() {
    const Word word = ReadWord();
    const std::size_t size = word.text.size();
    const std::size_t colon = std::min(word.text.find(':'), size);
    BlockArgument argument{word.text.substr(0, colon), std::nullopt, SpanOf(word, 0, size), {}};
    argument.value_span = argument.span;
    if (!IsName(argument.name)) {
      sink_.Report(argument.span, kMalformedArgument, word.text)
          .Hint("for example `block:32,8 stream:j`");
    } else if (colon + 1 == size) {
      sink_.Report(argument.span, kMissingValue, argument.name);
    } else {
      if (colon < size) {
        argument.value = word.text.substr(colon + 1);
        argument.value_span = SpanOf(word, colon + 1, size);
      }
      Add(std::move(argument));
    }
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
