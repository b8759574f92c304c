#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/diagnostics.h"

namespace stencilgen {
namespace {

constexpr DiagnosticKind<std::string_view> kUnknown{"unknown-thing", Severity::Error,
                                                    "'{}' is unknown"};
constexpr DiagnosticKind<> kUnused{"unused-thing", Severity::Warning, "never used"};

TEST_CASE("the sink counts errors and forgets repetitions") {
  DiagnosticSink sink;
  CHECK_FALSE(sink.HasErrors());
  sink.Report({1, 2}, kUnused);
  CHECK_FALSE(sink.HasErrors());
  sink.Report({1, 2}, kUnknown, "x").Hint("first");
  sink.Report({1, 2}, kUnknown, "x").Hint("second").Note({0, 1}, "lost");
  sink.Report({1, 2}, kUnknown, "y");
  sink.Report({2, 3}, kUnknown, "x");
  CHECK(sink.ErrorCount() == 3);
  REQUIRE(sink.diagnostics().size() == 4);
  CHECK(sink.diagnostics()[1].hint == "first");
  CHECK(sink.diagnostics()[1].notes.empty());
  CHECK(sink.diagnostics()[1].message == "'x' is unknown");
}

TEST_CASE("text: place, message, id, the line, a caret, notes and the hint") {
  const SourceFile source("dir/p.idsl", "double a;\ncopyin b;\n");
  DiagnosticSink sink;
  sink.Report({17, 18}, kUnknown, "b").Note({7, 8}, "only this is declared").Hint("declare it");
  CHECK(RenderText(source, sink.diagnostics(), 0, false) ==
        "dir/p.idsl:2:8: error: 'b' is unknown [unknown-thing]\n"
        "    2 | copyin b;\n"
        "      |        ^\n"
        "dir/p.idsl:1:8: note: only this is declared\n"
        "    1 | double a;\n"
        "      |        ^\n"
        "  hint: declare it\n");
}

TEST_CASE("text: in the order of the source, at most so many errors, all warnings") {
  const SourceFile source("p", "abcdef");
  DiagnosticSink sink;
  sink.Report({5, 6}, kUnused);
  sink.Report({4, 5}, kUnknown, "e");
  sink.Report({3, 4}, kUnknown, "d");
  sink.Report({0, 1}, kUnknown, "a");
  const std::string all = RenderText(source, sink.diagnostics(), 0, false);
  CHECK(all.find("'a'") < all.find("'d'"));
  CHECK(all.find("'d'") < all.find("'e'"));
  CHECK(all.find("'e'") < all.find("never used"));
  CHECK(all.find("not shown") == std::string::npos);

  const std::string two = RenderText(source, sink.diagnostics(), 2, false);
  CHECK(two.find("'d'") != std::string::npos);
  CHECK(two.find("'e'") == std::string::npos);
  CHECK(two.find("never used") != std::string::npos);
  CHECK(two.find("1 more error not shown") != std::string::npos);
  CHECK(RenderText(source, sink.diagnostics(), 3, false).find("not shown") == std::string::npos);
}

TEST_CASE("text: colour adds escapes and nothing else") {
  const SourceFile source("p", "abc");
  DiagnosticSink sink;
  sink.Report({1, 2}, kUnknown, "b").Note({0, 1}, "n").Hint("h");
  const std::string colored = RenderText(source, sink.diagnostics(), 0, true);
  std::string stripped;
  for (std::size_t at = 0; at < colored.size(); ++at) {
    if (colored[at] == '\x1b') {
      at = colored.find('m', at);
    } else {
      stripped.push_back(colored[at]);
    }
  }
  CHECK(stripped == RenderText(source, sink.diagnostics(), 0, false));
  CHECK(colored != stripped);
}

TEST_CASE("json holds everything and is UTF-8 whatever the source is") {
  const SourceFile source("p\xFF.idsl", "double a;\ncopyin b;\n");
  DiagnosticSink sink;
  sink.Report({10, 18}, kUnknown, "\xFF\"quoted\"").Note({0, 6}, "note").Hint("hint");
  sink.Report({0, 1}, kUnused);
  const std::string text = RenderJson(source, sink.diagnostics());
  const nlohmann::json root = nlohmann::json::parse(text);
  REQUIRE(root["diagnostics"].size() == 2);
  CHECK(root["diagnostics"][0]["severity"] == "warning");
  CHECK(root["diagnostics"][0]["hint"] == "");
  const auto& error = root["diagnostics"][1];
  CHECK(error["severity"] == "error");
  CHECK(error["id"] == "unknown-thing");
  CHECK(error["message"] == "'\xEF\xBF\xBD\"quoted\"' is unknown");
  CHECK(error["line"] == 2);
  CHECK(error["column"] == 1);
  CHECK(error["end_line"] == 2);
  CHECK(error["end_column"] == 9);
  CHECK(error["hint"] == "hint");
  REQUIRE(error["notes"].size() == 1);
  CHECK(error["notes"][0]["message"] == "note");
  CHECK(error["notes"][0]["line"] == 1);
  CHECK(error["notes"][0]["end_column"] == 7);
  const std::string rendered = error["rendered"];
  CHECK(rendered.find(" is unknown [unknown-thing]\n") != std::string::npos);
  CHECK(rendered.find("note: note\n") != std::string::npos);
}

TEST_CASE("json of nothing") {
  const nlohmann::json root = nlohmann::json::parse(RenderJson(SourceFile("p", ""), {}));
  CHECK(root["diagnostics"].empty());
}

TEST_CASE("the nearest name") {
  const std::vector<std::string> names = {"copyin", "copyout", "constant", "u"};
  CHECK(NearestName("copyn", names) == "copyin");
  CHECK(NearestName("copuot", names) == "copyout");
  CHECK(NearestName("cnstant", names) == "constant");
  CHECK(NearestName("v", names).empty());  // as near to any other letter
  CHECK(NearestName("uu", names) == "u");
  CHECK(NearestName("iterate", names).empty());
  CHECK(NearestName("copyin", {"copyin"}).empty());
  CHECK(NearestName("", names).empty());
  CHECK(NearestName(std::string(100000, 'c'), names).empty());
}

}  // namespace
}  // namespace stencilgen
