#include <fmt/format.h>

#include "kernel_code_tools.h"
#include "support/catch.h"

namespace stencilgen::kernel {
namespace {

using namespace code_tools;  // NOLINT

/// `out[i] = u[i - 1] + u[i + 1]` for i from 1 to n - 2.
Function Neighbours(LoopKind kind) {
  const VarRef u = Global("u");
  const VarRef out = Global("out");
  const VarRef n = Value("n", kInt);
  const VarRef i = Value("i");
  return Host({Out(out), In(u), {n}},
              Of(Loop(i, Number(1), Read(n) - Number(2),
                      Of(FlopsStmt{1}, Set(ElementAt(out, Read(i)),
                                           Apply(BinaryOp::Add, ElementAt(u, Read(i) - Number(1)),
                                                 ElementAt(u, Read(i) + Number(1))))),
                      kind)));
}

TEST_CASE("loops of every kind compute and count the same, in every order") {
  for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel, LoopKind::ParallelVector,
                              LoopKind::Vector, LoopKind::Unrolled}) {
    for (const RunOrder order : {RunOrder::Forward, RunOrder::Backward, RunOrder::Random}) {
      const Function function = Neighbours(kind);
      CHECK(Problem(function) == "");
      ExecuteOptions options;
      options.order = order;
      Memory out = UnsetMemory(ScalarType::Double, 6);
      Memory u = Doubles({1, 2, 4, 8, 16, 32});
      const ExecuteResult result = Execute(function, {&out, &u, std::int64_t{6}}, options);
      CHECK(result.error == "");
      CHECK(out.defined == std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0});
      CHECK(DoublesOf(out)[1] == 5);
      CHECK(DoublesOf(out)[4] == 40);
      CHECK(result.counters.global_loads == 8);
      CHECK(result.counters.global_load_bytes == 64);
      CHECK(result.counters.global_stores == 4);
      CHECK(result.counters.flops == 4);
    }
  }
}

TEST_CASE("a loop takes no turn where there is none") {
  const Function function = Neighbours(LoopKind::Parallel);
  for (const std::int64_t n : {0, 1, 2}) {
    Memory out = UnsetMemory(ScalarType::Double, 6);
    Memory u = Doubles({1, 2, 4, 8, 16, 32});
    CHECK(Execute(function, {&out, &u, n}).error == "");
    CHECK(out.defined == std::vector<std::uint8_t>(6, 0));
  }
}

TEST_CASE("variables, small arrays, scopes, jumps and loops that go on with a variable") {
  const VarRef out = Global("out", kInt);
  const VarRef i = Value("i", kInt);
  const VarRef sum = Value("sum", kInt);
  const VarRef squares = Registers("squares", 4, kInt);
  const VarRef table = MakeVar("table", kInt, Storage::Registers, 3);
  const VarRef k = Value("k", kInt);
  const VarRef local = Value("local", kInt);
  Block body = Of(
      DeclareStmt{{squares}}, DeclareStmt{{i, sum}},
      TableStmt{table, {Number(5), Number(6), Number(7)}},
      Loop(k, Number(0), Number(3),
           Of(Set(ElementAt(squares, Read(k)), Read(k) * Read(k)),
              Set(ElementAt(squares, Read(k)), Number(10), AssignOp::Add))),
      WhileStmt{
          Less(Read(i), Number(100)),
          Of(Set(Read(i), Number(1), AssignOp::Add),
             IfStmt{Apply(BinaryOp::Equal, Read(i), Number(3)), Of(JumpStmt{Jump::Continue}), {}},
             IfStmt{Apply(BinaryOp::Greater, Read(i), Number(5)), Of(JumpStmt{Jump::Break}),
                    Of(Set(Read(sum), Read(i), AssignOp::Add))})},
      ScopeStmt{Of(LetStmt{local, Read(sum) * Number(2)}, Set(Read(sum), Read(local)))});
  ForStmt rest;
  rest.var = i;
  rest.last = Number(9);
  rest.step = Number(2);
  rest.body = Of(Set(Read(sum), ElementAt(squares, Number(3)), AssignOp::Add));
  body.Add(rest);
  body.Add(Set(ElementAt(out, Number(0)), Read(sum) + ElementAt(table, Read(i) - Number(8))));
  body.Add(JumpStmt{Jump::Return});
  body.Add(Set(ElementAt(out, Number(0)), Number(0)));
  const Function function = Host({Out(out)}, body);
  CHECK(Problem(function) == "");
  Memory memory = UnsetMemory(ScalarType::Int, 1);
  CHECK(Execute(function, {&memory}).error == "");
  // 1 + 2 + 4 + 5 = 12, twice; i goes 6, 8 and leaves at 10: 2 * 19; table[2].
  CHECK(std::get<std::vector<std::int32_t>>(memory.values)[0] == 24 + 38 + 7);
}

TEST_CASE("addresses point into arrays and tables, and move") {
  const VarRef u = Global("u");
  const VarRef row = Global("row");
  const VarRef table = MakeVar("table", kDouble, Storage::Constant);
  const VarRef uniform = Global("uniform");
  const Function function = Host(
      {InOut(u)}, Of(TableStmt{table, {Real(0.5), Real(0.25)}},
                     LetStmt{uniform, Call(Routine::Anchor, kAddress, {Read(table)})},
                     LetStmt{row, Call(Routine::Anchor, kAddress, {AddressAt(u, Number(2))}), true},
                     Set(ElementAt(row, Number(-2)), ElementAt(uniform, Number(1))),
                     Set(Read(row), Number(1), AssignOp::Add),
                     Set(ElementAt(row, Number(0)), ElementAt(row, Number(-1)), AssignOp::Mul)));
  CHECK(Problem(function) == "");
  Memory memory = Doubles({1, 2, 3, 4});
  const ExecuteResult result = Execute(function, {&memory});
  CHECK(result.error == "");
  CHECK(DoublesOf(memory) == std::vector<double>{0.25, 2, 3, 12});
  CHECK(result.counters.global_loads == 2);  // not those of the table
}

TEST_CASE("a function calls another with its own variables") {
  const VarRef u = Global("u");
  const VarRef lo = Value("lo");
  const VarRef hi = Value("hi");
  const VarRef i = Value("i");
  Function fill = Host({Out(u), {lo}, {hi}},
                       Of(IfStmt{Less(Read(hi), Read(lo)), Of(JumpStmt{Jump::Return}), {}},
                          Loop(i, Read(lo), Read(hi), Of(Set(ElementAt(u, Read(i)), Real(7))))));
  fill.name = std::string("fill");
  const Function function =
      Host({Out(u), {lo}, {hi}}, Of(CallStmt{"fill", {Read(u), Number(3), Number(2)}},
                                    CallStmt{"fill", {Read(u), Read(hi), Read(hi) + Number(1)}},
                                    Set(ElementAt(u, Read(lo)), Real(1))));
  CHECK(Problem(fill) == "");
  CHECK(Problem(function) == "");
  ExecuteOptions options;
  options.callees = {&fill};
  Memory memory = UnsetMemory(ScalarType::Double, 5);
  CHECK(Execute(function, {&memory, std::int64_t{0}, std::int64_t{2}}, options).error == "");
  CHECK(memory.defined == std::vector<std::uint8_t>{1, 0, 1, 1, 0});
  CHECK(DoublesOf(memory)[0] == 1);
  CHECK(DoublesOf(memory)[3] == 7);
  CHECK(Execute(function, {&memory, std::int64_t{0}, std::int64_t{2}}).error ==
        "fill is not known at `fill(u, 3, 2);`");
}

TEST_CASE("faults are values, with the statement and the turn") {
  const Function function = Neighbours(LoopKind::Parallel);
  const auto run = [&](std::size_t elements, std::int64_t n, UnsetValues unset) {
    Memory out = UnsetMemory(ScalarType::Double, 6);
    Memory u = Doubles(std::vector<double>(elements, 1.0));
    if (elements > 3) u.defined[3] = 0;
    ExecuteOptions options;
    options.unset = unset;
    return Execute(function, {&out, &u, n}, options).error;
  };
  const auto error = [](std::string_view what) {
    return fmt::format("{} at `out[i] = u[i - 1] + u[i + 1];` in turn 2", what);
  };
  CHECK(run(6, 5, UnsetValues::Allow) == "");
  CHECK(run(6, 5, UnsetValues::Loads) == error("element 3 of u was never written"));
  CHECK(run(6, 5, UnsetValues::Results) == error("element 2 of out gets a value that is not set"));
  CHECK(run(3, 6, UnsetValues::Allow) == error("out of bounds: element 3 of u, which has 3"));
}

TEST_CASE("arguments are checked") {
  const Function function = Neighbours(LoopKind::Serial);
  Memory out = UnsetMemory(ScalarType::Double, 6);
  Memory narrow = UnsetMemory(ScalarType::Float, 6);
  const std::int64_t n = 6;
  CHECK(Execute(function, {&out, &out}).error == "f has 3 arguments, not 2");
  CHECK(Execute(function, {&out, &narrow, n}).error == "u is an array of double");
  CHECK(Execute(function, {&out, n, n}).error == "u is an array");
  CHECK(Execute(function, {&out, &out, &out}).error == "n is a value");
}

TEST_CASE("what is not read or not written is not touched") {
  const VarRef u = Global("u");
  const Function writes = Host({In(u)}, Of(Set(ElementAt(u, Number(0)), Real(1))));
  const Function reads = Host({Out(u)}, Of(Set(ElementAt(u, Number(0)), ElementAt(u, Number(0)))));
  Memory memory = Doubles({1});
  CHECK(Execute(writes, {&memory}).error == "writes u, which is only read at `u[0] = 1.0;`");
  CHECK(Execute(reads, {&memory}).error == "reads u, which is only written at `u[0] = u[0];`");
}

TEST_CASE("turns of loops that depend on each other are found in every order") {
  const VarRef u = Global("u");
  const VarRef i = Value("i");
  const auto run = [&](LoopKind kind, const Expr& target, const Expr& value, RunOrder order) {
    ForStmt loop = Loop(i, Number(1), Number(4), Of(Set(ElementAt(u, target), value)), kind);
    const Function function = Host({InOut(u)}, Of(loop));
    CHECK(Problem(function) == "");
    ExecuteOptions options;
    options.order = order;
    Memory memory = Doubles({1, 2, 4, 8, 16, 32});
    return Execute(function, {&memory}, options).error;
  };
  const Expr one = Read(i);
  const auto has_race = [](const std::string& error) { return error.find("race: ") == 0; };
  for (const LoopKind kind : {LoopKind::Parallel, LoopKind::Vector}) {
    for (const RunOrder order : {RunOrder::Forward, RunOrder::Backward, RunOrder::Random}) {
      CHECK(run(kind, one, ElementAt(u, one) + ElementAt(u, Number(0)), order) == "");
      CHECK(has_race(run(kind, one, ElementAt(u, one - Number(1)), order)));
      CHECK(has_race(run(kind, one, ElementAt(u, one + Number(1)), order)));
      CHECK(has_race(run(kind, Number(0), ElementAt(u, one), order)));
      CHECK(run(kind, Number(0), Real(3), order) == "");  // all write the same
    }
  }
  CHECK(run(LoopKind::Serial, one, ElementAt(u, one - Number(1)), RunOrder::Forward) == "");
}

TEST_CASE("two parallel loops one after the other do not race") {
  const VarRef u = Global("u");
  const VarRef v = Global("v");
  const VarRef i = Value("i");
  const Expr at = Read(i);
  const Function function =
      Host({InOut(u), InOut(v)},
           Of(Loop(i, Number(0), Number(3), Of(Set(ElementAt(v, at), ElementAt(u, Number(3) - at))),
                   LoopKind::Parallel),
              Loop(i, Number(0), Number(3), Of(Set(ElementAt(u, at), ElementAt(v, Number(3) - at))),
                   LoopKind::Parallel)));
  CHECK(Problem(function) == "");
  Memory a = Doubles({1, 2, 3, 4});
  Memory b = Doubles({0, 0, 0, 0});
  CHECK(Execute(function, {&a, &b}).error == "");
  CHECK(DoublesOf(a) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("code that does not end or divides by zero is reported") {
  const VarRef out = Global("out", kInt);
  const VarRef n = Value("n", kInt);
  const auto run = [&](Block body) {
    ExecuteOptions options;
    options.most_instructions = 10000;
    Memory memory = UnsetMemory(ScalarType::Int, 1);
    return Execute(Host({Out(out), {n}}, std::move(body)), {&memory, std::int64_t{0}}, options)
        .error;
  };
  CHECK(run(Of(WhileStmt{Constant(kBool, std::int64_t{1}), {}})) ==
        "too many instructions at `while (true) {`");
  CHECK(run(Of(Set(ElementAt(out, Number(0)), Apply(BinaryOp::Div, Number(1), Read(n))))) ==
        "division by zero at `out[0] = 1 / n;`");
  CHECK(run(Of(BarrierStmt{})) ==
        "a statement of devices in a function of the host at `__syncthreads();`");
  CHECK(run(Of(ProgressStmt{})).empty());
}

TEST_CASE("values that nobody set do not decide anything") {
  const VarRef out = Global("out", kInt);
  const VarRef x = Value("x", kInt);
  const auto run = [&](Block rest, UnsetValues unset) {
    Block body = Of(DeclareStmt{{x}, false});
    body.Append(rest);
    ExecuteOptions options;
    options.unset = unset;
    Memory memory = SetMemory(std::vector<std::int32_t>{1, 2});
    return Execute(Host({InOut(out)}, body), {&memory}, options).error;
  };
  const Block branch = Of(IfStmt{Less(Read(x), Number(0)), Of(JumpStmt{Jump::Return}), {}});
  CHECK(run(branch, UnsetValues::Allow) == "");
  CHECK(
      run(branch, UnsetValues::Results).find("the condition depends on a value that is not set") ==
      0);
  // What they choose is not set either, and may be left alone.
  const VarRef y = Value("y", kInt);
  const Expr chooses = Choose(Less(Read(x), Number(0)), Number(1), Number(2));
  const Expr both =
      Choose(Apply(BinaryOp::And, Less(Read(x), Number(0)), Constant(kBool, std::int64_t{0})),
             Number(1), Number(2));
  for (const Expr& value : {chooses, both}) {
    CHECK(run(Of(LetStmt{y, value}), UnsetValues::Results) == "");
    const Block stored = Of(Set(ElementAt(out, Number(0)), value));
    CHECK(run(stored, UnsetValues::Allow) == "");
    CHECK(run(stored, UnsetValues::Results).find("element 0 of out gets a value") == 0);
  }
  const Block place = Of(Set(ElementAt(out, Read(x)), Number(1)));
  CHECK(run(place, UnsetValues::Allow).find("the position depends on a value") == 0);
  const Block chosen = Of(Set(Read(x), Number(1)), Set(ElementAt(out, Read(x)), Number(1)));
  CHECK(run(chosen, UnsetValues::Results) == "");
}

}  // namespace
}  // namespace stencilgen::kernel
