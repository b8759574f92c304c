#include <cmath>
#include <limits>

#include "kernel_code_tools.h"
#include "stencilgen/half.hpp"
#include "stencilgen/math.hpp"
#include "support/catch.h"

namespace stencilgen::kernel {
namespace {

using namespace code_tools;  // NOLINT

/// The value of an expression of one argument `x` and one `n`.
template <typename T>
T Evaluate(Type type, const Expr& expr, const Argument& x, const ExecuteArgument& value,
           const ExecuteOptions& options = {}) {
  const VarRef out = Global("out", type);
  const Function function = Host({Out(out), x}, Of(Set(ElementAt(out, Number(0)), expr)));
  CHECK(Problem(function) == "");
  const ScalarType scalar = type == kInt      ? ScalarType::Int
                            : type == kFloat  ? ScalarType::Float
                            : type == kDouble ? ScalarType::Double
                                              : ScalarType::Bool;
  Memory memory = UnsetMemory(scalar, 1);
  const ExecuteResult result = Execute(function, {&memory, value}, options);
  CHECK(result.error == "");
  return std::get<std::vector<T>>(memory.values)[0];
}

std::int32_t EvaluateInt(const Expr& expr, const VarRef& n, std::int64_t value) {
  return Evaluate<std::int32_t>(kInt, expr, {n}, value);
}
double EvaluateDouble(const Expr& expr, const VarRef& x, double value) {
  return Evaluate<double>(kDouble, expr, {x}, value);
}
float EvaluateFloat(const Expr& expr, const VarRef& x, double value) {
  return Evaluate<float>(kFloat, expr, {x}, value);
}

TEST_CASE("int wraps, and divides as the language does") {
  const VarRef n = Value("n", kInt);
  const Expr x = Read(n);
  const auto number = [](std::int64_t value) { return Constant(kInt, value); };
  CHECK(EvaluateInt(Apply(BinaryOp::Add, x, number(1)), n, INT32_MAX) == INT32_MIN);
  CHECK(EvaluateInt(Apply(BinaryOp::Mul, x, x), n, 65537) == 131073);
  CHECK(EvaluateInt(Apply(BinaryOp::Sub, number(-2), x), n, INT32_MAX) == INT32_MAX);
  CHECK(EvaluateInt(Apply(UnaryOp::Negate, x), n, INT32_MIN) == INT32_MIN);
  CHECK(EvaluateInt(Apply(BinaryOp::Div, x, number(2)), n, -7) == -3);
  CHECK(EvaluateInt(Apply(BinaryOp::Mod, x, number(4)), n, -7) == -3);
  CHECK(EvaluateInt(Apply(BinaryOp::BitAnd, x, number(6)), n, 12) == 4);
  CHECK(EvaluateInt(Apply(BinaryOp::BitOr, x, number(6)), n, 12) == 14);
  for (const int each : {0, 1, -1, 7, -7, INT32_MAX, INT32_MIN}) {
    for (const int other : {0, 1, -1, 3, INT32_MIN}) {
      const std::vector<Expr> both = {x, number(other)};
      CHECK(EvaluateInt(Call(Routine::SafeDivide, kInt, both), n, each) == SafeDivide(each, other));
      CHECK(EvaluateInt(Call(Routine::SafeModulo, kInt, both), n, each) == SafeModulo(each, other));
      CHECK(EvaluateInt(Call(stencilgen::Function::Min, kInt, both), n, each) == Min(each, other));
      CHECK(EvaluateInt(Call(stencilgen::Function::Max, kInt, both), n, each) == Max(each, other));
    }
    CHECK(EvaluateInt(Call(stencilgen::Function::Abs, kInt, {x}), n, each) == Abs(each));
    CHECK(EvaluateInt(Call(Routine::IntPower, kInt, {x}, {5}), n, each) == IntPower<5>(each));
    CHECK(EvaluateInt(Call(Routine::IntPower, kInt, {x}, {0}), n, each) == 1);
  }
}

TEST_CASE("positions are moved and tested as generated code does") {
  const VarRef n = Value("n", kIndex);
  const Expr x = Read(n);
  const auto at = [&](Routine routine, std::int64_t value, std::int64_t other) {
    return EvaluateInt(ConvertTo(kInt, Call(routine, kIndex, {x, Constant(kInt, other)})), n,
                       value);
  };
  for (long long each = -9; each <= 9; ++each) {
    CHECK(at(Routine::ClampIndex, each, 4) == ClampIndex(each, 4));
    CHECK(at(Routine::MirrorIndex, each, 4) == MirrorIndex(each, 4));
    CHECK(at(Routine::WrapIndex, each, 4) == WrapIndex(each, 4));
    CHECK(at(Routine::FloorDiv, each, 4) == FloorDiv(each, 4));
    CHECK(at(Routine::CeilDiv, each, 4) == CeilDiv(each, 4));
    const Expr inside = Call(Routine::IsInside, kBool, {x, Number(4)});
    CHECK(EvaluateInt(Choose(inside, Number(1), Number(0)), n, each) == (each >= 0 && each < 4));
    const std::vector<Expr> three = {x, Number(3), Number(-2)};
    CHECK(EvaluateInt(ConvertTo(kInt, Call(Routine::Largest, kIndex, three)), n, each) ==
          std::max<long long>({each, 3, -2}));
    CHECK(EvaluateInt(ConvertTo(kInt, Call(Routine::Least, kIndex, three)), n, each) ==
          std::min<long long>({each, 3, -2}));
  }
  const Expr wide = ConvertTo(kInt, Call(Routine::FloorDiv, kIndex,
                                         {x * Number(1 << 20) * Number(1 << 20), Number(1 << 20)}));
  CHECK(EvaluateInt(wide, n, 1000) == 1000 << 20);
}

TEST_CASE("a position that does not fit int is found where positions are int") {
  const VarRef n = Value("n", kIndex);
  const VarRef out = Global("out", kInt);
  const Function function =
      Host({Out(out), {n}},
           Of(Set(ElementAt(out, Number(0)),
                  Choose(Less(Read(n) * Number(1000), Number(0)), Number(1), Number(0)))));
  Memory memory = UnsetMemory(ScalarType::Int, 1);
  ExecuteOptions options;
  options.short_index = true;
  CHECK(Execute(function, {&memory, std::int64_t{2147483}}, options).error == "");
  CHECK(Execute(function, {&memory, std::int64_t{2147484}}, options).error ==
        "the position 2147484000 does not fit int at `out[0] = n * 1000 < 0 ? 1 : 0;`");
  CHECK(Execute(function, {&memory, std::int64_t{2147484}}).error == "");
}

TEST_CASE("float is computed in float, double in double") {
  const VarRef x = Value("x", kFloat);
  const VarRef y = Value("y", kDouble);
  const Expr third = Constant(kFloat, 1.0F / 3.0F);
  const float value = 1.7F;
  const Expr sum = Apply(BinaryOp::Add, Apply(BinaryOp::Mul, Read(x), third), third);
  CHECK(EvaluateFloat(sum, x, value) == value * (1.0F / 3.0F) + 1.0F / 3.0F);
  CHECK(EvaluateDouble(Apply(BinaryOp::Div, Real(1), Read(y)), y, 3.0) == 1.0 / 3.0);
  CHECK(EvaluateDouble(ConvertTo(kDouble, Apply(BinaryOp::Div, Constant(kFloat, 1.0), third)), y,
                       0) == static_cast<double>(1.0F / (1.0F / 3.0F)));
  CHECK(EvaluateFloat(ConvertTo(kFloat, Real(0.1)), x, 0) == 0.1F);
  CHECK(EvaluateDouble(Call(Routine::MulRn, kDouble, {Read(y), Real(3)}), y, 0.1) == 0.1 * 3);
  CHECK(EvaluateDouble(Call(Routine::IntPower, kDouble, {Read(y)}, {3}), y, 1.1) ==
        IntPower<3>(1.1));
  CHECK(EvaluateFloat(Call(Routine::IntPowerRn, kFloat, {Read(x)}, {7}), x, value) ==
        IntPowerRn<7>(value));
  CHECK(EvaluateFloat(Call(Routine::FastDivide, kFloat, {Read(x), third}), x, value) ==
        value / (1.0F / 3.0F));
  CHECK(EvaluateFloat(Call(Routine::ReciprocalRoot, kFloat, {Read(x)}), x, value) ==
        1.0F / std::sqrt(value));
  CHECK(EvaluateDouble(Call(Routine::ReciprocalRoot, kDouble, {Read(y)}), y, 1.1) ==
        1.0 / std::sqrt(1.1));
}

TEST_CASE("conversions to integers clamp") {
  const VarRef x = Value("x", kDouble);
  const Expr as_int = ConvertTo(kInt, Read(x));
  for (const double each : {0.0, -1.9, 1.9, 3e9, -3e9, 2147483647.5, -2147483648.5,
                            std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(Evaluate<std::int32_t>(kInt, as_int, {x}, each) == ToInt(each));
  }
  const Expr truth = ConvertTo(kBool, Read(x));
  CHECK(Evaluate<std::int32_t>(kInt, Choose(truth, Number(1), Number(0)), {x}, 0.5) == 1);
}

TEST_CASE("every function of the language is that of C") {
  const VarRef x = Value("x", kDouble);
  const VarRef y = Value("y", kFloat);
  using F = stencilgen::Function;
  // Compilers round better than the library where they know the argument.
  volatile double argument = 0.7;
  const double value = argument;
  const auto one = [&](F function) {
    return EvaluateDouble(Call(function, kDouble, {Read(x)}), x, value);
  };
  const auto two = [&](F function) {
    return EvaluateDouble(Call(function, kDouble, {Read(x), Real(1.3)}), x, value);
  };
  CHECK(one(F::Fabs) == std::fabs(value));
  CHECK(one(F::Sqrt) == std::sqrt(value));
  CHECK(one(F::Cbrt) == std::cbrt(value));
  CHECK(one(F::Exp) == std::exp(value));
  CHECK(one(F::Exp2) == std::exp2(value));
  CHECK(one(F::Log) == std::log(value));
  CHECK(one(F::Log2) == std::log2(value));
  CHECK(one(F::Log10) == std::log10(value));
  CHECK(one(F::Sin) == std::sin(value));
  CHECK(one(F::Cos) == std::cos(value));
  CHECK(one(F::Tan) == std::tan(value));
  CHECK(one(F::Asin) == std::asin(value));
  CHECK(one(F::Acos) == std::acos(value));
  CHECK(one(F::Atan) == std::atan(value));
  CHECK(one(F::Sinh) == std::sinh(value));
  CHECK(one(F::Cosh) == std::cosh(value));
  CHECK(one(F::Tanh) == std::tanh(value));
  CHECK(one(F::Floor) == std::floor(value));
  CHECK(one(F::Ceil) == std::ceil(value));
  CHECK(one(F::Round) == std::round(value));
  CHECK(one(F::Trunc) == std::trunc(value));
  CHECK(one(F::Erf) == std::erf(value));
  CHECK(two(F::Min) == value);
  CHECK(two(F::Max) == 1.3);
  CHECK(two(F::Pow) == std::pow(value, 1.3));
  CHECK(two(F::Atan2) == std::atan2(value, 1.3));
  CHECK(two(F::Fmod) == std::fmod(value, 1.3));
  CHECK(two(F::Hypot) == std::hypot(value, 1.3));
  CHECK(EvaluateDouble(Call(F::Fma, kDouble, {Read(x), Read(x), Real(-0.49)}), x, value) ==
        std::fma(value, value, -0.49));
  volatile float small_argument = 0.7F;
  const float small = small_argument;
  CHECK(EvaluateFloat(Call(F::Exp, kFloat, {Read(y)}), y, small) == std::exp(small));
  CHECK(EvaluateFloat(Call(F::Abs, kFloat, {Read(y)}), y, -small) == small);
}

TEST_CASE("only what is chosen is evaluated") {
  const VarRef u = Global("u");
  const VarRef out = Global("out", kInt);
  const VarRef n = Value("n", kInt);
  const Expr inside = Call(Routine::IsInside, kBool, {Read(n), Number(2)});
  const Expr element = ElementAt(u, Read(n));
  const Expr large = Apply(BinaryOp::Greater, element, Real(1));
  const auto run = [&](const Expr& expr, std::int64_t place) {
    const Function function =
        Host({Out(out), In(u), {n}}, Of(Set(ElementAt(out, Number(0)), expr)));
    CHECK(Problem(function) == "");
    Memory memory = UnsetMemory(ScalarType::Int, 1);
    Memory values = Doubles({0.5, 2.0});
    CHECK(Execute(function, {&memory, &values, place}).error == "");
    return std::get<std::vector<std::int32_t>>(memory.values)[0];
  };
  const auto truth = [](const Expr& condition) { return Choose(condition, Number(1), Number(0)); };
  const Expr both = truth(Apply(BinaryOp::And, inside, large));
  CHECK(run(both, 0) == 0);
  CHECK(run(both, 1) == 1);
  CHECK(run(both, 2) == 0);
  CHECK(run(both, -1) == 0);
  const Expr either = truth(Apply(BinaryOp::Or, Apply(UnaryOp::Not, inside), large));
  CHECK(run(either, 0) == 0);
  CHECK(run(either, 1) == 1);
  CHECK(run(either, 5) == 1);
  CHECK(run(truth(Apply(BinaryOp::Less, Choose(inside, element, Real(-3)), Real(0))), 7) == 1);
}

TEST_CASE("a sum of many thousand terms is no deep recursion") {
  const VarRef x = Value("x", kDouble);
  Expr sum = Read(x);
  double expected = 0.1;
  for (int k = 0; k < 100000; ++k) {
    sum = Apply(k % 2 == 0 ? BinaryOp::Add : BinaryOp::Sub, sum, Real(k));
    expected = k % 2 == 0 ? expected + k : expected - k;
  }
  CHECK(EvaluateDouble(sum, x, 0.1) == expected);
}

TEST_CASE("packs compute lane by lane, however many lanes they have") {
  const VarRef u = Global("u");
  const VarRef out = Global("out");
  const VarRef factor = Value("factor", kDouble);
  const VarRef name = Value("Values", kDouble);
  const VarRef width = Value("width");
  const VarRef i = Value("i");
  const Type pack = {Elementary::Double, Width::Pack};
  const Type vector = {Elementary::Double, Width::Vector};
  const VarRef f = Value("f", vector);
  const VarRef a = Value("a", pack);
  const VarRef b = Value("b", pack);
  const VarRef mask = Value("mask", {Elementary::Bool, Width::Pack});
  const auto load = [&](int offset) {
    return Call(Routine::LoadPack, pack, {Read(name), AddressAt(u, Read(i) + Number(offset))});
  };
  using F = stencilgen::Function;
  Block body = Of(
      LetStmt{a, load(0), true}, LetStmt{b, load(1)}, KeepStmt{b},
      LetStmt{mask, Apply(BinaryOp::Less, Read(a), Read(b))},
      Set(Read(a), Call(F::Fma, pack, {Read(f), Read(b), Read(a)})),
      Set(Read(a), Call(Routine::MulSub, pack, {Read(f), Call(F::Sqrt, pack, {Read(b)}), Read(a)})),
      Set(Read(a), Call(Routine::Select, pack,
                        {Apply(BinaryOp::And, Read(mask), Apply(UnaryOp::Not, Read(mask))), Read(b),
                         Apply(UnaryOp::Negate, Read(a))})),
      Set(Read(a),
          Call(F::Min, pack, {Read(a), Call(Routine::AsPack, pack, {Read(name), Read(f)})})),
      StorePackStmt{AddressAt(out, Read(i)), Read(a)});
  ForStmt loop = Loop(i, Number(0), Number(16), body);
  loop.below = true;
  loop.step = Read(width);
  const Function function =
      Host({Out(out), In(u), {factor}},
           Of(PackStmt{name, 0, width},
              LetStmt{f, Call(Routine::Broadcast, vector, {Read(factor)})}, loop));
  CHECK(Problem(function) == "");
  std::vector<double> values;
  for (int k = 0; k < 17; ++k) values.push_back(1 + 0.37 * (k * 7 % 17));
  std::vector<double> expected;
  for (std::size_t k = 0; k < 16; ++k) {
    const double sum = 0.3 * values[k + 1] + values[k];
    expected.push_back(Min(-(sum - 0.3 * std::sqrt(values[k + 1])), 0.3));
  }
  for (const int bytes : {8, 16, 32, 64}) {
    for (const int vectors : {1, 2}) {
      ExecuteOptions options;
      options.vector_bytes = bytes;
      options.pack_vectors = vectors;
      Memory memory = UnsetMemory(ScalarType::Double, 16);
      Memory in = Doubles(values);
      const ExecuteResult result = Execute(function, {&memory, &in, 0.3}, options);
      CHECK(result.error == "");
      CHECK(DoublesOf(memory) == expected);
      CHECK(result.counters.global_loads == 32);
      CHECK(result.counters.global_stores == 16);
    }
  }
}

TEST_CASE("neighbours of packs come from the vectors beside them, and those farther from memory") {
  const VarRef u = Global("u");
  const VarRef out = Global("out");
  const VarRef name = Value("Values", kDouble);
  const Type pack = {Elementary::Double, Width::Pack};
  const VarRef before = Value("before", pack);
  const VarRef here = Value("here", pack);
  const VarRef after = Value("after", pack);
  const auto load = [&](std::int64_t at) {
    return Call(Routine::LoadPack, pack, {Read(name), AddressAt(u, Number(at))});
  };
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (const std::int64_t distance : {-6, -4, -3, -1, 0, 1, 3, 4, 6}) {
    // Registers that hold something else show where values come from.
    const auto beside = [&](std::vector<std::int64_t> constants) {
      return Host(
          {Out(out), In(u)},
          Of(PackStmt{name, 1}, LetStmt{before, load(0)}, LetStmt{here, load(4)},
             LetStmt{after, load(8)},
             StorePackStmt{AddressAt(out, Number(0)),
                           Call(Routine::Beside, pack,
                                {AddressAt(u, Number(6)), Read(before), Read(here), Read(after)},
                                std::move(constants))}));
    };
    const Function function = beside({distance});
    CHECK(Problem(function) == "");
    CHECK(Problem(beside({})).find("neighbours of no vectors") != std::string::npos);
    ExecuteOptions options;
    options.vector_bytes = 32;
    Memory memory = UnsetMemory(ScalarType::Double, 4);
    Memory in = Doubles(values);
    CHECK(Execute(function, {&memory, &in}, options).error == "");
    const std::int64_t first = (distance < -4 || distance > 4 ? 6 : 4) + distance;
    for (std::int64_t k = 0; k < 4; ++k) {
      CHECK(DoublesOf(memory)[static_cast<std::size_t>(k)] == static_cast<double>(first + k + 1));
    }
  }
}

TEST_CASE("packs are shifted together, wherever they come from") {
  const VarRef name = Value("Values", kDouble);
  const Type pack = {Elementary::Double, Width::Pack};
  const VarRef u = Global("u");
  const VarRef out = Global("out");
  const auto load = [&](std::int64_t at) {
    return Call(Routine::LoadPack, pack, {Read(name), AddressAt(u, Number(at))});
  };
  const auto shifted = [&](std::int64_t distance) {
    return Host(
        {Out(out), In(u)},
        Of(PackStmt{name, 1},
           StorePackStmt{AddressAt(out, Number(0)),
                         Call(Routine::Shifted, pack, {load(8), load(0), load(4)}, {distance})}));
  };
  ExecuteOptions options;
  options.vector_bytes = 32;
  const std::vector<double> around = {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7};
  for (const std::int64_t distance : {-4, -3, -1, 0, 1, 2, 4}) {
    const Function function = shifted(distance);
    CHECK(Problem(function) == "");
    Memory memory = UnsetMemory(ScalarType::Double, 4);
    Memory in = Doubles({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(Execute(function, {&memory, &in}, options).error == "");
    const auto first = around.begin() + 4 + distance;
    CHECK(DoublesOf(memory) == std::vector<double>(first, first + 4));
  }
  Memory memory = UnsetMemory(ScalarType::Double, 4);
  Memory in = Doubles(std::vector<double>(12));
  CHECK(Execute(shifted(5), {&memory, &in}, options).error.find("lanes that no vector has") !=
        std::string::npos);
}

TEST_CASE("packs are rounded where they are stored in elements of 16 bits") {
  using F = stencilgen::Function;
  const VarRef u = Global("u");
  const auto halves = std::make_shared<Var>(*Global("halves"));
  halves->format = ElementFormat::Half;
  const VarRef out = Global("out");
  const VarRef name = Value("Values", kDouble);
  const Type pack = {Elementary::Double, Width::Pack};
  const VarRef p = Value("p", pack);
  const Function function =
      Host({Out(halves), Out(out), In(u)},
           Of(PackStmt{name, 1},
              LetStmt{p, Call(Routine::LoadPack, pack, {Read(name), AddressAt(u, Number(0))})},
              StorePackStmt{AddressAt(halves, Number(0)), Read(p)},
              StorePackStmt{AddressAt(out, Number(0)), Call(F::RoundBFloat16, pack, {Read(p)})}));
  CHECK(Problem(function) == "");
  const std::vector<double> values = {1.0 / 3, 100.03, 1e-7, -70000};
  ExecuteOptions options;
  options.vector_bytes = 32;
  Memory half_memory = UnsetMemory(ScalarType::Double, 4);
  Memory memory = UnsetMemory(ScalarType::Double, 4);
  Memory in = Doubles(values);
  CHECK(Execute(function, {&half_memory, &memory, &in}, options).error == "");
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(DoublesOf(half_memory)[k] == RoundHalf(values[k]));
    CHECK(DoublesOf(memory)[k] == RoundBFloat16(values[k]));
  }
}

}  // namespace
}  // namespace stencilgen::kernel
