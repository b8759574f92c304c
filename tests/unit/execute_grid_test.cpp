#include <algorithm>

#include "kernel_code_tools.h"
#include "support/catch.h"

namespace stencilgen::kernel {
namespace {

using namespace code_tools;  // NOLINT

constexpr RunOrder kOrders[] = {RunOrder::Forward, RunOrder::Backward, RunOrder::Random};

struct Outcome {
  std::string error;
  std::vector<double> out;
  ExecuteCounters counters;
};

/// Runs with 8 numbered elements in, 64 out, a block of 64 threads.
Outcome Run(const Function& function, RunOrder order, unsigned seed = 0, int threads = 64,
            std::int64_t shared_bytes = 1024, UnsetValues unset = UnsetValues::Results) {
  ExecuteOptions options;
  options.order = order;
  options.seed = seed;
  options.threads = {threads, 1, 1};
  options.shared_bytes = shared_bytes;
  options.unset = unset;
  Memory out = UnsetMemory(ScalarType::Double, 64);
  std::vector<double> numbers;
  for (int k = 0; k < 64; ++k) numbers.push_back(k);
  Memory in = Doubles(numbers);
  const ExecuteResult result = Execute(function, {&out, &in}, options);
  return {result.error, DoublesOf(out), result.counters};
}

const VarRef kOut = Global("out");
const VarRef kIn = Global("in");
const VarRef kPlane = Shared("plane");
const VarRef kX = Value("x");

/// Each thread takes its element from the next thread's, by way of shared memory.
Function Exchange(bool barrier, int elements = 65) {
  Block body = Of(SharedStmt{kPlane, 16}, LetStmt{kX, Thread()},
                  Set(ElementAt(kPlane, Read(kX)), ElementAt(kIn, Read(kX))));
  if (barrier) body.Add(BarrierStmt{});
  body.Add(Set(ElementAt(kOut, Read(kX)),
               ElementAt(kPlane, Call(stencilgen::Function::Min, kIndex,
                                      {Read(kX) + Number(1), Number(elements - 2)}))));
  return Device({Out(kOut), In(kIn)}, body);
}

TEST_CASE("threads exchange values through shared memory in every order") {
  const Function function = Exchange(true);
  CHECK(Problem(function) == "");
  for (const RunOrder order : kOrders) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Outcome outcome = Run(function, order, seed);
      CHECK(outcome.error == "");
      CHECK(outcome.out[5] == 6);
      CHECK(outcome.out[63] == 63);
      CHECK(outcome.counters.barriers == 1);
      CHECK(outcome.counters.shared_loads == 64);
      CHECK(outcome.counters.shared_stores == 64);
      CHECK(outcome.counters.global_loads == 64);
      CHECK(outcome.counters.threads == 64);
    }
  }
}

TEST_CASE("a missing barrier is found in every order") {
  const Function function = Exchange(false);
  for (const RunOrder order : kOrders) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const std::string error = Run(function, order, seed, 64, 1024, UnsetValues::Allow).error;
      INFO(error);
      CHECK(error.find("race: element ") == 0);
      CHECK(error.find(" of block (0,0,0)") != std::string::npos);
    }
  }
}

TEST_CASE("reads that race give no value where that is asked for, which matters or does not") {
  Function used = Exchange(false);
  Function unused = Exchange(false);
  unused.body.stmts.pop_back();
  const VarRef neighbour = Value("neighbour", kDouble);
  const Expr wrapped = Call(Routine::WrapIndex, kIndex, {Read(kX) + Number(1), Number(64)});
  unused.body.Add(LetStmt{neighbour, ElementAt(kPlane, wrapped)});
  unused.body.Add(Set(ElementAt(kOut, Read(kX)), ElementAt(kPlane, Read(kX))));
  for (const RunOrder order : kOrders) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto run = [&](const Function& function, DataRaces races) {
        ExecuteOptions options;
        options.order = order;
        options.seed = seed;
        options.threads = {64, 1, 1};
        options.shared_bytes = 1024;
        options.races = races;
        Memory out = UnsetMemory(ScalarType::Double, 64);
        Memory in = Doubles(std::vector<double>(64, 2.5));
        return Execute(function, {&out, &in}, options).error;
      };
      CHECK(run(used, DataRaces::Unset).find("gets a value that is not set") != std::string::npos);
      CHECK(run(unused, DataRaces::Unset) == "");
      CHECK(run(unused, DataRaces::Report).find("race: ") == 0);
      CHECK(run(unused, DataRaces::Ignore) == "");
    }
  }
}

TEST_CASE("a plane that is written again needs a barrier after its readers") {
  for (const bool barrier : {false, true}) {
    Function function = Exchange(true);
    if (barrier) function.body.Add(BarrierStmt{});
    function.body.Add(Set(ElementAt(kPlane, Read(kX)), Real(1)));
    for (const RunOrder order : kOrders) {
      const std::string error = Run(function, order).error;
      INFO(error);
      CHECK((error.find("race: element ") == 0) != barrier);
      CHECK(error.empty() == barrier);
    }
  }
}

TEST_CASE("shared memory has bounds, and no value at first") {
  const Function function = Exchange(true);
  CHECK(Run(function, RunOrder::Forward, 0, 64, 512).error ==
        "out of bounds: element 64 of shared memory, which has 64 at `plane[x] = in[x];` in thread "
        "(62,0,0) of block (0,0,0)");
  Function unset = Exchange(true);
  unset.body.stmts.erase(unset.body.stmts.begin() + 2);
  CHECK(Run(unset, RunOrder::Forward).error ==
        "element 0 of out gets a value that is not set at `out[x] = plane[Min(x + 1, 63)];` in "
        "thread (0,0,0) of block (0,0,0)");
  CHECK(Run(unset, RunOrder::Forward, 0, 64, 1024, UnsetValues::Loads)
            .error.find("element 3 of shared memory was never written") == 0);
}

TEST_CASE("values that nobody set may be computed with where nothing comes of them") {
  Function function = Exchange(true);
  // Beyond the elements that threads wrote, as threads at the edge of a tile do.
  const VarRef beyond = Value("beyond", kDouble);
  function.body.Add(LetStmt{beyond, ElementAt(kPlane, Read(kX) + Number(30)) + Real(1)});
  function.body.Add(
      IfStmt{Less(Read(kX), Number(30)), Of(Set(ElementAt(kOut, Read(kX)), Read(beyond))), {}});
  CHECK(Problem(function) == "");
  const Outcome outcome = Run(function, RunOrder::Random, 3);
  CHECK(outcome.error == "");
  CHECK(outcome.out[4] == 35);
  CHECK(outcome.out[40] == 41);
}

TEST_CASE("threads that do not meet at a barrier are found") {
  const Expr early = Less(Read(kX), Number(3));
  Function branch = Exchange(false);
  branch.body.stmts.insert(branch.body.stmts.begin() + 3,
                           Stmt{IfStmt{early, Of(BarrierStmt{}), {}}});
  CHECK(Problem(branch) == "a barrier that threads of a block may not reach: `__syncthreads();`");
  CHECK(Run(branch, RunOrder::Forward, 0, 64, 1024, UnsetValues::Allow).error != "");
  Function left = Exchange(true);
  left.body.stmts.insert(left.body.stmts.begin() + 2,
                         Stmt{IfStmt{early, Of(JumpStmt{Jump::Return}), {}}});
  CHECK(Problem(left) == "a barrier that threads of a block may not reach: `__syncthreads();`");
  CHECK(Run(left, RunOrder::Forward).error ==
        "barrier divergence in block (0,0,0): of 64 threads 3 have ended, 61 wait at a barrier, 0 "
        "in a shuffle");
}

TEST_CASE("shuffles give a warp's lanes the value of another lane of the row") {
  const VarRef x = Value("x");
  const VarRef own = Value("own", kDouble);
  for (const Routine routine : {Routine::ShuffleUp, Routine::ShuffleDown}) {
    for (const int width : {32, 8}) {
      const Expr moved = Call(routine, kDouble, {Read(own), Number(3), Number(width)});
      const Function function = Device(
          {Out(kOut), In(kIn)}, Of(LetStmt{x, Thread()}, LetStmt{own, ElementAt(kIn, Read(x))},
                                   Set(ElementAt(kOut, Read(x)), moved)));
      CHECK(Problem(function) == "");
      for (const RunOrder order : kOrders) {
        for (const int threads : {64, 48}) {
          const Outcome outcome = Run(function, order, 1, threads, 0, UnsetValues::Allow);
          CHECK(outcome.error == "");
          for (int k = 0; k < threads; ++k) {
            const int place = k % width;
            const int from = routine == Routine::ShuffleUp ? (place >= 3 ? k - 3 : k)
                                                           : (place + 3 < width ? k + 3 : k);
            if (from < threads) CHECK(outcome.out[static_cast<std::size_t>(k)] == from);
          }
        }
      }
    }
  }
}

TEST_CASE("a shuffle that not all lanes reach is a deadlock") {
  const Expr moved = Call(Routine::ShuffleUp, kDouble, {Real(1), Number(1), Number(32)});
  const Function function =
      Device({Out(kOut), In(kIn)},
             Of(LetStmt{kX, Thread()},
                IfStmt{Less(Read(kX), Number(40)), Of(Set(ElementAt(kOut, Read(kX)), moved)), {}}));
  CHECK(Problem(function).find("a shuffle that threads of a warp may not reach") == 0);
  CHECK(Run(function, RunOrder::Forward).error.find("deadlock in block (0,0,0)") == 0);
}

/// Each thread sends an element on its way, and reads another thread's.
Function CopyAsync(bool wait, bool barrier) {
  Block body =
      Of(SharedStmt{kPlane}, LetStmt{kX, Thread()},
         CopyAsyncStmt{AddressAt(kPlane, Read(kX)), AddressAt(kIn, Read(kX))}, CommitStmt{});
  if (wait) body.Add(WaitStmt{});
  if (barrier) body.Add(BarrierStmt{});
  body.Add(Set(ElementAt(kOut, Read(kX)), ElementAt(kPlane, Number(63) - Read(kX))));
  return Device({Out(kOut), In(kIn)}, body);
}

TEST_CASE("asynchronous copies are there after a wait and a barrier, and not before") {
  for (const RunOrder order : kOrders) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      CHECK(Problem(CopyAsync(true, true)) == "");
      const Outcome good = Run(CopyAsync(true, true), order, seed);
      CHECK(good.error == "");
      CHECK(good.out[10] == 53);
      CHECK(good.counters.shared_stores == 64);
      const auto fails = [&](bool wait, bool barrier) {
        return Run(CopyAsync(wait, barrier), order, seed, 64, 1024, UnsetValues::Allow)
                   .error.find("race: ") == 0;
      };
      CHECK(fails(false, true));
      CHECK(fails(true, false));
    }
  }
}

TEST_CASE("vectors move several elements at an aligned place") {
  const VarRef two = Registers("two", 2);
  const auto function = [&](int offset) {
    return Device({Out(kOut), In(kIn)},
                  Of(LetStmt{kX, Thread()}, DeclareStmt{{two}, false},
                     LoadVectorStmt{AddressAt(kIn, Read(kX) * Number(2) + Number(offset)), two},
                     StoreVectorStmt{kOut, Read(kX) * Number(2), two}));
  };
  CHECK(Problem(function(0)) == "");
  const Outcome outcome = Run(function(0), RunOrder::Random, 0, 32);
  CHECK(outcome.error == "");
  CHECK(outcome.out[33] == 33);
  CHECK(outcome.counters.global_loads == 64);
  CHECK(outcome.counters.global_load_bytes == 512);
  CHECK(outcome.counters.global_stores == 64);
  CHECK(Run(function(1), RunOrder::Forward, 0, 16).error.find("not aligned to 16 bytes") == 0);
}

TEST_CASE("blocks of a grid share global memory without an order") {
  const VarRef at = Value("at");
  const auto function = [&](const Expr& value, bool barrier) {
    Block body = Of(LetStmt{at, BlockPlace() * Number(16) + Thread()},
                    Set(ElementAt(kOut, Read(at)), ElementAt(kIn, Read(at))));
    if (barrier) body.Add(BarrierStmt{});
    body.Add(Set(ElementAt(kIn, Read(at)), value));
    return Device({InOut(kOut), InOut(kIn)}, body);
  };
  const auto run = [&](const Function& each, RunOrder order) {
    ExecuteOptions options;
    options.order = order;
    options.blocks = {4, 1, 1};
    options.threads = {16, 1, 1};
    options.unset = UnsetValues::Allow;
    Memory out = UnsetMemory(ScalarType::Double, 64);
    std::vector<double> numbers(64);
    for (int k = 0; k < 64; ++k) numbers[static_cast<std::size_t>(k)] = k;
    Memory in = Doubles(numbers);
    return Execute(each, {&out, &in}, options).error;
  };
  const auto neighbour = [&](int distance) {
    const Expr place = Call(Routine::WrapIndex, kIndex, {Read(at) + Number(distance), Number(64)});
    return ElementAt(kOut, place);
  };
  for (const RunOrder order : kOrders) {
    CHECK(run(function(neighbour(0), true), order) == "");
    // Of the same block, behind a barrier; of others for the first thread.
    CHECK(run(function(neighbour(1), true), order) != "");
    CHECK(run(function(neighbour(1), false), order) != "");
    const Expr own_block = ElementAt(kOut, BlockPlace() * Number(16) + (Number(15) - Thread()));
    CHECK(run(function(own_block, true), order) == "");
    CHECK(run(function(own_block, false), order).find("race: ") == 0);
  }
}

TEST_CASE("the elements of a rim are around its box, each once") {
  const VarRef place = Value("place");
  const VarRef x = Value("place.x", kInt);
  const VarRef y = Value("place.y", kInt);
  for (const bool corners : {false, true}) {
    RimPlaceStmt rim = {place, x, y, Thread(), 3, 4, 1, 2, 2, 1, corners};
    const Function function = Device(
        {Out(kOut), In(kIn)},
        Of(rim,
           Set(ElementAt(kOut, (Read(y) + Number(1)) * Number(8) + Read(x) + Number(2)), Real(1))));
    CHECK(Problem(function) == "");
    // 3 rows of 4 columns, or of 7, and 3 columns beside 3 rows.
    const int elements = 3 * (corners ? 7 : 4) + 3 * 3;
    const Outcome outcome = Run(function, RunOrder::Random, 2, elements);
    CHECK(outcome.error == "");
    CHECK(std::count(outcome.out.begin(), outcome.out.end(), 1.0) == elements);
    for (int row = -1; row < 5; ++row) {
      for (int column = -2; column < 5; ++column) {
        const bool beside = column < 0 || column > 3;
        const bool above = row < 0 || row > 2;
        const bool in_rim = corners ? beside || above : beside != above;
        const auto at = static_cast<std::size_t>((row + 1) * 8 + column + 2);
        CHECK((outcome.out[at] == 1.0) == in_rim);
      }
    }
  }
}

TEST_CASE("elements of several types share the memory of a block") {
  const VarRef small = Shared("small", kFloat);
  const VarRef y = Value("y", kFloat);
  const Function function =
      Device({Out(kOut), In(kIn)},
             Of(SharedStmt{kPlane}, SharedStmt{small, 0, 0, true}, LetStmt{kX, Thread()},
                Set(ElementAt(kPlane, Read(kX)), ElementAt(kIn, Read(kX))), BarrierStmt{},
                Set(Read(small), Number(2), AssignOp::Add),
                Set(ElementAt(small, Read(kX) * Number(2) - Number(2)), Constant(kFloat, 0.5)),
                LetStmt{y, ElementAt(small, Read(kX) * Number(2) - Number(2))},
                Set(ElementAt(kOut, Read(kX)), ConvertTo(kDouble, Read(y)))));
  CHECK(Problem(function) == "");
  const Outcome outcome = Run(function, RunOrder::Random, 7);
  CHECK(outcome.error == "");
  CHECK(outcome.out == std::vector<double>(64, 0.5));
}

/// `out[x] = in[x] * factors[0]` for x from 1 to n - 2, a thread each, in strides over the grid.
LaunchedKernel Scaling(int axis) {
  const VarRef n = Value("n", kInt);
  const VarRef lo = Value("x_lo");
  const VarRef hi = Value("x_hi");
  const VarRef factors = MakeVar("factors", kDouble, Storage::Constant);
  const auto place = [&](PlaceExpr::What what) { return GridPlace(what, axis, kIndex); };
  const Expr first =
      Read(lo) + place(PlaceExpr::What::Block) * Number(4) + place(PlaceExpr::What::Thread);
  ForStmt loop =
      Loop(kX, first, Read(hi),
           Of(Set(ElementAt(kOut, Read(kX)),
                  Apply(BinaryOp::Mul, ElementAt(kIn, Read(kX)), ElementAt(factors, Number(0))))));
  loop.step = place(PlaceExpr::What::Blocks) * Number(4);
  LaunchedKernel kernel;
  kernel.function = Device({Out(kOut), In(kIn), {lo}, {hi}}, Of(loop));
  kernel.launch.name = std::string("start");
  kernel.launch.condition = Apply(BinaryOp::GreaterEqual, Read(n), Number(2));
  kernel.launch.ranges = {{"x", Number(1), Read(n) - Number(2), {}, {}, lo, hi}};
  kernel.launch.covered = {0};
  kernel.launch.axes.resize(static_cast<std::size_t>(axis) + 1, {0, 64, nullptr});
  kernel.launch.axes.back().points = 4;
  kernel.launch.threads.assign(static_cast<std::size_t>(axis) + 1, 1);
  kernel.launch.threads.back() = 4;
  kernel.launch.arguments = {kOut, kIn, lo, hi};
  return kernel;
}

TEST_CASE("a launch covers its range with blocks, and kernels stride over the rest") {
  for (const int axis : {0, 1, 2}) {
    const LaunchedKernel kernel = Scaling(axis);
    CHECK(Problem(kernel.function) == "");
    for (const std::int64_t n : {0, 1, 2, 3, 5, 6, 7, 31}) {
      for (const int most : {1, 3, 65535}) {
        Memory out = UnsetMemory(ScalarType::Double, 31);
        std::vector<double> numbers(31);
        for (std::size_t k = 0; k < 31; ++k) numbers[k] = static_cast<double>(k);
        Memory in = Doubles(numbers);
        Memory factors = Doubles({0.5});
        const auto lookup = [&](const VarRef& var) -> std::optional<ExecuteArgument> {
          if (var == kOut) return &out;
          if (var == kIn) return &in;
          if (var->name == "factors") return &factors;
          if (var->name == "n") return n;
          return std::nullopt;
        };
        ExecuteOptions options;
        options.most_blocks = most;
        const ExecuteResult result = Execute(kernel.function, kernel.launch, lookup, options);
        CHECK(result.error == "");
        const std::int64_t blocks = n < 3 ? 0 : (n - 2 + 3) / 4;
        CHECK(result.counters.threads == 4 * (axis == 0 || blocks < most ? blocks : most));
        CHECK(result.counters.global_loads == std::max<std::int64_t>(n - 2, 0));
        for (std::int64_t k = 0; k < 31; ++k) {
          const auto at = static_cast<std::size_t>(k);
          CHECK((out.defined[at] != 0) == (1 <= k && k <= n - 2));
          if (out.defined[at] != 0) CHECK(DoublesOf(out)[at] == 0.5 * static_cast<double>(k));
        }
      }
    }
  }
  const LaunchedKernel kernel = Scaling(0);
  const ExecuteResult result = Execute(
      kernel.function, kernel.launch, [](const VarRef&) { return std::nullopt; }, ExecuteOptions());
  CHECK(result.error == "start: n has no value");
}

}  // namespace
}  // namespace stencilgen::kernel
