#include "kernel_code_tools.h"
#include "support/catch.h"

namespace stencilgen::kernel {
namespace {

using namespace code_tools;  // NOLINT

const VarRef kU = Global("u");
const VarRef kV = Global("v");
const VarRef kN = Value("n", kInt);
const VarRef kI = Value("i");

std::string OnHost(Block body) {
  return Problem(Host({InOut(kU), {kN}}, std::move(body)));
}
std::string OnDevice(Block body) {
  return Problem(Device({InOut(kU), {kN}}, std::move(body)));
}
AssignStmt Store(Expr value) {
  return Set(ElementAt(kU, Number(0)), std::move(value));
}

TEST_CASE("variables are visible where they are used, and named once") {
  const VarRef x = Value("x", kDouble);
  const VarRef other = Value("x", kDouble);
  CHECK(OnHost(Of(LetStmt{x, Real(1)}, Store(Read(x)))) == "");
  CHECK(OnHost(Of(Store(Read(x)))) == "x is not defined: `u[0] = x;`");
  CHECK(OnHost(Of(ScopeStmt{Of(LetStmt{x, Real(1)})}, Store(Read(x)))) ==
        "x is not defined: `u[0] = x;`");
  CHECK(OnHost(Of(LetStmt{x, Read(x)})) == "x is not defined: `const double x = x;`");
  CHECK(OnHost(Of(LetStmt{x, Real(1)}, LetStmt{x, Real(2)})) ==
        "x is defined twice: `const double x = 2.0;`");
  CHECK(OnHost(Of(LetStmt{x, Real(1)}, ScopeStmt{Of(LetStmt{other, Real(2)})})) ==
        "two variables x: `const double x = 2.0;`");
  CHECK(OnHost(Of(ScopeStmt{Of(LetStmt{x, Real(1)})}, ScopeStmt{Of(LetStmt{other, Real(2)})})) ==
        "");
  CHECK(OnHost(Of(Store(ElementAt(kV, Number(0))))) == "v is not defined: `u[0] = v[0];`");
  CHECK(OnHost(Of(Loop(kI, Read(kI), Number(1), {}))).find("i is not defined") == 0);
}

TEST_CASE("types agree") {
  const VarRef f = Value("f", kFloat);
  CHECK(OnHost(Of(Store(Constant(kFloat, 1.0)))) == "a value of another type: `u[0] = 1.0F;`");
  CHECK(OnHost(Of(Store(Number(1)))) == "");
  CHECK(OnHost(Of(Store(Read(kN)))) == "a value of another type: `u[0] = n;`");
  CHECK(OnHost(Of(Store(Apply(BinaryOp::Add, Real(1), Constant(kFloat, 1.0))))) ==
        "operands of types double and float in `1.0 + 1.0F`: `u[0] = 1.0 + 1.0F;`");
  CHECK(OnHost(Of(Store(Apply(BinaryOp::Mul, Real(1), Read(kN)))))
            .find("operands of types double and int") == 0);
  CHECK(OnHost(Of(LetStmt{f, Real(1)})) == "a value of another type: `const float f = 1.0;`");
  CHECK(OnHost(Of(IfStmt{Read(kN), {}, {}})) == "a condition that is no truth in `n`: `if (n) {`");
  CHECK(OnHost(Of(WhileStmt{Real(1), {}})) ==
        "a condition that is no truth in `1.0`: `while (1.0) {`");
  CHECK(OnHost(Of(Store(ElementAt(kU, Real(1))))) ==
        "an index that is no integer in `1.0`: `u[0] = u[1.0];`");
  CHECK(
      OnHost(Of(Store(Choose(Read(kN), Real(1), Real(2))))).find("a condition that is no truth") ==
      0);
  CHECK(OnHost(Of(Store(Choose(Less(Read(kN), Number(1)), Real(1), Read(kN)))))
            .find("alternatives of different types") == 0);
  CHECK(OnHost(Of(Store(Apply(BinaryOp::And, Read(kN), Less(Read(kN), Number(0))))))
            .find("operands that are no truths") == 0);
  CHECK(OnHost(Of(Store(Apply(UnaryOp::Not, Read(kN))))).find("a negation of what is no truth") ==
        0);
  CHECK(OnHost(Of(Store(Apply(BinaryOp::Mod, Real(1), Real(2)))))
            .find("an operation that floating values do not have") == 0);
  CHECK(OnHost(Of(Store(Read(kU)))) == "a value of another type: `u[0] = u;`");
  CHECK(OnHost(Of(Store(Apply(BinaryOp::Power, Real(1), Real(2))))).find("a power that is no") ==
        0);
}

TEST_CASE("calls have the arguments that they need") {
  using F = stencilgen::Function;
  CHECK(OnHost(Of(Store(Call(F::Pow, kDouble, {Real(1)})))).find("1 arguments instead of 2") == 0);
  CHECK(OnHost(Of(Store(Call(F::Sqrt, kDouble, {Read(kN)})))).find("an argument of another type") ==
        0);
  CHECK(OnHost(Of(Store(ConvertTo(kDouble, Call(F::Sqrt, kInt, {Read(kN)})))))
            .find("a function that its type does not have") == 0);
  CHECK(OnHost(Of(Store(Call(Routine::IntPower, kDouble, {Real(2)}, {-1}))))
            .find("a negative exponent") == 0);
  CHECK(OnHost(Of(Store(ConvertTo(kDouble, Call(Routine::SafeDivide, kInt, {Read(kN), Real(2)})))))
            .find("an argument of another type") == 0);
  CHECK(OnHost(Of(Store(Call(Routine::FastDivide, kDouble, {Real(1), Real(2)}))))
            .find("another type than float") == 0);
  CHECK(OnHost(Of(Store(Call(Routine::ReciprocalRoot, kDouble, {Read(kN)}))))
            .find("an argument of another type") == 0);
  CHECK(OnHost(Of(Store(Call(Routine::ShuffleUp, kDouble, {Real(1), Number(1), Number(32)}))))
            .find("a shuffle without a device") == 0);
  CHECK(OnDevice(Of(Store(Call(Routine::ShuffleUp, kDouble, {Real(1), Number(1), Number(32)})))) ==
        "");
}

TEST_CASE("only what may change is assigned") {
  const VarRef x = Value("x", kDouble);
  const auto with = [&](bool changes) {
    return OnHost(Of(LetStmt{x, Real(1), changes}, Set(Read(x), Real(2))));
  };
  CHECK(with(true) == "");
  CHECK(with(false) == "x does not change: `x = 2.0;`");
  CHECK(OnHost(Of(DeclareStmt{{x}}, Set(Read(x), Real(2), AssignOp::Mul))) == "");
  CHECK(OnHost(Of(Set(Read(kN), Number(2)))) == "n does not change: `n = 2;`");
  const auto in_loop = [&](LoopKind kind) {
    return OnHost(Of(Loop(kI, Number(0), Number(3), Of(Set(Read(kI), Number(3))), kind)));
  };
  CHECK(in_loop(LoopKind::Serial) == "");
  for (const LoopKind kind : {LoopKind::Unrolled, LoopKind::Parallel, LoopKind::Vector}) {
    CHECK(in_loop(kind) == "i is changed by its loop alone: `i = 3;`");
  }
}

TEST_CASE("turns have nothing in common that changes") {
  const VarRef x = Value("x", kDouble);
  for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel, LoopKind::Vector}) {
    const bool turns = kind != LoopKind::Serial;
    const Block assign = Of(Set(Read(x), Real(2)));
    CHECK(OnHost(Of(DeclareStmt{{x}}, Loop(kI, Number(0), Number(3), assign, kind))) ==
          (turns ? "x is shared by the turns of a loop: `x = 2.0;`" : ""));
    Block own = Of(DeclareStmt{{x}});
    own.Append(assign);
    CHECK(OnHost(Of(Loop(kI, Number(0), Number(3), own, kind))) == "");
    CHECK(OnHost(Of(Loop(kI, Number(0), Number(3), Of(JumpStmt{Jump::Break}), kind))) ==
          (turns ? "the turns of a loop are left: `break;`" : ""));
    CHECK(OnHost(Of(Loop(kI, Number(0), Number(3), Of(JumpStmt{Jump::Return}), kind))) ==
          (turns ? "the turns of a loop are left: `return;`" : ""));
    CHECK(OnHost(Of(Loop(kI, Number(0), Number(3), Of(JumpStmt{Jump::Continue}), kind))) == "");
  }
  CHECK(OnHost(Of(JumpStmt{Jump::Continue})) == "a jump without a loop: `continue;`");
}

TEST_CASE("elements of small arrays exist") {
  const VarRef small = Registers("small", 3);
  const auto at = [&](int index) {
    return OnHost(Of(DeclareStmt{{small}}, Store(ElementAt(small, Number(index)))));
  };
  CHECK(at(0) == "");
  CHECK(at(2) == "");
  CHECK(at(3) == "element 3 of small, which has 3: `u[0] = small[3];`");
  CHECK(at(-1) == "element -1 of small, which has 3: `u[0] = small[-1];`");
  CHECK(OnHost(Of(DeclareStmt{{small}}, Store(Read(small))))
            .find("an array of registers as a value") == 0);
}

TEST_CASE("arguments are read and written as they say") {
  const VarRef row = Global("row");
  const Expr element = ElementAt(kV, Number(0));
  const Block reads = Of(Set(ElementAt(kU, Number(0)), element));
  const Block writes = Of(Set(element, Real(1)));
  CHECK(Problem(Host({Out(kU), In(kV)}, reads)) == "");
  CHECK(Problem(Host({Out(kU), Out(kV)}, reads)) ==
        "a load from v, which is not read: `u[0] = v[0];`");
  CHECK(Problem(Host({In(kV)}, writes)) == "a store to v, which is not written: `v[0] = 1.0;`");
  CHECK(Problem(Host({Out(kV)}, Of(Set(element, Real(1), AssignOp::Add)))) ==
        "a load from v, which is not read: `v[0] += 1.0;`");
  const LetStmt address = {row, Call(Routine::Anchor, kAddress, {AddressAt(kV, Number(3))})};
  CHECK(Problem(Host({In(kV)}, Of(address, Set(ElementAt(row, Number(0)), Real(1))))) ==
        "a store to v, which is not written: `row[0] = 1.0;`");
  const VarRef factors = MakeVar("factors", kDouble, Storage::Constant);
  CHECK(Problem(Device({{factors, true}}, Of(Set(ElementAt(factors, Number(0)), Real(1))))) ==
        "a store to factors, which is constant: `factors[0] = 1.0;`");
  CHECK(OnDevice(Of(Store(ElementAt(factors, Number(0))))) == "");
  CHECK(OnHost(Of(Store(ElementAt(factors, Number(0))))) ==
        "factors is not defined: `u[0] = factors[0];`");
  CHECK(Problem(Host({{kN, true, true}}, {})) == "n cannot be written");
}

TEST_CASE("statements are of the function's target") {
  const VarRef plane = Shared("plane");
  const Block shared = Of(SharedStmt{plane});
  CHECK(OnDevice(shared) == "");
  CHECK(OnHost(shared).find("a statement of devices") == 0);
  CHECK(OnHost(Of(BarrierStmt{})) == "a statement of devices: `__syncthreads();`");
  CHECK(OnHost(Of(LetStmt{kI, Thread()})).find("a place in a grid, without a device") == 0);
  CHECK(OnDevice(Of(PackStmt{Value("Values", kDouble)})).find("a statement of the host") == 0);
  CHECK(OnDevice(Of(ProgressStmt{})) == "a statement of the host: `MakeProgress();`");
  CHECK(OnHost(Of(ProgressStmt{})).empty());
  CHECK(OnDevice(Of(Loop(kI, Number(0), Number(1), {}, LoopKind::Parallel)))
            .find("threads of the host") == 0);
  CHECK(OnDevice(Of(SharedStmt{plane, 4})).find("elements that are not aligned") == 0);
  CHECK(OnDevice(Of(SharedStmt{plane},
                    CopyAsyncStmt{AddressAt(kU, Number(0)), AddressAt(plane, Number(0))}))
            .find("not to shared memory") == 0);
  const VarRef three = Registers("three", 3);
  CHECK(OnDevice(Of(DeclareStmt{{three}}, LoadVectorStmt{AddressAt(kU, Number(0)), three}))
            .find("vectors are of 8 or 16 bytes") == 0);
  CHECK(OnDevice(Of(DeclareStmt{{three}}, LoadVectorStmt{Read(kU), three})) ==
        "a vector from no address in an array");
}

TEST_CASE("packs and single values do not mix") {
  const Type pack = {Elementary::Double, Width::Pack};
  const VarRef name = Value("Values", kDouble);
  const VarRef p = Value("p", pack);
  const Expr load = Call(Routine::LoadPack, pack, {Read(name), AddressAt(kU, Number(0))});
  const PackStmt packs = {name};
  CHECK(OnHost(Of(packs, LetStmt{p, load}, KeepStmt{p},
                  StorePackStmt{AddressAt(kU, Number(0)), Read(p)})) == "");
  CHECK(OnHost(Of(LetStmt{p, load})).find("Values is not defined") == 0);
  CHECK(OnHost(Of(packs, LetStmt{p, load}, Store(Apply(BinaryOp::Add, Read(p), Real(1)))))
            .find("one value and several") == 0);
  CHECK(OnHost(Of(packs, LetStmt{p, Real(1)})).find("a value of another type") == 0);
  CHECK(OnHost(Of(packs, StorePackStmt{AddressAt(kU, Number(0)), Real(1)})).find("not a pack") ==
        0);
  CHECK(OnHost(Of(packs, Store(Read(name)))).find("Values is a type") == 0);
  CHECK(OnHost(Of(packs, LetStmt{p, Call(stencilgen::Function::Exp, pack, {load})}))
            .find("a function that packs lack") == 0);
}

TEST_CASE("barriers are where all threads of a block come") {
  const VarRef x = Value("x");
  const VarRef k = Value("k");
  const BarrierStmt barrier;
  const std::string problem = "a barrier that threads of a block may not reach: `__syncthreads();`";
  const Expr few = Less(Read(x), Read(kN));
  const LetStmt thread = {x, Thread()};
  const LetStmt block = {x, BlockPlace() * Number(3) + Read(kN)};
  CHECK(OnDevice(Of(thread, IfStmt{few, Of(barrier), {}})) == problem);
  CHECK(OnDevice(Of(thread, IfStmt{few, {}, Of(barrier)})) == problem);
  CHECK(OnDevice(Of(block, IfStmt{few, Of(barrier), {}})) == "");
  CHECK(OnDevice(Of(thread, Loop(k, Number(0), Read(x), Of(barrier)))) == problem);
  CHECK(OnDevice(Of(block, Loop(k, Number(0), Read(x), Of(barrier)))) == "");
  CHECK(OnDevice(Of(thread, IfStmt{few, Of(JumpStmt{Jump::Return}), {}}, barrier)) == problem);
  CHECK(OnDevice(Of(block, IfStmt{few, Of(JumpStmt{Jump::Return}), {}}, barrier)) == "");
  // What is loaded may differ.
  const LetStmt loaded = {x, ConvertTo(kIndex, ElementAt(kU, Number(0)))};
  CHECK(OnDevice(Of(loaded, IfStmt{few, Of(barrier), {}})) == problem);
  // A turn that some threads leave early, or go on with.
  const auto loop = [&](Jump jump, bool before) {
    Block body;
    if (before) body.Add(barrier);
    body.Add(IfStmt{few, Of(JumpStmt{jump}), {}});
    if (!before) body.Add(barrier);
    return OnDevice(Of(thread, Loop(k, Number(0), Read(kN), body)));
  };
  CHECK(loop(Jump::Continue, false) == problem);
  CHECK(loop(Jump::Continue, true) == "");
  CHECK(loop(Jump::Break, true) == problem);
  CHECK(loop(Jump::Return, true) == problem);
  // A variable that some threads change.
  const VarRef y = Value("y");
  CHECK(OnDevice(Of(thread, DeclareStmt{{y}}, IfStmt{few, Of(Set(Read(y), Number(1))), {}},
                    IfStmt{Less(Read(y), Number(1)), Of(barrier), {}})) == problem);
  CHECK(OnDevice(Of(thread, DeclareStmt{{y}},
                    Loop(k, Number(0), Read(kN),
                         Of(IfStmt{Less(Read(y), Number(1)), Of(barrier), {}},
                            Set(Read(y), Read(x), AssignOp::Add))))) == problem);
}

}  // namespace
}  // namespace stencilgen::kernel
