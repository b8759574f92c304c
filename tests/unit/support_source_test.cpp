#include <string>

#include "support/catch.h"
#include "support/source.h"
#include "support/source_excerpt.h"
#include "support/utf8.h"

namespace stencilgen {
namespace {

TEST_CASE("lines end with LF, CRLF or CR") {
  const SourceFile source("f", "one\ntwo\r\nthree\rfour");
  REQUIRE(source.LineCount() == 4);
  CHECK(source.Line(1) == "one");
  CHECK(source.Line(2) == "two");
  CHECK(source.Line(3) == "three");
  CHECK(source.Line(4) == "four");
  CHECK(source.LineStart(3) == 9);
}

TEST_CASE("places count from one, in characters") {
  const SourceFile source("f", "a\xC3\xA9 b\nc\n");
  const auto place = [&](std::uint32_t offset) {
    const LineColumn at = source.Locate(offset);
    return std::pair(at.line, at.column);
  };
  CHECK(place(0) == std::pair(1, 1));
  CHECK(place(1) == std::pair(1, 2));
  CHECK(place(3) == std::pair(1, 3));
  CHECK(place(5) == std::pair(1, 5));
  CHECK(place(6) == std::pair(2, 1));
  CHECK(place(8) == std::pair(3, 1));
  CHECK(place(1000) == std::pair(3, 1));
}

TEST_CASE("an empty file has one line") {
  const SourceFile source("f", "");
  CHECK(source.LineCount() == 1);
  CHECK(source.Line(1).empty());
  CHECK(source.Locate(0).column == 1);
}

TEST_CASE("UTF-8") {
  const auto value = [](std::string_view text) {
    const auto decoded = DecodeUtf8(text, 0);
    return decoded ? static_cast<long>(decoded->value) : -1L;
  };
  CHECK(value("A") == 0x41);
  CHECK(value("\xC3\xA9") == 0xE9);
  CHECK(value("\xE2\x88\x92") == 0x2212);
  CHECK(value("\xF0\x9F\x98\x80") == 0x1F600);
  CHECK(DecodeUtf8("x\xC3\xA9", 1)->length == 2);
  for (const std::string_view bad : {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x80\x80",
                                     "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF", "\xE2\x88"}) {
    CHECK(value(bad) == -1);
  }
  CHECK(IsPrintable('a'));
  CHECK_FALSE(IsPrintable(0x1B));
  CHECK_FALSE(IsPrintable(0x202E));
  CHECK(CellWidth('a') == 1);
  CHECK(CellWidth(0x4E2D) == 2);
}

SourceExcerpt ExcerptOf(const std::string& text, std::uint32_t begin, std::uint32_t end) {
  return Excerpt(SourceFile("f", text), {begin, end});
}

TEST_CASE("an excerpt marks the span") {
  const SourceExcerpt excerpt = ExcerptOf("first\nlet me see\n", 10, 12);
  CHECK(excerpt.line == "let me see");
  CHECK(excerpt.marks == "    ^~");
}

TEST_CASE("an empty span has a caret, at the end of a line too") {
  CHECK(ExcerptOf("abc\n", 1, 1).marks == " ^");
  CHECK(ExcerptOf("abc\n", 3, 3).marks == "   ^");
  CHECK(ExcerptOf("abc", 3, 3).marks == "   ^");
  CHECK(ExcerptOf("", 0, 0).marks == "^");
  CHECK(ExcerptOf("abc\n", 4, 4).line.empty());
  CHECK(ExcerptOf("abc", 70, 90).marks == "   ^");
}

TEST_CASE("a span over several lines is marked to the end of its first") {
  CHECK(ExcerptOf("ab cd\nef\n", 3, 8).marks == "   ^~");
}

TEST_CASE("tabs are expanded alike above and below") {
  const SourceExcerpt excerpt = ExcerptOf("\ta\tbc", 3, 5);
  CHECK(excerpt.line == "    a   bc");
  CHECK(excerpt.marks == "        ^~");
}

TEST_CASE("what cannot be shown is a question mark") {
  const SourceExcerpt excerpt = ExcerptOf("a\x1b[31m\xFF\xC3\xA9z", 10, 11);
  CHECK(excerpt.line == "a?[31m?\xC3\xA9z");
  CHECK(excerpt.marks == "         ^");
}

TEST_CASE("wide characters take two cells") {
  const SourceExcerpt excerpt = ExcerptOf("\xE4\xB8\xAD x", 4, 5);
  CHECK(excerpt.marks == "   ^");
}

TEST_CASE("a long line is cut to a window around the caret") {
  const std::string text = std::string(5000, 'a') + "HERE" + std::string(5000, 'b');
  const SourceExcerpt excerpt = ExcerptOf(text, 5000, 5004);
  CHECK(excerpt.line.size() <= 110);
  CHECK(excerpt.line.substr(0, 4) == "...a");
  CHECK(excerpt.line.substr(excerpt.line.size() - 4) == "b...");
  const std::size_t caret = excerpt.marks.find('^');
  REQUIRE(caret != std::string::npos);
  CHECK(excerpt.line.substr(caret, 4) == "HERE");
  CHECK(excerpt.marks.substr(caret) == "^~~~");
  CHECK(ExcerptOf(text, 0, 1).line.substr(0, 3) == "aaa");
}

}  // namespace
}  // namespace stencilgen
