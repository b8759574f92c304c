// Whole programs of structured code: the steps of the host between kernels.
#include "kernel/execute_module.h"

#include <string>
#include <utility>
#include <vector>

#include "kernel_code_tools.h"
#include "support/catch.h"

namespace stencilgen::kernel {
namespace {

using namespace code_tools;  // NOLINT

constexpr std::size_t kCount = 6;
const VarRef kSize = Value("n", kInt);
const VarRef kFirst = Global("u");
const VarRef kSecond = Global("v");
const VarRef kThird = Global("w");
const VarRef kFactor = Value("factor", kDouble);

/// Three buffers of n elements, u an array that goes in and out; the scalar factor; and a kernel,
/// `v[i] = factor * u[i]` for i from 1 to n - 2.
Module Program(Steps steps) {
  Module module;
  module.parameters.push_back({kSize, "n", {}, {}});
  for (const VarRef& var : {kFirst, kSecond, kThird}) {
    Buffer buffer;
    buffer.var = var;
    buffer.extents = {Read(kSize)};
    buffer.used = buffer.written = true;
    buffer.scratch = var != kFirst;
    buffer.needs_contents = var == kFirst;
    module.buffers.push_back(std::move(buffer));
  }
  Array u;
  u.name = u.source_name = "u";
  u.extents = {Read(kSize)};
  u.copy_in = u.copy_out = true;
  u.buffers = {0};
  Array factor;
  factor.name = factor.source_name = "factor";
  module.arrays = {u, factor};
  module.scalars = {{kFactor, ScalarType::Double}};
  module.results = {{0, 0}};
  const VarRef i = Value("i");
  const Expr product = Apply(BinaryOp::Mul, Read(kFactor), ElementAt(kFirst, Read(i)));
  Function scale = Host({In(kFirst), Out(kSecond), {kSize}, {kFactor}},
                        Of(Loop(i, Number(1), Read(kSize) - Number(2),
                                Of(FlopsStmt{1}, Set(ElementAt(kSecond, Read(i)), product)))));
  scale.name = "scale";
  module.functions = {scale};
  module.calls = {{"scale", {Read(kFirst), Read(kSecond), Read(kSize), Read(kFactor)}}};
  module.summaries = {"scale"};
  module.steps = std::move(steps);
  return module;
}

ModuleResult Run(const Module& module) {
  REQUIRE(Verify(module) == std::vector<std::string>{});
  ModuleArguments arguments;
  arguments.parameters = {kCount};
  arguments.arrays = {Doubles({1, 2, 3, 4, 5, 6}), Doubles({2})};
  return Execute(module, std::move(arguments), {});
}

std::vector<double> ResultOf(Steps steps) {
  const ModuleResult result = Run(Program(std::move(steps)));
  CHECK(result.error == "");
  for (const std::uint8_t defined : result.arrays[0].defined) CHECK(defined == 1);
  return DoublesOf(result.arrays[0]);
}

Step Launched() {
  return {LaunchStep{0}};
}
Step Swapped(std::vector<std::size_t> cycle) {
  return {RotateStep{std::move(cycle), "old"}};
}
/// Copies u's border into v.
Step Bordered() {
  CopyStep copy{1, 0};
  copy.outside = {{Number(1), Read(kSize) - Number(2)}};
  return {copy};
}
Step Turns(const VarRef& var, Expr turns, Steps body, Expr until = {}) {
  RepeatStep repeat;
  repeat.var = var;
  repeat.turns = std::move(turns);
  repeat.body = std::move(body);
  repeat.until = std::move(until);
  return {std::move(repeat)};
}

TEST_CASE("kernels, copies of borders and rotations of memory") {
  CHECK(ResultOf({}) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(ResultOf({Bordered(), Launched(), Swapped({0, 1})}) ==
        std::vector<double>{1, 4, 6, 8, 10, 6});
  // u gets v's memory, v w's, w u's: the third turn is back where the first was.
  const Steps turn = {Bordered(), Launched(), Swapped({0, 1, 2})};
  CHECK(ResultOf({Turns(Value("t"), Number(3), turn)}) ==
        std::vector<double>{1, 16, 24, 32, 40, 6});
  // A box that is empty leaves all to the copy.
  CopyStep all{1, 0};
  all.outside = {{Number(1), Number(4)}};
  all.condition = Less(Read(kSize), Number(6));
  CHECK(ResultOf({Launched(), {all}, Swapped({0, 1})}) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(ResultOf({Launched(), {CopyStep{1, 0}}, Swapped({0, 1})}) ==
        std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("code of the host: values that later steps see, loops that end") {
  const VarRef t = Value("t");
  const VarRef grown = Value("grown", kDouble);
  const Step grow = {CodeStep{Of(LetStmt{grown, Apply(BinaryOp::Mul, Read(kFactor), Real(3))},
                                 Set(Read(kFactor), Read(grown)))}};
  CHECK(ResultOf({grow, Bordered(), Launched(), Swapped({0, 1})}) ==
        std::vector<double>{1, 12, 18, 24, 30, 6});
  // The value is 2 * 3^4 in the turn after which the loop ends.
  const Expr is_large = Apply(BinaryOp::Greater, Read(kFactor), Real(100));
  const Steps grown_until = {Turns(t, Number(50), {grow}, is_large), Bordered(), Launched(),
                             Swapped({0, 1})};
  CHECK(ResultOf(grown_until) == std::vector<double>{1, 324, 486, 648, 810, 6});
  // The body may go on in the count by itself.
  const Step skip = {CodeStep{Of(Set(Read(t), Number(2), AssignOp::Add))}};
  CHECK(ResultOf({Turns(t, Number(7), {grow, skip}), Bordered(), Launched(), Swapped({0, 1})})[1] ==
        2 * 2 * 27);
  // Of two branches one.
  ScopeStep scope{Less(Read(kSize), Number(6)), {grow}, {grow, grow}};
  CHECK(ResultOf({{scope}, Bordered(), Launched(), Swapped({0, 1})})[1] == 2 * 2 * 9);
  // Elements by their place.
  const Step third = {
      CodeStep{Of(Set(Read(kFactor), ElementAt(kFirst, Read(kSize) - Number(3)), AssignOp::Add))}};
  CHECK(ResultOf({third, Bordered(), Launched(), Swapped({0, 1})})[1] == 2 * (2 + 4));
}

TEST_CASE("what the steps do wrong is said, and what they do is counted") {
  const ModuleResult twice = Run(Program({Bordered(), Launched(), Launched(), Swapped({0, 1})}));
  CHECK(twice.error == "");
  CHECK(twice.counters.flops == 2 * 4);
  CHECK(twice.counters.global_loads == 2 * 4);
  CHECK(twice.turns_in_tiles == 0);
  // Scratch memory begins without values, and a rotation hands that on.
  const ModuleResult unset = Run(Program({Launched(), Swapped({0, 1})}));
  CHECK(unset.error == "");
  CHECK(unset.arrays[0].defined == std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0});
  const ModuleResult reads = Run(Program({Swapped({0, 2}), Launched()}));
  CHECK(reads.error.find("v[i]") != std::string::npos);
  CHECK(reads.error.find("not set") != std::string::npos);
  const ModuleResult unknown =
      Run(Program({{CodeStep{Of(Set(Read(kFactor), Read(Value("x", kDouble))))}}}));
  CHECK(unknown.error == "the host: x has no value");
}

TEST_CASE("the host reads elements of a device where they are") {
  Module module = Program({});
  module.target = Target::Device;
  module.functions.clear();
  module.calls.clear();
  module.summaries.clear();
  const VarRef element = Value("element", kDouble);
  const auto error_at = [&](std::int64_t place) {
    module.steps = {{ReadStep{element, 0, Read(kSize) - Number(place)}},
                    {CodeStep{Of(Set(Read(kFactor), Read(element)))}}};
    return Run(module).error;
  };
  CHECK(error_at(1) == "");
  CHECK(error_at(6) == "");
  CHECK(error_at(0) == "the host reads element 6 of u, which has 6");
  CHECK(error_at(7) == "the host reads element -1 of u, which has 6");
}

/// `tiles`: calls scale for all turns at once, and hands the memory on after it.
Module InTiles(int turns_of_tile) {
  BandStep band;
  band.call = {"all", {Read(kFirst), Read(kSecond)}};
  band.turns = Number(3);
  band.rows = Read(kSize);
  band.columns = band.bytes = Number(1);
  band.turns_of_tile = turns_of_tile;
  band.after = {Swapped({0, 1})};
  band.otherwise = {Bordered(), Launched(), Swapped({0, 1})};
  Module module = Program({{band}});
  const std::vector<VarRef> last = {Value("turns"), Value("threads"), Value("tiles"),
                                    Value("strip")};
  Block body;
  for (std::size_t k = 0; k < kCount; ++k) {
    const Expr value = k < last.size() ? Read(last[k]) : Number(0);
    body.Add(
        Set(ElementAt(kSecond, Number(static_cast<std::int64_t>(k))), ConvertTo(kDouble, value)));
  }
  Function all = Host({In(kFirst), Out(kSecond), {last[0]}, {last[1]}, {last[2]}, {last[3]}}, body);
  all.name = "all";
  module.functions.push_back(std::move(all));
  return module;
}

TEST_CASE("loops in tiles get the sizes that are given, or their own") {
  ModuleArguments arguments;
  arguments.parameters = {kCount};
  arguments.arrays = {Doubles({1, 2, 3, 4, 5, 6}), Doubles({2})};
  const auto run = [&](int turns_of_tile, std::optional<TileSizes> sizes) {
    const Module module = InTiles(turns_of_tile);
    REQUIRE(Verify(module) == std::vector<std::string>{});
    const ModuleResult result = Execute(module, arguments, {{}, sizes});
    CHECK(result.error == "");
    CHECK(result.turns_in_tiles == (turns_of_tile == 0 && !sizes ? 0 : 3));
    return DoublesOf(result.arrays[0]);
  };
  CHECK(run(0, TileSizes{7, 5, 2}) == std::vector<double>{3, 2, 7, 5, 0, 0});
  CHECK(run(0, std::nullopt) == std::vector<double>{1, 4, 6, 8, 10, 6});
  CHECK(run(4, std::nullopt) == std::vector<double>{3, 1, 2, 8, 0, 0});
}

}  // namespace
}  // namespace stencilgen::kernel
