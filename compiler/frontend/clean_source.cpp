#include "frontend/clean_source.h"

#include <optional>

#include "support/utf8.h"

namespace stencilgen::frontend {
namespace {

constexpr DiagnosticKind<std::string> kInvalidCharacter{"invalid-character", Severity::Error,
                                                        "{} cannot be part of a program"};
constexpr DiagnosticKind<> kPreprocessor{"syntax-error", Severity::Error,
                                         "there are no preprocessor lines in this language"};
constexpr DiagnosticKind<> kQuoted{"syntax-error", Severity::Error,
                                   "there is no quoted text in this language"};

constexpr DiagnosticKind<> kFileTooLarge{"file-too-large", Severity::Error,
                                         "the file is larger than 1 GiB"};
constexpr DiagnosticKind<> kWrongEncoding{"wrong-encoding", Severity::Error,
                                          "the file is in UTF-16, not in UTF-8"};

/// By its byte order mark, or by the zero byte beside its first letter.
bool IsUtf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  return text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
}

/// Characters that word processors and web pages put in place of the ones meant.
std::string HintFor(std::uint32_t code_point) {
  switch (code_point) {
    case 0x00A0:
    case 0x2009:
    case 0x200B:
    case 0x202F:
    case 0xFEFF:
      return "this is an invisible character: delete it or write a plain space";
    case 0x2212:
    case 0x2010:
    case 0x2011:
    case 0x2013:
    case 0x2014:
      return "write '-'";
    case 0x00D7:
    case 0x22C5:
    case 0x00B7:
      return "write '*'";
    case 0x00F7:
      return "write '/'";
    case 0x2264:
      return "write '<='";
    case 0x2265:
      return "write '>='";
    case 0x2260:
      return "write '!='";
    case 0x00B2:
      return "write '^2'";
    case 0x00B3:
      return "write '^3'";
    case 0x2026:
      return "write '..'";
    default:
      return "names are made of letters a-z, A-Z, digits and '_'";
  }
}

class Cleaner {
 public:
  Cleaner(const SourceFile& source, DiagnosticSink& sink)
      : source_(source.text()), clean_(source.text()), sink_(sink) {}

  CleanText Run() {
    if (source_.starts_with("\xEF\xBB\xBF")) Blank(3);
    while (at_ < source_.size() && removed_.size() < kMaxReports) Step();
    // Past the limit nothing is parsed, so the rest only has to be harmless.
    while (at_ < source_.size()) Blank(1);
    return {std::move(clean_), std::move(removed_)};
  }

 private:
  void Step() {
    const char c = source_[at_];
    const std::string_view two = source_.substr(at_, 2);
    if (two == "//") {
      Blank(EndOfLine() - at_);
    } else if (two == "/*") {
      BlockComment();
    } else if (c == '#' && line_is_blank_) {
      const std::string_view line = source_.substr(at_, EndOfLine() - at_);
      const bool block = line.find("pragma") != std::string_view::npos &&
                         line.find(" dsl") != std::string_view::npos;
      Report(line.size(), kPreprocessor)
          .Hint(block ? "blocks are looked for in C and C++ files, such as app.cpp"
                      : "sizes are declared with 'parameter', comments start with '//'");
    } else if (c == '"' || c == '\'') {
      Quoted(c);
    } else if (c == '\n' || c == '\r') {
      line_is_blank_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c > ' ' && c < '\x7F' &&
               std::string_view("#$@\\`~").find(c) == std::string_view::npos) {
      line_is_blank_ = false;
      ++at_;
    } else {
      Invalid();
    }
  }

  std::size_t EndOfLine() const {
    const std::size_t end = source_.find_first_of("\r\n", at_);
    return end == std::string_view::npos ? source_.size() : end;
  }

  void Blank(std::size_t length) {
    for (std::size_t i = 0; i < length; ++i, ++at_) {
      if (clean_[at_] != '\n' && clean_[at_] != '\r') clean_[at_] = ' ';
    }
  }

  template <typename... Args, typename... Given>
  DiagnosticSink::Attach Report(std::size_t length, const DiagnosticKind<Args...>& kind,
                                Given&&... given) {
    const Span span{static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
    Blank(length);
    removed_.push_back(span);
    return sink_.Report(span, kind, std::forward<Given>(given)...);
  }

  void BlockComment() {
    const std::size_t close = source_.find("*/", at_ + 2);
    if (close != std::string_view::npos) return Blank(close + 2 - at_);
    Report(2, kUnterminatedComment).Hint("close it with '*/'");
    Blank(source_.size() - at_);
  }

  void Quoted(char quote) {
    const std::size_t close = source_.find(quote, at_ + 1);
    const std::size_t end = EndOfLine();
    Report((close < end ? close + 1 : end) - at_, kQuoted);
  }

  void Invalid() {
    const std::size_t begin = at_;
    const auto first = static_cast<unsigned char>(source_[at_]);
    const std::optional<CodePoint> code_point = DecodeUtf8(source_, at_);
    const bool printable = code_point && IsPrintable(code_point->value);
    std::string what;
    if (first > ' ' && first < 0x7F) {
      what = fmt::format("'{}'", source_[at_]);
    } else if (first < 0x80 || !code_point) {
      what = fmt::format("the byte 0x{:02X}", first);
    } else {
      what = fmt::format("the character {}U+{:04X}{}",
                         printable ? fmt::format("'{}' (", source_.substr(at_, code_point->length))
                                   : std::string(),
                         code_point->value, printable ? ")" : "");
    }
    // One report for a run of them: binary garbage would fill pages.
    std::size_t length = code_point ? code_point->length : 1;
    const auto continues = [&](char c) { return first == 0 ? c == 0 : (c & '\x80') != 0; };
    while (begin + length < source_.size() && continues(source_[begin + length])) ++length;
    line_is_blank_ = false;
    auto report = Report(length, kInvalidCharacter, what);
    if (code_point && first >= 0x80) report.Hint(HintFor(code_point->value));
  }

  static constexpr std::size_t kMaxReports = 50;

  std::string_view source_;
  std::string clean_;
  DiagnosticSink& sink_;
  std::size_t at_ = 0;
  std::vector<Span> removed_;
  bool line_is_blank_ = true;
};

}  // namespace

bool HasLegalSize(const SourceFile& source, DiagnosticSink& sink) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;
  if (source.text().size() <= kMaxBytes) return true;
  sink.Report({0, 0}, kFileTooLarge);
  return false;
}

bool HasLegalEncoding(const SourceFile& source, DiagnosticSink& sink) {
  if (!IsUtf16(source.text())) return true;
  sink.Report({0, 0}, kWrongEncoding)
      .Hint("save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8");
  return false;
}

CleanText CleanSource(const SourceFile& source, DiagnosticSink& sink) {
  return Cleaner(source, sink).Run();
}

}  // namespace stencilgen::frontend
