// What a command line means for a program: names, the schedule, the pipeline's options.
#include <array>
#include <string>
#include <vector>

#include "driver/options.h"
#include "driver_options_tools.h"
#include "frontend/read_program.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::driver;
using namespace stencilgen::testing;

namespace {

graph::ProgramInterface Program(const std::string& iterators, const std::string& extents) {
  const SourceFile source("p.idsl", "parameter L=8, M=8, N=8;\niterator " + iterators +
                                        ";\ndouble u[" + extents + "];\ncopyin u;\n" +
                                        "stencil s (A) { A[" + iterators + "] = 2.0*A[" +
                                        iterators + "]; }\ns (u);\ncopyout u;\n");
  DiagnosticSink sink;
  auto program = ReadProgram(source, sink);
  REQUIRE(program);
  return std::move(program)->interface;
}

}  // namespace

TEST_CASE("names are checked against the program") {
  const graph::ProgramInterface program = Program("j, i", "M,N");
  const auto check = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"f.idsl"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return CheckAgainstProgram(Good(all), program);
  };
  CHECK_FALSE(check({"-D", "M=5", "--unroll", "j=2", "--blockdim", "x=8,y=8,z=1"}));
  REQUIRE(check({"-D", "Q=5"}));
  CHECK(Contains(check({"-D", "Q=5"})->message, "no parameter `Q`"));
  REQUIRE(check({"--unroll", "k=2"}));
  CHECK(Contains(check({"--unroll", "k=2"})->hint, "`j` and `i`"));
  REQUIRE(check({"--blockdim", "z=2"}));
  REQUIRE(check({"--blockdim", "x=64,y=17"}));
  CHECK(Contains(check({"--blockdim", "x=64,y=17"})->message, "1088"));
}

TEST_CASE("the schedule follows the command line") {
  const graph::ProgramInterface program = Program("k, j, i", "L,M,N");
  const auto schedule = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"f.idsl"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return MakePipelineOptions(Good(all), program).schedule;
  };
  CHECK(schedule({}).block == plan::Schedule{}.block);
  CHECK(schedule({"--blockdim", "x=7,y=5,z=3"}).block == std::array<int, 3>{7, 5, 3});
  CHECK(schedule({"--unroll", "k=4,i=2"}).unroll == std::array<int, 3>{2, 1, 4});
  for (const std::string x : {"1", "31", "512", "1000", "1024"}) {
    const auto block = schedule({"--blockdim", "x=" + x}).block;
    CHECK(block[0] == std::stoi(x));
    CHECK(block[0] * block[1] * block[2] <= 1024);
  }
  CHECK(schedule({"--fusion", "max"}).fusion == plan::Fusion::Max);
  CHECK(schedule({"--fusion", "none"}).fusion == plan::Fusion::None);
  CHECK(schedule({"--shared-mem", "true"}).shared_memory);
  CHECK_FALSE(schedule({"--shared-mem", "false"}).shared_memory);
  CHECK(schedule({"--shuffle"}).shuffle);
  CHECK(schedule({"--prefetch", "none"}).prefetch == plan::Prefetch::None);
  CHECK(schedule({"--prefetch", "register"}).prefetch == plan::Prefetch::Register);
  CHECK(schedule({"--prefetch", "async"}).prefetch == plan::Prefetch::Async);
  CHECK(schedule({"--barriers", "level"}).barriers == plan::BarrierRule::Level);
  CHECK(schedule({"--barriers", "step"}).barriers == plan::BarrierRule::Step);
  CHECK(schedule({"--retime"}).form == plan::Form::Scatter);
  CHECK(schedule({}).shared_limit == 227 * 1024);
  CHECK(schedule({"--arch", "sm_80"}).shared_limit == 163 * 1024);
  CHECK(schedule({"--arch", "sm_90a"}).shared_limit == 227 * 1024);
  // Not described: what every GPU has.
  CHECK(schedule({"--arch", "sm_123"}).shared_limit == 48 * 1024);
  const auto deep = schedule({"--blockdim", "z=64"}).block;
  CHECK(deep[2] == 64);
  CHECK(deep[0] * deep[1] * deep[2] <= 1024);
}

TEST_CASE("what the command line does not say stays the schedule's default") {
  const Options silent = Good({"f.idsl"});
  CHECK_FALSE((silent.time_tile || silent.fusion || silent.shared_memory || silent.shuffle ||
               silent.prefetch || silent.barriers || silent.form));
  const graph::ProgramInterface program = Program("k, j, i", "L,M,N");
  const PipelineOptions pipeline = MakePipelineOptions(silent, program);
  const plan::Schedule defaults;
  CHECK(pipeline.time_tile == PipelineOptions{}.time_tile);
  CHECK(pipeline.schedule.fusion == defaults.fusion);
  CHECK(pipeline.schedule.shared_memory == defaults.shared_memory);
  CHECK(pipeline.schedule.shuffle == defaults.shuffle);
  CHECK(pipeline.schedule.prefetch == defaults.prefetch);
  CHECK(pipeline.schedule.barriers == defaults.barriers);
  CHECK(pipeline.schedule.form == defaults.form);

  const Options told = Good({"f.idsl", "--time-tile", "64", "--shared-mem", "false"});
  CHECK(told.shared_memory == false);
  CHECK(MakePipelineOptions(told, program).time_tile == 64);
}

TEST_CASE("what is denied is given: nothing else is chosen") {
  const graph::ProgramInterface program = Program("j, i", "M,N");
  const PipelineOptions options = MakePipelineOptions(
      Good({"f.idsl", "--no-stream", "--no-shuffle", "--no-retime", "--fusion-limit", "3"}),
      program);
  CHECK(options.given.stream);
  CHECK_FALSE(options.schedule.stream);
  CHECK(options.given.shuffle);
  CHECK_FALSE(options.schedule.shuffle);
  CHECK(options.given.form);
  CHECK(options.schedule.form == plan::Form::Gather);
  CHECK(options.schedule.most_operators == 3);
  CHECK_FALSE(options.given.fusion);
}
