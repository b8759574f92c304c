#include <string>
#include <vector>

#include "ast/print.h"
#include "support/catch.h"
#include "support/parse_text.h"

namespace stencilgen {
namespace {

using testing::Parsed;

ast::Program ParseOk(const std::string& text) {
  Parsed parsed(text);
  INFO(text << "\n" << parsed.Messages());
  REQUIRE(parsed.program);
  CHECK(parsed.sink.diagnostics().empty());
  return std::move(*parsed.program);
}

std::vector<std::string> Texts(const std::vector<ast::Name>& names) {
  std::vector<std::string> texts;
  for (const ast::Name& name : names) texts.push_back(name.text);
  return texts;
}

using Strings = std::vector<std::string>;

TEST_CASE("an empty file is an empty program") {
  for (const std::string text : {"", "\n", "// only this", "/* and */ // that\n", "\xEF\xBB\xBF"}) {
    const ast::Program program = ParseOk(text);
    CHECK(program.stencils.empty());
    CHECK(program.calls.empty());
    CHECK(ast::Print(program).empty());
  }
}

TEST_CASE("sections, in any order and several times") {
  const ast::Program program = ParseOk(
      "copyout b; parameter M=4, N; iterator j; copyin a; iterator i; parameter K = 2*M;"
      "constant c; coefficient d; allocin e, f; float a[M,N], s; int b[M][N][K];");
  REQUIRE(program.parameters.size() == 3);
  CHECK(program.parameters[0].name.text == "M");
  CHECK(ast::PrintExpr(program, *program.parameters[0].value) == "4");
  CHECK_FALSE(program.parameters[1].value);
  CHECK(ast::PrintExpr(program, *program.parameters[2].value) == "2 * M");
  CHECK(Texts(program.iterators) == Strings{"j", "i"});
  REQUIRE(program.lists.size() == 5);
  CHECK(program.lists[0].kind == ast::ListKind::CopyOut);
  CHECK(program.lists[1].kind == ast::ListKind::CopyIn);
  CHECK(program.lists[2].kind == ast::ListKind::Constant);
  CHECK(program.lists[3].kind == ast::ListKind::Coefficient);
  CHECK(program.lists[4].kind == ast::ListKind::AllocIn);
  CHECK(Texts(program.lists[4].names) == Strings{"e", "f"});
  REQUIRE(program.declarations.size() == 2);
  CHECK(program.declarations[0].type == ScalarType::Float);
  CHECK(program.declarations[0].declarators[0].extents.size() == 2);
  CHECK(program.declarations[0].declarators[1].extents.empty());
  CHECK(program.declarations[1].declarators[0].extents.size() == 3);
}

TEST_CASE("trailing commas and stray semicolons") {
  const ast::Program program = ParseOk(
      "parameter M,; iterator i,; double a[M], b,; copyin a, b,;; unroll i=2,;"
      "stencil s (A) { double c, d,; shmem c,; ; A[i] = 1;; } ; s (a);; copyout a,;");
  CHECK(program.parameters.size() == 1);
  CHECK(program.iterators.size() == 1);
  CHECK(program.declarations[0].declarators.size() == 2);
  CHECK(program.stencils[0].items.size() == 3);
  CHECK(program.calls.size() == 1);
}

TEST_CASE("domains in every spelling") {
  const std::string body = " : B[j][i] = 1; }";
  for (const std::string domain : {"[0:3][1:M-2]", "[0:3,1:M-2]", "[0..3][1..M-2]", "[0..3,1..M-2]",
                                   "[ 0 .. 3 ][1: M-2]", "[0 ..3, 1: M -2]", "[0: 3][1 ..M-2]"}) {
    const ast::Program program = ParseOk("stencil s (B) { " + domain + body);
    const auto& assignment = std::get<ast::Assignment>(program.stencils[0].items[0]);
    REQUIRE(assignment.domain);
    const auto& ranges = assignment.domain->ranges;
    REQUIRE(ranges.size() == 2);
    CHECK(ast::PrintExpr(program, ranges[0].lo) == "0");
    CHECK(ast::PrintExpr(program, ranges[0].hi) == "3");
    CHECK(ast::PrintExpr(program, ranges[1].lo) == "1");
    CHECK(ast::PrintExpr(program, ranges[1].hi) == "M - 2");
  }
  const ast::Program mixed = ParseOk("[M-1..5] : s (a);");
  const auto& range = std::get<ast::StencilCall>(mixed.calls[0]).domain->ranges.at(0);
  CHECK(ast::PrintExpr(mixed, range.lo) == "M - 1");
  CHECK(ast::PrintExpr(mixed, range.hi) == "5");
}

TEST_CASE("stencils: formals, declarations, placements and statements in any order") {
  const ast::Program program = ParseOk(
      "function f (A, inout:B, inout : C) { B[i] += A[i]; shmem A, B; double t = 2*3, u[4];"
      "gmem C; no-shmem A; unroll i=2; [1:2] : g (A, B); C[i] = t; } stencil g () {}");
  const ast::Stencil& stencil = program.stencils.at(0);
  CHECK(stencil.name.text == "f");
  REQUIRE(stencil.formals.size() == 3);
  CHECK_FALSE(stencil.formals[0].inout);
  CHECK(stencil.formals[1].inout);
  CHECK(stencil.formals[2].name.text == "C");
  REQUIRE(stencil.items.size() == 8);
  CHECK(std::get<ast::Assignment>(stencil.items[0]).op == AssignOp::Add);
  CHECK(std::get<ast::Placement>(stencil.items[1]).kind == ast::PlacementKind::SharedMemory);
  const auto& declaration = std::get<ast::Declaration>(stencil.items[2]);
  CHECK(ast::PrintExpr(program, *declaration.declarators[0].init) == "2 * 3");
  CHECK(declaration.declarators[1].extents.size() == 1);
  CHECK(std::get<ast::Placement>(stencil.items[3]).kind == ast::PlacementKind::GlobalMemory);
  CHECK(std::get<ast::Placement>(stencil.items[4]).kind == ast::PlacementKind::NoSharedMemory);
  CHECK(std::get<ast::UnrollSpec>(stencil.items[5]).factors.size() == 1);
  CHECK(std::get<ast::StencilCall>(stencil.items[6]).stencil.text == "g");
  CHECK(program.stencils.at(1).formals.empty());
}

TEST_CASE("assignment operators") {
  const ast::Program program =
      ParseOk("stencil s (a) { a = 1; a += 1; a -= 1; a *= 1; a /= 1; a &= 1; a |= 1; }");
  const std::vector<AssignOp> expected = {AssignOp::Assign, AssignOp::Add, AssignOp::Sub,
                                          AssignOp::Mul,    AssignOp::Div, AssignOp::And,
                                          AssignOp::Or};
  REQUIRE(program.stencils[0].items.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::get<ast::Assignment>(program.stencils[0].items[i]).op == expected[i]);
  }
}

TEST_CASE("iterate names its turn") {
  const ast::Program program =
      ParseOk("iterate t : 100 { iterate s : (T) { } } iterate swap : [T-1] { } iterate T { }");
  const std::vector<ast::CallItem>& calls = program.calls;
  REQUIRE(calls.size() == 3);
  const auto& outer = std::get<ast::Iterate>(calls[0]);
  REQUIRE(outer.turn);
  CHECK(outer.turn->text == "t");
  CHECK(outer.turn->span == Span{8, 9});
  CHECK(std::get<ast::Iterate>(outer.body[0]).turn->text == "s");
  const auto& last = std::get<ast::Iterate>(calls[1]);
  CHECK(last.turn->text == "swap");
  CHECK(ast::PrintExpr(program, last.count) == "T - 1");
  CHECK_FALSE(std::get<ast::Iterate>(calls[2]).turn);
}

TEST_CASE("iterate in its four forms, nested, and swap") {
  const ast::Program program = ParseOk(
      "iterate 100 { s (a); iterate T { swap a, b; } } iterate (T) {} iterate [T] { s (2, -x); }");
  REQUIRE(program.calls.size() == 3);
  const auto& outer = std::get<ast::Iterate>(program.calls[0]);
  CHECK(ast::PrintExpr(program, outer.count) == "100");
  REQUIRE(outer.body.size() == 2);
  const auto& inner = std::get<ast::Iterate>(outer.body[1]);
  CHECK(ast::PrintExpr(program, inner.count) == "T");
  const auto& swap = std::get<ast::Swap>(inner.body.at(0));
  CHECK(swap.first.text == "a");
  CHECK(swap.second.text == "b");
  for (const std::size_t i : {1, 2}) {
    CHECK(ast::PrintExpr(program, std::get<ast::Iterate>(program.calls[i]).count) == "T");
  }
  CHECK(std::get<ast::StencilCall>(std::get<ast::Iterate>(program.calls[2]).body.at(0))
            .actuals.size() == 2);
}

TEST_CASE("boundary modes") {
  const ast::Program program = ParseOk(
      "boundary u = clamp, v = constant(0.5); boundary w = [wrap, mirror, constant(-1)], x = "
      "[wrap];");
  REQUIRE(program.boundaries.size() == 4);
  CHECK(program.boundaries[0].modes.at(0).kind == ast::BoundaryKind::Clamp);
  CHECK_FALSE(program.boundaries[0].per_dimension);
  CHECK(ast::PrintExpr(program, *program.boundaries[1].modes.at(0).value) == "0.5");
  CHECK(program.boundaries[2].per_dimension);
  REQUIRE(program.boundaries[2].modes.size() == 3);
  CHECK(program.boundaries[2].modes[1].kind == ast::BoundaryKind::Mirror);
  CHECK(ast::PrintExpr(program, *program.boundaries[2].modes[2].value) == "-1");
  CHECK(program.boundaries[3].per_dimension);
}

TEST_CASE("periodic is another word for wrap") {
  const ast::Program program = ParseOk("boundary u = periodic, v = [periodic, clamp];");
  REQUIRE(program.boundaries.size() == 2);
  CHECK(program.boundaries[0].modes.at(0).kind == ast::BoundaryKind::Wrap);
  REQUIRE(program.boundaries[1].modes.size() == 2);
  CHECK(program.boundaries[1].modes[0].kind == ast::BoundaryKind::Wrap);
  CHECK(program.boundaries[1].modes[1].kind == ast::BoundaryKind::Clamp);
}

TEST_CASE("words of the extensions stay names") {
  const ast::Program program = ParseOk(
      "double boundary[4], clamp, wrap, inout, swap, unroll, no; stencil boundary (mirror) {"
      "swap = boundary[i] + clamp; unroll (swap); } boundary (swap); boundary boundary = wrap;"
      "swap swap, swap; unroll swap=2; [0:1] : boundary (swap);");
  CHECK(program.stencils.at(0).name.text == "boundary");
  CHECK(program.calls.size() == 3);
  CHECK(program.boundaries.at(0).array.text == "boundary");
  CHECK(program.unrolls.at(0).factors.at(0).iterator.text == "swap");
}

TEST_CASE("line endings, tabs, comments and a byte order mark") {
  const std::string text =
      "parameter N=4;\niterator i;\n// note \xC3\xA9\n\tdouble a[N];\n/* two\nlines \xFF */copyin "
      "a;";
  const std::string expected = ast::Print(ParseOk(text));
  std::string crlf, cr;
  for (const char c : text) {
    crlf.append(c == '\n' ? "\r\n" : std::string(1, c));
    cr.push_back(c == '\n' ? '\r' : c);
  }
  CHECK(ast::Print(ParseOk(crlf)) == expected);
  CHECK(ast::Print(ParseOk(cr)) == expected);
  CHECK(ast::Print(ParseOk("\xEF\xBB\xBF" + text)) == expected);
  CHECK(ast::Print(ParseOk(text + "\n")) == expected);
}

TEST_CASE("names carry their places") {
  const ast::Program program = ParseOk("\xEF\xBB\xBF/* \xC3\xA9 */ parameter Size;");
  CHECK(program.parameters[0].name.span == Span{22, 26});
}

}  // namespace
}  // namespace stencilgen
