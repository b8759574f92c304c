#include <cmath>
#include <limits>

#include "graph/interpret.h"
#include "graph/verify.h"
#include "support/catch.h"
#include "support/graph_builder.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::Ex;
using testing::Fixed;
using testing::GraphBuilder;
using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;

InterpretResult Run(GraphBuilder& builder, const ParameterValues& parameters,
                    const std::map<std::string, Values>& inputs,
                    const InterpretOptions& options = {}) {
  const Graph graph = builder.Finish();
  REQUIRE(Verify(graph) == std::vector<std::string>{});
  InterpretResult result = Interpret(graph, parameters, inputs, options);
  return result;
}

/// One expression at every element of a 1D array of `count` ints or other elements.
Values Map(ScalarType type, const Values& x, const std::function<Ex(GraphBuilder&, Ex)>& make,
           ScalarType result_type) {
  GraphBuilder b({"i"});
  const auto count = static_cast<std::int64_t>(SizeOf(x));
  const ArrayHandle in = b.Array("x", {count}, type).CopyIn();
  const ArrayHandle out = b.Array("y", {count}, result_type).CopyOut();
  b.Assign(out, {{0, count - 1}}, make(b, in(0)));
  const InterpretResult result = Run(b, {}, {{"x", x}});
  REQUIRE(result.error.empty());
  return result.outputs.at(0);
}

TEST_CASE("a five-point average of the interior, by hand", "[interpret]") {
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm n = b.Parameter("N");
  const ArrayHandle in = b.Array("in", {m, n}).CopyIn();
  const ArrayHandle out = b.Array("out", {m, n}).CopyOut();
  b.Assign(out, {{1, m - 2}, {1, n - 2}},
           0.5 * (in(-1, 0) + in(0, -1) + in(0, 0) + in(0, 1) + in(1, 0)));
  // 1 2 3 4 / 5 6 7 8 / 9 10 11 12
  const Doubles values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const InterpretResult result = Run(b, {3, 4}, {{"in", values}});
  REQUIRE(result.error.empty());
  // 0.5 * (2+5+6+7+10) = 15 and 0.5 * (3+6+7+8+11) = 17.5
  CHECK(result.outputs.at(0) == Values(Doubles{0, 0, 0, 0, 0, 15, 17.5, 0, 0, 0, 0, 0}));
  CHECK(result.defined.at(0) == Bytes{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("an array smaller than the stencil is left as it was", "[interpret]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  b.Assign(u, {{1, n - 2}}, u(-1) + u(1));
  CHECK(Run(b, {2}, {{"u", Doubles{3, 4}}}).outputs.at(0) == Values(Doubles{3, 4}));
}

TEST_CASE("a statement reads all before it writes any", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {5}).CopyIn().CopyOut();
  b.Assign(u, {{1, 3}}, u(-1) + u(1));
  const auto result = Run(b, {}, {{"u", Doubles{1, 2, 4, 8, 16}}});
  CHECK(result.outputs.at(0) == Values(Doubles{1, 5, 10, 20, 16}));
}

TEST_CASE("accumulation sees the sums before it", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {3}).CopyIn();
  const ArrayHandle s = b.Array("s", {3}).CopyOut();
  b.Assign(s, {{0, 2}}, u(0));
  b.Assign(s, {{0, 2}}, s(0) * s(0));
  b.Assign(s, {{1, 2}}, s(0) + u(-1));
  const auto result = Run(b, {}, {{"u", Doubles{2, 3, 5}}});
  CHECK(result.outputs.at(0) == Values(Doubles{4, 11, 28}));
}

TEST_CASE("boundary modes, near and far", "[interpret]") {
  const auto read = [](Boundary boundary, std::int64_t offset) {
    GraphBuilder b({"i"});
    const ArrayHandle u = b.Array("u", {4}).CopyIn();
    const ArrayHandle out = b.Array("out", {4}).CopyOut();
    b.Assign(out, {{0, 3}}, b.Read(u, {At(0, offset)}, {boundary}));
    return Run(b, {}, {{"u", Doubles{10, 11, 12, 13}}});
  };
  using Kind = BoundaryKind;
  const auto expect = [&](Boundary boundary, std::int64_t offset, const Doubles& values) {
    const InterpretResult result = read(boundary, offset);
    CHECK(result.outputs.at(0) == Values(values));
    CHECK(result.defined.at(0) == Bytes{1, 1, 1, 1});
  };
  expect({Kind::Clamp}, -2, {10, 10, 10, 11});
  expect({Kind::Clamp}, 9, {13, 13, 13, 13});
  expect({Kind::Mirror}, -2, {11, 10, 10, 11});     // -2 -> 1, -1 -> 0
  expect({Kind::Mirror}, 2, {12, 13, 13, 12});      // 4 -> 3, 5 -> 2
  expect({Kind::Mirror}, 7, {10, 10, 11, 12});      // 7 -> 0, 8 -> 0, 9 -> 1
  expect({Kind::Mirror}, -9, {10, 10, 11, 12});     // -9 -> 0 (period 8), -8 -> 0, -7 -> 1
  expect({Kind::Mirror101}, -2, {12, 11, 10, 11});  // -2 -> 2, -1 -> 1
  expect({Kind::Mirror101}, 2, {12, 13, 12, 11});   // 4 -> 2, 5 -> 1
  expect({Kind::Mirror101}, 7, {11, 12, 13, 12});   // 7 -> 1 (period 6), 8 -> 2, 9 -> 3
  expect({Kind::Mirror101}, -7, {11, 10, 11, 12});  // -7 -> 1, -6 -> 0, -5 -> 1, -4 -> 2
  expect({Kind::Wrap}, -1, {13, 10, 11, 12});
  expect({Kind::Wrap}, 6, {12, 13, 10, 11});
  expect({Kind::Wrap}, -5, {13, 10, 11, 12});
  expect({Kind::Constant, 2.5}, 1, {11, 12, 13, 2.5});
  expect({Kind::Constant, 2.5}, -7, {2.5, 2.5, 2.5, 2.5});
}

TEST_CASE("each dimension has its own boundary mode", "[interpret]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {2, 3}, ScalarType::Int).CopyIn();
  const ArrayHandle out = b.Array("out", {2, 3}, ScalarType::Int).CopyOut();
  b.Assign(out, {{0, 1}, {0, 2}},
           b.Read(u, {At(0, -1), At(1, 1)}, {{BoundaryKind::Wrap}, {BoundaryKind::Constant, 9}}));
  // out[j][i] = u[j - 1 wrapped][i + 1]
  const auto result = Run(b, {}, {{"u", Ints{1, 2, 3, 4, 5, 6}}});
  CHECK(result.outputs.at(0) == Values(Ints{5, 6, 9, 2, 3, 9}));
}

TEST_CASE("rows longer than a chunk read across its ends", "[interpret]") {
  constexpr std::int64_t kCount = 1000;
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {kCount}, ScalarType::Int).CopyIn();
  const ArrayHandle out = b.Array("out", {kCount}, ScalarType::Int).CopyOut();
  b.Assign(out, {{0, kCount - 1}},
           b.Read(u, {At(0, -3)}, {{BoundaryKind::Wrap}}) + 2 * b.Iterator(0));
  Ints values(kCount);
  Ints expected(kCount);
  for (int k = 0; k < kCount; ++k) values[static_cast<std::size_t>(k)] = 7 * k + 1;
  for (int k = 0; k < kCount; ++k) {
    expected[static_cast<std::size_t>(k)] = 7 * ((k + 997) % 1000) + 1 + 2 * k;
  }
  CHECK(Run(b, {}, {{"u", values}}).outputs.at(0) == Values(expected));
}

TEST_CASE("transposed, scaled, constant and lower-rank accesses", "[interpret]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {2, 3}).CopyIn();
  const ArrayHandle fine = b.Array("fine", {6}).CopyIn();
  const ArrayHandle turned = b.Array("turned", {3, 2}).CopyOut();
  const ArrayHandle coarse = b.Array("coarse", {3}).CopyOut();
  const ArrayHandle reversed = b.Array("reversed", {2, 3}).CopyOut();
  // turned[i][j] = u[j][i], walked with i innermost: a strided store.
  b.AssignTo(turned, {0, 1}, {{0, 1}, {0, 2}}, {At(1), At(0)}, u(0, 0));
  b.Assign(coarse, {{0, 2}},
           b.Read(fine, {At(1, 1, 2)}) + b.Read(u, {Fixed(LinearForm::Constant(1)), At(1)}));
  b.Assign(reversed, {{0, 1}, {0, 2}}, b.Read(u, {At(0), At(1, 2, -1)}) * b.Read(fine, {At(0, 4)}));
  const auto result =
      Run(b, {}, {{"u", Doubles{1, 2, 3, 4, 5, 6}}, {"fine", Doubles{10, 20, 30, 40, 50, 60}}});
  REQUIRE(result.error.empty());
  CHECK(result.outputs.at(0) == Values(Doubles{1, 4, 2, 5, 3, 6}));
  CHECK(result.outputs.at(1) == Values(Doubles{24, 45, 66}));
  CHECK(result.outputs.at(2) == Values(Doubles{150, 100, 50, 360, 300, 240}));
}

TEST_CASE("scalars, lets and parameters", "[interpret]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle a = b.Scalar("a");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  b.Assign(a, {}, a() + 1.0);
  const Ex scale = b.Let("scale", a() * b.Convert(b.ParameterValue(n), ScalarType::Double));
  const Ex square = b.Let("square", scale * scale);
  b.Assign(u, {{0, n - 1}}, square + u(0));
  // (a + 1) * N = 6, squared 36
  const auto result = Run(b, {3}, {{"u", Doubles{1, 2, 3}}, {"a", Doubles{1}}});
  CHECK(result.outputs.at(0) == Values(Doubles{37, 38, 39}));
}

TEST_CASE("int arithmetic wraps and divides like C, by zero to zero", "[interpret]") {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  const auto map = [](const Ints& x, const std::function<Ex(GraphBuilder&, Ex)>& make) {
    return std::get<Ints>(Map(ScalarType::Int, x, make, ScalarType::Int));
  };
  const auto with = [](BinaryOp op, double right) {
    return [=](GraphBuilder& b, Ex x) { return b.Binary(op, x, b.Number(right, ScalarType::Int)); };
  };
  CHECK(map({kMax, -1}, with(BinaryOp::Add, 1)) == Ints{kMin, 0});
  CHECK(map({kMin, 5}, with(BinaryOp::Sub, 1)) == Ints{kMax, 4});
  CHECK(map({1 << 30, 3}, with(BinaryOp::Mul, 4)) == Ints{0, 12});
  CHECK(map({7, -7, 6}, with(BinaryOp::Div, 2)) == Ints{3, -3, 3});
  CHECK(map({7, -7, 6}, with(BinaryOp::Mod, 4)) == Ints{3, -3, 2});
  CHECK(map({7, kMin}, with(BinaryOp::Div, 0)) == Ints{0, 0});
  CHECK(map({7, kMin}, with(BinaryOp::Mod, 0)) == Ints{0, 0});
  CHECK(map({kMin, 6}, with(BinaryOp::Div, -1)) == Ints{kMin, -6});
  CHECK(map({kMin, 6}, with(BinaryOp::Mod, -1)) == Ints{0, 0});
  CHECK(map({6, 5}, with(BinaryOp::BitAnd, 3)) == Ints{2, 1});
  CHECK(map({6, 5}, with(BinaryOp::BitOr, 3)) == Ints{7, 7});
  CHECK(map({2, -3}, with(BinaryOp::Power, 3)) == Ints{8, -27});
  CHECK(map({2, -3}, with(BinaryOp::Power, 0)) == Ints{1, 1});
  CHECK(map({kMin, -3}, [](GraphBuilder& b, Ex x) { return b.Unary(UnaryOp::Negate, x); }) ==
        Ints{kMin, 3});
  CHECK(map({kMin, -3}, [](GraphBuilder& b, Ex x) { return b.Call(Function::Abs, {x}); }) ==
        Ints{kMin, 3});
  CHECK(map({4, 9}, [](GraphBuilder& b, Ex x) {
          return b.Call(Function::Min, {x, b.Number(5, ScalarType::Int)});
        }) == Ints{4, 5});
}

TEST_CASE("conversions as in C, saturating", "[interpret]") {
  const auto convert = [](ScalarType from, const Values& x, ScalarType to) {
    return Map(
        from, x, [to](GraphBuilder& b, Ex e) { return b.Convert(e, to); }, to);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(convert(ScalarType::Double, Doubles{2.9, -2.9, 1e30, -1e30, nan}, ScalarType::Int) ==
        Values(Ints{2, -2, 2147483647, -2147483647 - 1, 0}));
  CHECK(convert(ScalarType::Float, Floats{2147483648.0F, -2147483648.0F}, ScalarType::Int) ==
        Values(Ints{2147483647, -2147483647 - 1}));
  CHECK(convert(ScalarType::Double, Doubles{0, 0.25, -3, nan}, ScalarType::Bool) ==
        Values(Bytes{0, 1, 1, 1}));
  CHECK(convert(ScalarType::Int, Ints{16777217}, ScalarType::Float) == Values(Floats{16777216.0F}));
}

TEST_CASE("tests, logic and choice", "[interpret]") {
  const auto result = Map(
      ScalarType::Int, Ints{-2, 0, 3, 8},
      [](GraphBuilder& b, Ex x) {
        const auto number = [&](double value) { return b.Number(value, ScalarType::Int); };
        const Ex positive = b.Binary(BinaryOp::Greater, x, number(0));
        const Ex small = b.Binary(BinaryOp::LessEqual, x, number(5));
        const Ex both = b.Binary(BinaryOp::And, positive, small);
        return b.Choose(both, x * x, b.Choose(b.Unary(UnaryOp::Not, positive), number(-1), x));
      },
      ScalarType::Int);
  CHECK(result == Values(Ints{-1, -1, 9, 8}));
}

TEST_CASE("float is computed in float, and in double on demand", "[interpret]") {
  const float tenth = 0.1F;
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {1}, ScalarType::Float).CopyIn();
  const ArrayHandle out = b.Array("out", {1}, ScalarType::Float).CopyOut();
  b.Assign(out, {{0, 0}}, 0.1 * u(0) + u(0));
  const std::map<std::string, Values> inputs = {{"u", Floats{1.0F / 3.0F}}};
  const float third = 1.0F / 3.0F;
  const float product = tenth * third;  // rounded before the sum
  const Graph graph = b.Finish();
  CHECK(Interpret(graph, {}, inputs).outputs.at(0) == Values(Floats{product + third}));
  CHECK(Interpret(graph, {}, inputs, {.precision = Precision::Double}).outputs.at(0) ==
        Values(Doubles{0.1 * static_cast<double>(third) + static_cast<double>(third)}));
}

TEST_CASE("a sum rounds its product first, on either side", "[interpret]") {
  // (1 + e)^2 = 1 + 2e + e^2, of which the last term is lost by rounding.
  const double e = std::ldexp(1.0, -30);
  const double x = 1 + e;
  const auto square_and = [&](const std::function<Ex(Ex, Ex)>& sum) {
    GraphBuilder b({"i"});
    const ArrayHandle u = b.Array("u", {3}).CopyIn();
    const ArrayHandle v = b.Array("v", {3}).CopyIn();
    const ArrayHandle out = b.Array("out", {3}).CopyOut();
    b.Assign(out, {{0, 2}}, sum(u(0) * u(0), v(0)));
    const double rounded = 1 + 2 * e;
    return Run(b, {}, {{"u", Doubles(3, x)}, {"v", Doubles{rounded, 0, 1}}}).outputs.at(0);
  };
  CHECK(square_and([](Ex a, Ex b) { return a - b; }) == Values(Doubles{0, 1 + 2 * e, 2 * e}));
  CHECK(square_and([](Ex a, Ex b) { return b - a; }) == Values(Doubles{0, -1 - 2 * e, -2 * e}));
  CHECK(square_and([](Ex a, Ex b) { return a + b; }) ==
        Values(Doubles{2 + 4 * e, 1 + 2 * e, 2 + 2 * e}));
  CHECK(square_and([](Ex a, Ex b) { return b + a; }) ==
        Values(Doubles{2 + 4 * e, 1 + 2 * e, 2 + 2 * e}));
  CHECK(square_and([](Ex a, Ex b) { return a - b * b; }) ==
        Values(Doubles{1 + 2 * e - (1 + 2 * e) * (1 + 2 * e), 1 + 2 * e, 2 * e}));
}

TEST_CASE("an array that is copied out but not in keeps values that are given", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {4}).CopyIn();
  const ArrayHandle out = b.Array("out", {4}).CopyOut();
  b.Assign(out, {{1, 2}}, u(0));
  const Graph graph = b.Finish();
  const Values in = Doubles{1, 2, 3, 4};
  const InterpretResult given = Interpret(graph, {}, {{"u", in}, {"out", Doubles{5, 6, 7, 8}}});
  CHECK(given.outputs.at(0) == Values(Doubles{5, 2, 3, 8}));
  CHECK(given.defined.at(0) == Bytes{1, 1, 1, 1});
  CHECK(Interpret(graph, {}, {{"u", in}}).defined.at(0) == Bytes{0, 1, 1, 0});
}

TEST_CASE("progress goes up to one", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {4}).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {4}).CopyIn().CopyOut();
  b.Repeat(LinearForm::Constant(3), {u, v}, [&] {
    b.Assign(v, {{1, 2}}, u(0));
    b.Swap(u, v);
  });
  b.Assign(u, {{0, 1}}, v(0));
  std::vector<double> done;
  const std::map<std::string, Values> inputs = {{"u", Doubles(4)}, {"v", Doubles(4)}};
  Run(b, {}, inputs, {.progress = [&](double part) { done.push_back(part); }});
  CHECK(done == std::vector<double>{0.25, 0.5, 0.75, 1});
}

TEST_CASE("functions have the type of their arguments", "[interpret]") {
  const auto map = [](Function function, float x) {
    const auto make = [&](GraphBuilder& b, Ex e) { return b.Call(function, {e}); };
    return std::get<Floats>(Map(ScalarType::Float, Floats{x}, make, ScalarType::Float)).front();
  };
  CHECK(map(Function::Sqrt, 2.0F) == std::sqrt(2.0F));
  CHECK(map(Function::Exp, 0.5F) == std::exp(0.5F));
  CHECK(map(Function::Floor, -1.5F) == -2.0F);
  CHECK(map(Function::Round, 2.5F) == 3.0F);
  CHECK(map(Function::Fabs, -1.5F) == 1.5F);
  const auto fused = Map(
      ScalarType::Double, Doubles{3},
      [](GraphBuilder& b, Ex x) {
        return b.Call(Function::Fma, {x, b.Number(2), b.Number(1)});
      },
      ScalarType::Double);
  CHECK(fused == Values(Doubles{7}));
  const auto maximum = Map(
      ScalarType::Double, Doubles{3, 9},
      [](GraphBuilder& b, Ex x) {
        return b.Call(Function::Max, {x, b.Number(5)});
      },
      ScalarType::Double);
  CHECK(maximum == Values(Doubles{5, 9}));
}

TEST_CASE("powers multiply from the left, else use pow", "[interpret]") {
  const double x = 1.1;
  const auto power = [&](double exponent, ScalarType type) {
    return std::get<Doubles>(Map(
                                 ScalarType::Double, Doubles{x},
                                 [&](GraphBuilder& b, Ex e) {
                                   return b.Binary(BinaryOp::Power, e, b.Number(exponent, type));
                                 },
                                 ScalarType::Double))
        .front();
  };
  CHECK(power(3, ScalarType::Int) == x * x * x);
  CHECK(power(0, ScalarType::Int) == 1.0);
  CHECK(power(2.5, ScalarType::Double) == std::pow(x, 2.5));
}

TEST_CASE("what is read outside in the branch not taken is no harm", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {3}).CopyIn();
  const ArrayHandle out = b.Array("out", {3}).CopyOut();
  const Ex first = b.Binary(BinaryOp::Equal, b.Iterator(0), b.Number(0, ScalarType::Int));
  b.Assign(out, {{0, 2}}, b.Choose(first, b.Number(-1), u(-1)));
  const auto result = Run(b, {}, {{"u", Doubles{1, 2, 3}}});
  CHECK(result.outputs.at(0) == Values(Doubles{-1, 1, 2}));
  CHECK(result.defined.at(0) == Bytes{1, 1, 1});
}

TEST_CASE("what has no value spreads through what reads it", "[interpret]") {
  GraphBuilder b({"i"});
  const ArrayHandle t = b.Array("t", {4});
  const ArrayHandle u = b.Array("u", {4}).CopyIn();
  const ArrayHandle out = b.Array("out", {4}).CopyOut();
  b.Assign(t, {{1, 2}}, u(0));
  b.Assign(out, {{0, 3}}, t(0) + u(0));
  const auto result = Run(b, {}, {{"u", Doubles{1, 2, 3, 4}}});
  CHECK(result.defined.at(0) == Bytes{0, 1, 1, 0});
  CHECK(std::get<Doubles>(result.outputs.at(0))[1] == 4);
}

TEST_CASE("mistaken inputs are errors in words", "[interpret]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  b.Assign(u, {{0, n - 1}}, u(0));
  const Graph graph = b.Finish();
  const auto error = [&](const ParameterValues& parameters,
                         const std::map<std::string, Values>& inputs) {
    return Interpret(graph, parameters, inputs).error;
  };
  CHECK(error({3}, {{"u", Doubles{1, 2, 3}}}).empty());
  CHECK(error({3}, {}) == "no value is given for 'u'");
  CHECK(error({3}, {{"u", Doubles{1}}}) == "'u' has 3 elements, but 1 are given");
  CHECK(error({3}, {{"u", Floats{1, 2, 3}}}) == "the values given for 'u' are not of type double");
  CHECK(error({0}, {{"u", Doubles{}}}) == "parameter 'N' is 0, but must be at least 1");
  CHECK(error({}, {}) == "1 parameters are needed, 0 are given");
  CHECK(error({std::int64_t{1} << 40}, {{"u", Doubles{}}}) ==
        "array 'u' has more than 2147483648 elements");
}

}  // namespace
}  // namespace stencilgen::graph
