#include "frontend/embedded_blocks.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/clean_source.h"
#include "frontend/cpp_scanner.h"
#include "frontend/leading_directives.h"
#include "frontend/pragma_arguments.h"

namespace stencilgen {
namespace {

using frontend::CppDirective;
using frontend::CppScanner;

constexpr DiagnosticKind<std::string> kUnknownPragma{
    "unknown-dsl-pragma", Severity::Error,
    "`#pragma dsl` is followed by `begin` or `end`, not by {}"};
constexpr DiagnosticKind<> kMissingEnd{"missing-dsl-end", Severity::Error,
                                       "this block has no `#pragma dsl end`"};
constexpr DiagnosticKind<> kMissingBegin{"missing-dsl-begin", Severity::Error,
                                         "no `#pragma dsl begin` stands before this `end`"};
constexpr DiagnosticKind<> kNestedBegin{"nested-dsl-begin", Severity::Error,
                                        "a block begins inside of another one"};
constexpr DiagnosticKind<> kTextAfterEnd{"text-after-dsl-end", Severity::Error,
                                         "nothing may follow `#pragma dsl end` on its line"};
constexpr DiagnosticKind<> kPragmaOperator{"dsl-pragma-operator", Severity::Warning,
                                           "this neither begins nor ends a block: only a line "
                                           "`#pragma dsl` does"};
constexpr DiagnosticKind<> kMissingScopEnd{"missing-endscop", Severity::Error,
                                           "this region has no `#pragma endscop`"};
constexpr DiagnosticKind<> kMissingScop{"missing-scop", Severity::Error,
                                        "no `#pragma scop` stands before this `endscop`"};
constexpr DiagnosticKind<> kNestedScop{"nested-scop", Severity::Error,
                                       "a region begins inside of another one"};
constexpr DiagnosticKind<> kLostArguments{
    "lost-arguments", Severity::Warning,
    "no `#pragma scop` follows, so these arguments do nothing"};

class BlockFinder {
 public:
  BlockFinder(const SourceFile& source, DiagnosticSink& sink)
      : source_(source), sink_(sink), scanner_(source.text()) {}

  void Run() {
    while (const auto directive = scanner_.NextDirective()) {
      leading_.Add(*directive);
      FollowConditional(*directive);
      if (FollowRegion(*directive)) continue;
      switch (VerbOf(*directive)) {
        case Verb::Begin:
          FindEnd(*directive);
          break;
        case Verb::End:
          // After nested blocks the outer one still has its `end`.
          if (extra_ends_ == 0) sink_.Report(directive->span, kMissingBegin);
          if (extra_ends_ > 0) --extra_ends_;
          break;
        case Verb::Unknown:
          // It may have been meant to begin a block.
          ++extra_ends_;
          break;
        case Verb::None:
          break;
      }
    }
    if (region_) {
      sink_.Report(region_->begin, kMissingScopEnd)
          .Hint("write `#pragma endscop` on a line after the loops");
    }
    DropArguments();
    for (const Span span : scanner_.dsl_operators()) {
      sink_.Report(span, kPragmaOperator)
          .Hint("write `#pragma dsl begin` and `#pragma dsl end` on lines of their own");
    }
    file_.definitions = leading_.place();
  }

  EmbeddedFile Take() { return std::move(file_); }

 private:
  /// `#pragma scop`, `#pragma endscop` and `#pragma stencilgen`. True where the directive is one.
  bool FollowRegion(const CppDirective& directive) {
    if (directive.keyword != "pragma") return false;
    std::size_t at = 0;
    const std::string word = NextWord(directive.rest, at);
    if (word == "stencilgen") {
      DropArguments();
      arguments_ = directive;
      arguments_at_ = at;
      return true;
    }
    if (word == "scop") {
      BeginRegion(directive);
      return true;
    }
    if (word != "endscop") return false;
    if (!region_) {
      sink_.Report(directive.span, kMissingScop);
      return true;
    }
    region_->end = directive.span;
    region_->body.end = LineStart(directive.span.begin);
    region_->whole.end = static_cast<std::uint32_t>(directive.after);
    file_.blocks.push_back(*std::move(region_));
    region_.reset();
    if (!holds_block_.empty()) holds_block_.back() = true;
    return true;
  }

  void BeginRegion(const CppDirective& directive) {
    if (region_) {
      sink_.Report(directive.span, kNestedScop)
          .Note(region_->begin, "this one has not ended")
          .Hint("end it with `#pragma endscop` before the next one begins");
    }
    region_.emplace();
    region_->is_code = true;
    region_->begin = directive.span;
    region_->body.begin = static_cast<std::uint32_t>(directive.after);
    region_->whole.begin = LineStart(directive.span.begin);
    if (!arguments_) return;
    const std::string_view between =
        std::string_view(source_.text())
            .substr(arguments_->after, directive.span.begin - arguments_->after);
    if (between.find_first_not_of(" \t\r\n") != std::string_view::npos) return DropArguments();
    region_->arguments = frontend::ReadPragmaArguments(*arguments_, arguments_at_, sink_);
    region_->whole.begin = LineStart(arguments_->span.begin);
    arguments_.reset();
  }

  void DropArguments() {
    if (!arguments_) return;
    sink_.Report(arguments_->span, kLostArguments).Hint("put it on the line before `#pragma scop`");
    arguments_.reset();
  }

  void FollowConditional(const CppDirective& directive) {
    const std::string& keyword = directive.keyword;
    if (keyword == "if" || keyword == "ifdef" || keyword == "ifndef") {
      holds_block_.push_back(false);
      return;
    }
    const bool ends = keyword == "endif";
    if (holds_block_.empty() || !(ends || keyword.rfind("el", 0) == 0)) return;
    const bool holds = holds_block_.back();
    if (holds && directive.after < source_.text().size()) {
      file_.renumbered.push_back(directive.after);
    }
    if (ends) holds_block_.pop_back();
    if (ends && holds && !holds_block_.empty()) holds_block_.back() = true;
  }

  enum class Verb { None, Unknown, Begin, End };

  /// What `#pragma dsl` asks for; None for other directives. A misspelt word is reported, and
  /// taken for the one meant.
  Verb VerbOf(const CppDirective& directive) {
    if (directive.keyword != "pragma") return Verb::None;
    std::size_t at = 0;
    if (NextWord(directive.rest, at) != "dsl") return Verb::None;
    const std::string word = NextWord(directive.rest, at);
    verb_end_ = at;
    std::string verb = word;
    if (verb != "begin" && verb != "end") {
      verb = NearestName(word, {"begin", "end"});
      auto report =
          sink_.Report(word.empty() ? directive.span : directive.SpanOfRest(at - word.size(), at),
                       kUnknownPragma, word.empty() ? "nothing" : fmt::format("`{}`", word));
      report.Hint(verb.empty() ? "write `#pragma dsl begin`, the program, and `#pragma dsl end`"
                               : fmt::format("did you mean `{}`?", verb));
    }
    if (verb == "begin") return Verb::Begin;
    if (verb.empty()) return Verb::Unknown;
    const std::size_t more = directive.rest.find_first_not_of(frontend::kBlanks, at);
    if (more != std::string::npos) {
      sink_.Report(directive.SpanOfRest(more, directive.rest.size()), kTextAfterEnd)
          .Hint("arguments belong to `#pragma dsl begin`");
    }
    return Verb::End;
  }

  /// The letters that come next, or where there are none the text up to the next blank; `at` moves
  /// behind them.
  static std::string NextWord(const std::string& text, std::size_t& at) {
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const std::size_t begin = std::min(text.find_first_not_of(frontend::kBlanks, at), text.size());
    for (at = begin; at < text.size() && letter(text[at]);) ++at;
    if (at == begin) at = std::min(text.find_first_of(frontend::kBlanks, begin), text.size());
    return text.substr(begin, at - begin);
  }

  /// Goes to the `end` of a block that has begun.
  void FindEnd(CppDirective begin) {
    EmbeddedBlock block = Begin(begin);
    bool complete = true;
    std::optional<Span> open_comment;
    while (const auto directive = scanner_.NextDirectiveOfProgram(open_comment)) {
      const Verb verb = VerbOf(*directive);
      if (verb == Verb::Begin) {
        sink_.Report(directive->span, kNestedBegin)
            .Note(begin.span, "this one has not ended")
            .Hint("end it with `#pragma dsl end` before the next one begins");
        ++extra_ends_;
        complete = false;
        begin = *directive;
        block = Begin(begin);
      } else if (verb == Verb::End) {
        if (!complete) return;
        block.body.end = LineStart(directive->span.begin);
        block.whole.end = static_cast<std::uint32_t>(directive->after);
        file_.blocks.push_back(std::move(block));
        if (!holds_block_.empty()) holds_block_.back() = true;
        return;
      }
    }
    if (open_comment) {
      sink_.Report(*open_comment, frontend::kUnterminatedComment)
          .Note(begin.span, "in the block that begins here")
          .Hint("close it with '*/'");
      return;
    }
    sink_.Report(begin.span, kMissingEnd)
        .Hint("write `#pragma dsl end` on a line after the program");
  }

  EmbeddedBlock Begin(const CppDirective& directive) {
    EmbeddedBlock block;
    block.begin = directive.span;
    block.body.begin = static_cast<std::uint32_t>(directive.after);
    block.whole.begin = LineStart(directive.span.begin);
    block.arguments = frontend::ReadPragmaArguments(directive, verb_end_, sink_);
    return block;
  }

  /// The start of the line where blanks alone stand before `at`; else `at`.
  std::uint32_t LineStart(std::uint32_t at) const {
    const std::string& text = source_.text();
    std::uint32_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    return begin == 0 || text[begin - 1] == '\n' ? begin : at;
  }

  const SourceFile& source_;
  DiagnosticSink& sink_;
  CppScanner scanner_;
  frontend::LeadingDirectives leading_{source_.text()};
  EmbeddedFile file_;
  std::size_t verb_end_ = 0;  ///< of the last directive that VerbOf knew: where arguments begin
  std::vector<bool> holds_block_;          ///< by conditional that is open, outermost first
  std::optional<EmbeddedBlock> region_;    ///< that has begun
  std::optional<CppDirective> arguments_;  ///< `#pragma stencilgen` that waits for a region
  std::size_t arguments_at_ = 0;           ///< where they begin in the directive
  int extra_ends_ = 0;                     ///< `end` that are no mistake of their own
};

}  // namespace

std::optional<EmbeddedFile> FindEmbeddedBlocks(const SourceFile& source, DiagnosticSink& sink) {
  if (!frontend::HasLegalSize(source, sink)) return std::nullopt;
  const std::size_t errors_before = sink.ErrorCount();
  BlockFinder finder(source, sink);
  finder.Run();
  if (sink.ErrorCount() > errors_before) return std::nullopt;
  return finder.Take();
}

SourceFile ProgramOfBlock(const SourceFile& source, const EmbeddedBlock& block) {
  std::string text = source.text().substr(0, block.body.end);
  for (std::size_t at = 0; at < block.body.begin; ++at) {
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  }
  return {source.name(), std::move(text)};
}

}  // namespace stencilgen
