#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ast/print.h"
#include "support/ast_equal.h"
#include "support/catch.h"
#include "support/idsl_files.h"
#include "support/parse_text.h"
#include "support/prng.h"

namespace stencilgen {
namespace {

using testing::Parsed;
using testing::Prng;

/// Printing and parsing gives the same tree; printing that gives the same text.
void CheckRoundTrip(const std::string& text) {
  const Parsed first(text);
  INFO(text << "\n" << first.Messages());
  REQUIRE(first.program);
  const std::string printed = ast::Print(*first.program);
  const Parsed second(printed);
  INFO(printed << "\n" << second.Messages());
  REQUIRE(second.program);
  CHECK(testing::SameProgram(*first.program, *second.program));
  CHECK(ast::Print(*second.program) == printed);
}

TEST_CASE("programs survive printing") {
  const std::vector<testing::IdslText> programs = testing::GoodPrograms();
  REQUIRE(programs.size() >= 10);
  for (const testing::IdslText& program : programs) {
    INFO(program.name);
    CheckRoundTrip(program.text);
  }
}

TEST_CASE("the programs of the language reference parse") {
  std::ifstream stream(STENCILGEN_SOURCE_DIR "/grammar/README.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  const std::string open = "```idsl\n";
  int programs = 0;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    const std::size_t end = page.find("```", at);
    REQUIRE(end != std::string::npos);
    CheckRoundTrip(page.substr(at, end - at));
    ++programs;
  }
  CHECK(programs == 13);
}

TEST_CASE("the canonical layout") {
  const Parsed parsed(
      "copyin a;iterator j,i;parameter M=8,N;double a[M,N],b[M][N],s;boundary a=[wrap,clamp];"
      "stencil f(A,inout:B){double c=2;shmem A;[1:M-2,0..N-1]:B[j][i]+=c*(A[j-1][i]+1.)^2;}"
      "iterate (3){f(a,b);swap a,b;}copyout b;unroll j=2;");
  REQUIRE(parsed.program);
  CHECK(ast::Print(*parsed.program) ==
        "parameter M=8, N;\n"
        "iterator j, i;\n"
        "double a[M][N], b[M][N], s;\n"
        "copyin a;\n"
        "boundary a = [wrap, clamp];\n"
        "unroll j=2;\n"
        "\n"
        "stencil f (A, inout:B) {\n"
        "  double c = 2;\n"
        "  shmem A;\n"
        "  [1:M-2][0:N-1] : B[j][i] += c * (A[j-1][i] + 1.0)^2;\n"
        "}\n"
        "\n"
        "iterate 3 {\n"
        "  f (a, b);\n"
        "  swap a, b;\n"
        "}\n"
        "\n"
        "copyout b;\n");
}

TEST_CASE("literals are printed so that they read back") {
  const auto printed = [](const std::string& text) {
    const Parsed parsed(testing::ProgramWith(text));
    REQUIRE(parsed.program);
    return ast::PrintExpr(*parsed.program, testing::ValueOf(*parsed.program));
  };
  CHECK(printed("1.") == "1.0");
  CHECK(printed("1") == "1");
  CHECK(printed("100000000.0") == "100000000.0");
  CHECK(printed(".5f") == "0.5f");
  CHECK(printed("2f") == "2.0f");
  CHECK(printed("1e-20") == "1e-20");
  CHECK(printed("0.1") == "0.1");
  CHECK(printed("0.1000000000000000055511151231257827") == "0.1");
  CHECK(printed("123456789012345678.0") == "1.2345678901234568e+17");
}

/// Random expressions with parentheses where chance puts them.
class RandomExpression {
 public:
  explicit RandomExpression(std::uint64_t seed) : prng_(seed) {}

  std::string Make(int size) {
    if (size <= 1) return Leaf();
    const int left = prng_.Range(1, size - 1);
    switch (prng_.Below(8)) {
      case 0:
        return prng_.Pick(std::vector<std::string>{"-", "+", "!"}) + Part(size - 1);
      case 1: {
        const std::string condition = Part(left);
        const std::string chosen = Part(size / 3 + 1);
        return fmt::format("{} ? {} : {}", condition, chosen, Part(size / 3 + 1));
      }
      case 2: {
        const std::string first = Make(left);
        return fmt::format("max({}, {})", first, Make(size - left));
      }
      default: {
        const std::string lhs = Part(left);
        const std::string& op = prng_.Pick(kOperators);
        return lhs + op + Part(size - left);
      }
    }
  }

 private:
  std::string Part(int size) {
    const std::string text = Make(size);
    return prng_.Percent(35) ? fmt::format("({})", text) : text;
  }
  std::string Leaf() {
    return prng_.Pick(
        std::vector<std::string>{"a", "b", "3", "0.5", "2.5f", "A[i]", "A[j-1][2*i+1]", "1e-9"});
  }

  inline static const std::vector<std::string> kOperators = {
      " + ", " - ", "*",    "/",    " % ",  "^",   " < ", " <= ", " > ",
      ">=",  "==",  " != ", " && ", " || ", " & ", "|",   "^",    "-"};
  Prng prng_;
};

TEST_CASE("random expressions survive printing") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    const int size = static_cast<int>(seed % 40) + 1;
    CheckRoundTrip(testing::ProgramWith(RandomExpression(seed).Make(size)));
  }
}

/// Where each closing bracket of a printed expression is, for parentheses that group.
std::vector<std::pair<std::size_t, std::size_t>> Groups(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') open.push_back(at);
    if (text[at] != ')') continue;
    const bool call = open.back() > 0 && text[open.back() - 1] == 'x';  // of max
    if (!call) groups.emplace_back(open.back(), at);
    open.pop_back();
  }
  return groups;
}

TEST_CASE("no parenthesis is printed that could be left out") {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Parsed parsed(testing::ProgramWith(RandomExpression(seed).Make(12)));
    REQUIRE(parsed.program);
    const ast::ExprId value = testing::ValueOf(*parsed.program);
    const std::string printed = ast::PrintExpr(*parsed.program, value);
    for (const auto& [open, close] : Groups(printed)) {
      std::string without = printed;
      without[open] = without[close] = ' ';
      const Parsed changed(testing::ProgramWith(without));
      INFO(printed << "\n" << without);
      const bool same =
          changed.program && testing::SameExpr(*parsed.program, value, *changed.program,
                                               testing::ValueOf(*changed.program));
      CHECK_FALSE(same);
      ++checked;
    }
  }
  CHECK(checked > 100);
}

}  // namespace
}  // namespace stencilgen
