#include <fmt/format.h>

#include "lower/lower_expr.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::lower {
namespace {

using testing::ArrayHandle;
using testing::Ex;
using testing::GraphBuilder;

/// Arrays and scalars read as their names.
class Names : public ExprLeaves {
 public:
  explicit Names(const graph::Graph& graph) : graph_(graph) {}
  kernel::Expr Element(const graph::Access& access, ScalarType type) override {
    return Var(graph_.arrays[graph_.versions[access.version].array].name, type);
  }
  kernel::Expr Let(int let, ScalarType type) override {
    return Var(fmt::format("let{}", let), type);
  }
  kernel::Expr Iterator(int iterator) override {
    return Var(fmt::format("i{}", iterator), ScalarType::Int);
  }
  kernel::Expr Parameter(graph::ParameterId id) override {
    return Var(fmt::format("p{}", id.index), ScalarType::Int);
  }

 private:
  static kernel::Expr Var(const std::string& name, ScalarType type) {
    return kernel::Read(kernel::MakeVar(name, kernel::TypeOf(type)));
  }
  const graph::Graph& graph_;
};

struct Fixture {
  GraphBuilder b{{"i"}};
  Ex x = b.Scalar("x")();
  Ex y = b.Scalar("y")();
  Ex z = b.Scalar("z")();
  Ex f = b.Scalar("f", ScalarType::Float)();
  Ex m = b.Scalar("m", ScalarType::Int)();
  Ex n = b.Scalar("n", ScalarType::Int)();
  Ex p = b.Scalar("p", ScalarType::Bool)();
  Ex q = b.Scalar("q", ScalarType::Bool)();

  std::string Print(Ex expr, bool exact_products = false, bool fast_division = false) {
    Names names(b.graph());
    return kernel::Print(LowerExpr(b.graph(), expr.id, names, exact_products, fast_division));
  }
  Ex Int(std::int64_t value) { return b.Number(static_cast<double>(value), ScalarType::Int); }
};

TEST_CASE_METHOD(Fixture, "parentheses keep the order of evaluation", "[codegen]") {
  CHECK(Print(x - y - z) == "x - y - z");
  CHECK(Print(x - (y - z)) == "x - (y - z)");
  CHECK(Print(x + (y + z)) == "x + (y + z)");
  CHECK(Print((x + y) * z) == "(x + y) * z");
  CHECK(Print(x * (y * z)) == "x * (y * z)");
  CHECK(Print(x / (y / z) - x * y) == "x / (y / z) - x * y");
  CHECK(Print(b.Unary(UnaryOp::Negate, x + y) * z) == "-(x + y) * z");
  CHECK(Print(x - b.Unary(UnaryOp::Negate, b.Unary(UnaryOp::Negate, y))) == "x - -(-y)");
  CHECK(Print(x - b.Number(-2)) == "x - -2.0");
}

TEST_CASE_METHOD(Fixture, "operands that compilers warn about are parenthesised", "[codegen]") {
  const auto less = b.Binary(BinaryOp::Less, x, y);
  CHECK(Print(b.Binary(BinaryOp::Equal, less, p)) == "(x < y) == p");
  CHECK(Print(b.Binary(BinaryOp::Equal, b.Unary(UnaryOp::Not, p), q)) == "(!p) == q");
  CHECK(Print(b.Binary(BinaryOp::Or, b.Binary(BinaryOp::And, p, q), less)) == "(p && q) || x < y");
  CHECK(Print(b.Binary(BinaryOp::And, b.Binary(BinaryOp::And, p, q), less)) == "p && q && x < y");
  CHECK(Print(b.Binary(BinaryOp::BitAnd, m + n, m)) == "(m + n) & m");
  CHECK(Print(b.Binary(BinaryOp::BitOr, b.Binary(BinaryOp::BitAnd, m, n), m)) == "(m & n) | m");
  CHECK(Print(b.Binary(BinaryOp::And, m * n, m)) == "m * n != 0 && m != 0");
  CHECK(Print(b.Unary(UnaryOp::Not, m + n)) == "m + n == 0");
  CHECK(Print(b.Choose(b.Binary(BinaryOp::Or, p, q), x, b.Choose(p, y, z)) + x) ==
        "(p || q ? x : p ? y : z) + x");
}

TEST_CASE_METHOD(Fixture, "integer division is safe unless its divisor surely is", "[codegen]") {
  CHECK(Print(m / Int(3)) == "m / 3");
  CHECK(Print(m / n) == "SafeDivide(m, n)");
  CHECK(Print(m / Int(0)) == "SafeDivide(m, 0)");
  CHECK(Print(m / Int(-1)) == "SafeDivide(m, -1)");
  CHECK(Print(b.Binary(BinaryOp::Mod, m, n + m)) == "SafeModulo(m, n + m)");
  CHECK(Print(b.Binary(BinaryOp::Mod, m, Int(4)) * n) == "m % 4 * n");
  CHECK(Print(x / y) == "x / y");
}

TEST_CASE_METHOD(Fixture, "functions have the name of their type", "[codegen]") {
  CHECK(Print(b.Call(Function::Sqrt, {x})) == "sqrt(x)");
  CHECK(Print(b.Call(Function::Sqrt, {f})) == "sqrtf(f)");
  CHECK(Print(b.Call(Function::Abs, {f})) == "fabsf(f)");
  CHECK(Print(b.Call(Function::Abs, {m})) == "Abs(m)");
  CHECK(Print(b.Call(Function::Min, {m, n})) == "Min(m, n)");
  CHECK(Print(b.Call(Function::Fma, {x, y, z})) == "fma(x, y, z)");
  CHECK(Print(b.Binary(BinaryOp::Power, x, Int(3))) == "IntPower<3>(x)");
  CHECK(Print(b.Binary(BinaryOp::Power, f, f)) == "powf(f, f)");
}

TEST_CASE_METHOD(Fixture, "conversions", "[codegen]") {
  CHECK(Print(b.Convert(Int(2), ScalarType::Double) * x) == "2.0 * x");
  CHECK(Print(b.Convert(m, ScalarType::Float)) == "float(m)");
  CHECK(Print(b.Convert(x, ScalarType::Int)) == "ToInt(x)");
  CHECK(Print(b.Convert(m + n, ScalarType::Bool)) == "m + n != 0");
  CHECK(Print(b.Convert(p, ScalarType::Int)) == "int(p)");
  CHECK(Print(b.Convert(b.Iterator(0), ScalarType::Double)) == "double(i0)");
}

TEST_CASE_METHOD(Fixture, "exact products cannot be contracted", "[codegen]") {
  CHECK(Print(x * y + z, true) == "MulRn(x, y) + z");
  CHECK(Print(x * y * z + x, true) == "MulRn(x * y, z) + x");
  CHECK(Print((x * y + z) * x, true) == "MulRn(MulRn(x, y) + z, x)");
  CHECK(Print(b.Binary(BinaryOp::Power, f, Int(2)), true) == "IntPowerRn<2>(f)");
  CHECK(Print(m * n + m, true) == "m * n + m");
}

TEST_CASE_METHOD(Fixture, "fast divisions are by roots' reciprocals, and of floats", "[codegen]") {
  const auto print = [&](Ex expr) { return Print(expr, false, true); };
  const Ex root = b.Call(Function::Sqrt, {x + y});
  CHECK(print(b.Number(1) / root) == "ReciprocalRoot(x + y)");
  CHECK(print(b.Number(2) / root) == "2.0 * ReciprocalRoot(x + y)");
  CHECK(print((x + y) / root * z) == "(x + y) * ReciprocalRoot(x + y) * z");
  CHECK(print(z / (x / root)) == "z / (x * ReciprocalRoot(x + y))");
  CHECK(print(f / (f + f) * f) == "FastDivide(f, f + f) * f");
  CHECK(print(f / b.Call(Function::Sqrt, {f})) == "f * ReciprocalRoot(f)");
  CHECK(print(x / y) == "x / y");
  CHECK(print(x - x / (y + z)) == "x - x / (y + z)");
  CHECK(print(m / n) == "SafeDivide(m, n)");
  CHECK(print(root) == "sqrt(x + y)");
  CHECK(Print(f / (f + f)) == "f / (f + f)");
}

TEST_CASE_METHOD(Fixture, "sums of a hundred thousand terms need no stack", "[codegen]") {
  Ex sum = x;
  for (int k = 0; k < 100000; ++k) sum = sum + y;
  const std::string text = Print(sum * z);
  CHECK(text.size() == 1 + 100000 * 4 + 6);
  CHECK(text.substr(0, 10) == "(x + y + y");
}

}  // namespace
}  // namespace stencilgen::lower
