#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/idsl_files.h"
#include "support/parse_text.h"

namespace stencilgen {
namespace {

using testing::Parsed;

/// The only diagnostic of a text, as `line:column message [id]`, with its hint in parentheses.
std::string OnlyError(const std::string& text) {
  const Parsed parsed(text);
  INFO(text << "\n" << parsed.Messages());
  CHECK_FALSE(parsed.program);
  REQUIRE(parsed.sink.diagnostics().size() == 1);
  const Diagnostic& d = parsed.sink.diagnostics()[0];
  CHECK(d.severity == Severity::Error);
  const LineColumn place = parsed.source.Locate(d.span.begin);
  const std::string hint = d.hint.empty() ? "" : fmt::format(" ({})", d.hint);
  return fmt::format("{}:{} {} [{}]{}", place.line, place.column, d.message, d.id, hint);
}

std::string InBody(const std::string& statement) {
  return OnlyError("stencil s (A) {\n  " + statement + "\n}\n");
}

TEST_CASE("a missing semicolon is reported where it belongs") {
  CHECK(InBody("A[i] = 1\n  A[i] = 2;") == "2:11 expected ';' after the statement [syntax-error]");
  CHECK(InBody("A[i] = 1   // one\n") == "2:11 expected ';' after the statement [syntax-error]");
  CHECK(InBody("double c = 1.0\n  A[i] = c;") ==
        "2:17 expected ';' after the declaration [syntax-error]");
  CHECK(OnlyError("copyin a\ncopyout b;") == "1:9 expected ';' after the section [syntax-error]");
  CHECK(OnlyError("swap a, b\nswap b, c;") == "1:10 expected ';' after 'swap' [syntax-error]");
  CHECK(OnlyError("s (a)") == "1:6 expected ';' after the statement [syntax-error]");
}

TEST_CASE("after a missing semicolon the next statement is still read") {
  const Parsed parsed("stencil s (A) {\n  A[i] = 1\n  A[i] = ;\n  A[i] = 2\n}\n");
  CHECK(parsed.sink.diagnostics().size() == 3);
}

TEST_CASE("missing and stray brackets") {
  CHECK(InBody("A[i = 1;") == "2:7 expected ']' after 'i', found '=' [syntax-error]");
  CHECK(InBody("A[i] = (1 + 2;") == "2:16 expected ')' after '2', found ';' [syntax-error]");
  CHECK(InBody("A[i] = max(1, 2;") ==
        "2:18 expected ',' or ')' after '2', found ';' [syntax-error]");
  CHECK(InBody("A[i] = 1);") == "2:11 ')' closes no bracket [syntax-error]");
  CHECK(OnlyError("copyin a;\n}\ncopyout b;") == "2:1 this '}' closes nothing [syntax-error]");
}

TEST_CASE("an unclosed bracket is named in a note") {
  const Parsed parsed("stencil s (A) {\n  A[i] = 2*(A[i] + [1;\n}\n");
  REQUIRE(parsed.sink.ErrorCount() == 1);
  const Parsed brace("stencil s (A) {\n  A[i] = 2;\ncopyout a;\n");
  REQUIRE(brace.sink.ErrorCount() == 1);
  const Diagnostic& d = brace.sink.diagnostics()[0];
  CHECK(d.message == "expected '}' to close the body of the stencil before the keyword 'copyout'");
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].message == "the brace opened here");
  CHECK(d.notes[0].span == Span{14, 15});
}

TEST_CASE("what is missing is said in words of the language") {
  CHECK(InBody("A[i] = ;") == "2:10 expected an expression after '=', found ';' [syntax-error]");
  CHECK(InBody("A[i] = 2 A[i];") == "2:12 expected an operator or ';' before 'A' [syntax-error]");
  CHECK(InBody("A[i];") == "2:7 expected '=' after ']', found ';' [syntax-error]");
  CHECK(InBody("[1:2] A[i] = 1;") == "2:9 expected ':' after ']', found 'A' [syntax-error]");
  CHECK(InBody("[1] : A[i] = 1;") ==
        "2:5 expected ':' or '..' after '1', found ']' [syntax-error]");
  CHECK(OnlyError("copyin ;") == "1:8 expected a name after 'copyin', found ';' [syntax-error]");
  CHECK(OnlyError("copyin a b;") == "1:10 expected ',' or ';' before 'b' [syntax-error]");
  CHECK(OnlyError("42;") ==
        "1:1 expected a section, a stencil or a call, found '42' [syntax-error]");
  CHECK(OnlyError("iterate 3 s (a);") == "1:11 expected '{' after '3', found 's' [syntax-error]");
  CHECK(OnlyError("unroll j;") == "1:9 expected '=' after 'j', found ';' [syntax-error]");
  CHECK(OnlyError("stencil s {}") == "1:11 expected '(' after 's', found '{' [syntax-error]");
  CHECK(OnlyError("parameter M=1,") ==
        "1:15 expected a name after ',', found the end of the file [syntax-error]");
}

TEST_CASE("common mistakes have their own messages") {
  CHECK(InBody("A[i] = A[i]**2;") ==
        "2:14 there is no operator '**' [syntax-error] (write 'a^b' or 'pow(a, b)' for a power)");
  CHECK(InBody("A[i] == 1;") ==
        "2:8 '==' compares and does not assign [syntax-error] (write '=' to assign)");
  CHECK(InBody("A[i] = a = 1;") ==
        "2:12 '=' cannot stand inside an expression [syntax-error] ('==' compares; a chain of "
        "assignments is written as several statements)");
  CHECK(InBody("A[i]++;") == "2:7 there is no operator '++' [syntax-error] (write '+= 1')");
  CHECK(InBody("A[i] %= 2;") ==
        "2:8 there is no operator '%=' [syntax-error] (the assignments are = += -= *= /= &= |=)");
  CHECK(InBody("A(i) = 2;") ==
        "2:8 only a name or an array element can be assigned [syntax-error] (indices are written "
        "in brackets: A[j][i])");
  CHECK(InBody("for (i = 0; i < n; i++) { A[i] = 1; }") ==
        "2:3 'for' is not part of the language [syntax-error] (a statement runs over its whole "
        "domain by itself, and 'iterate 100 { ... }' repeats calls)");
  CHECK(InBody("uint32 c[N];") ==
        "2:3 'uint32' starts neither a declaration nor a statement [syntax-error] (did you mean "
        "'uint8'?)");
  CHECK(InBody("real c = 1;") ==
        "2:3 'real' is not part of the language [syntax-error] (the types are double, float, int, "
        "bool and complex; arrays may also be half, bfloat16, int8, uint8, int16 and uint16)");
  CHECK(OnlyError("#include <math.h>\ncopyin a;") ==
        "1:1 there are no preprocessor lines in this language [syntax-error] (sizes are declared "
        "with 'parameter', comments start with '//')");
  CHECK(OnlyError("stencil s (double A) { A[i] = 1; }") ==
        "1:12 a formal is only a name [syntax-error] (its type and shape come from the actual)");
}

TEST_CASE("misspelt words") {
  CHECK(OnlyError("copyn in;") ==
        "1:1 'copyn' starts neither a section nor a call [syntax-error] (did you mean 'copyin'?)");
  CHECK(OnlyError("stencill foo (A) { A[i] = 1; }") ==
        "1:1 'stencill' starts neither a section nor a call [syntax-error] (did you mean "
        "'stencil'?)");
  CHECK(InBody("shmen A;") ==
        "2:3 'shmen' starts neither a declaration nor a statement [syntax-error] (did you mean "
        "'shmem'?)");
  CHECK(OnlyError("boundary u = clam;") ==
        "1:14 'clam' is not a boundary mode [unknown-boundary-mode] (did you mean 'clamp'?)");
}

TEST_CASE("keywords are no names, and stand where they belong") {
  CHECK(InBody("double float = 1;") ==
        "2:10 'float' is a keyword and cannot be a name [syntax-error] (choose another name)");
  CHECK(OnlyError("stencil double (A) { A[i] = 1; }") ==
        "1:9 'double' is a keyword and cannot be a name [syntax-error] (choose another name)");
  CHECK(InBody("copyin A;") ==
        "2:3 'copyin' cannot stand inside a stencil [syntax-error] (move it out of the braces)");
  CHECK(OnlyError("shmem a;") == "1:1 'shmem' belongs in the body of a stencil [syntax-error]");
}

TEST_CASE("literals that do not fit") {
  CHECK(InBody("A[i] = 9223372036854775808;").find("[literal-overflow]") != std::string::npos);
  CHECK(InBody("A[i] = 1e309;").find("[literal-overflow]") != std::string::npos);
  CHECK(InBody("A[i] = 3.5e38f;").find("[literal-overflow]") != std::string::npos);
  CHECK(Parsed(testing::ProgramWith("3.4e38f + 1.7e308")).program);
}

TEST_CASE("files that are not in UTF-8") {
  const std::string wrong =
      "1:1 the file is in UTF-16, not in UTF-8 [wrong-encoding] "
      "(save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8)";
  CHECK(OnlyError("\xFF\xFE" + std::string("c\0o\0p\0y\0", 8)) == wrong);
  CHECK(OnlyError("\xFE\xFF" + std::string("\0c\0o\0p\0y", 8)) == wrong);
  CHECK(OnlyError(std::string("c\0o\0p\0y\0", 8)) == wrong);
  CHECK(OnlyError(std::string("\0c\0o\0p\0y", 8)) == wrong);
  // A byte order mark of UTF-8 is none of those, and two zeros are binary.
  CHECK(Parsed("\xEF\xBB\xBF" + testing::ProgramWith("1.0")).program);
  CHECK(OnlyError(std::string("\0\0", 2)) ==
        "1:1 the byte 0x00 cannot be part of a program [invalid-character]");
}

TEST_CASE("a named turn") {
  CHECK(OnlyError("iterate t = T { f (A); }") ==
        "1:11 the name of the turn is followed by ':' [syntax-error] "
        "('iterate t : 100 { ... }')");
}

TEST_CASE("characters that cannot be") {
  CHECK(InBody("A[i] = \xCE\xB1*2;") ==
        "2:10 the character '\xCE\xB1' (U+03B1) cannot be part of a program [invalid-character] "
        "(names are made of letters a-z, A-Z, digits and '_')");
  CHECK(InBody("A[i] = 1 \xE2\x88\x92 2;") ==
        "2:12 the character '\xE2\x88\x92' (U+2212) cannot be part of a program "
        "[invalid-character] (write '-')");
  CHECK(InBody(std::string("A[i] = \0\0 1;", 12)) ==
        "2:10 the byte 0x00 cannot be part of a program [invalid-character]");
  CHECK(InBody("A[i] = \xFF;") ==
        "2:10 the byte 0xFF cannot be part of a program [invalid-character]");
  CHECK(InBody("A[i] = A.x;") == "2:11 '.' has no meaning here [syntax-error]");
  CHECK(OnlyError("copyin a; /* never\nclosed") ==
        "1:11 this comment is never closed [unterminated-comment] (close it with '*/')");
  CHECK(OnlyError("copyin \"a\";") ==
        "1:8 there is no quoted text in this language [syntax-error]");
}

TEST_CASE("several errors are reported in one run, and fifty at most") {
  const Parsed several(
      "copyin ;\nstencil s (A) {\n  A[i] = ;\n  A[i = 1;\n}\nstencil t {}\ns (a b);\n");
  std::vector<int> lines;
  for (const Diagnostic& d : several.sink.diagnostics()) {
    lines.push_back(several.source.Locate(d.span.begin).line);
  }
  CHECK(lines == std::vector<int>{1, 3, 4, 6, 7});

  std::string many;
  for (int i = 0; i < 1000; ++i) many.append("copyin ;\n");
  CHECK(Parsed(many).sink.ErrorCount() == 50);
}

TEST_CASE("no word of the parser generator reaches the user") {
  const std::vector<std::string> forbidden = {"viable",  "mismatched", "extraneous", "KW_",
                                              "SEMI",    "LBRACE",     "token",      "<EOF>",
                                              "INTEGER", " ID",        "rule",       "null"};
  for (const testing::IdslText& file : testing::IdslFilesIn("tests/bad")) {
    const Parsed parsed(file.text);
    for (const Diagnostic& d : parsed.sink.diagnostics()) {
      INFO(file.name << ": " << d.message);
      CHECK(d.message.find("expected ,") == std::string::npos);
      CHECK(d.message.find("expected  ") == std::string::npos);
      for (const std::string& word : forbidden) CHECK(d.message.find(word) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace stencilgen
