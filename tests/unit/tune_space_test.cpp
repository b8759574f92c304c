// What `stencilgen tune` looks through: every set is a command line that compiles.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/read_program.h"
#include "support/catch.h"
#include "support/suite.h"
#include "tools/tune/search_space.h"
#include "tools/tune/tuner.h"

namespace stencilgen {
namespace {

using namespace driver;

const char* const kText = R"(
parameter L=200, M=200, N=200, T=64;
iterator k, j, i;
double u[L,M,N], v[L,M,N];
copyin u, v;
stencil s (A, B) {
  B[k][j][i] = 0.1*(A[k-1][j][i] + A[k+1][j][i] + A[k][j-1][i] + A[k][j+1][i] + A[k][j][i-1]
             + A[k][j][i+1] - A[k][j][i]);
}
iterate T { s (u, v); swap u, v; }
copyout u;
)";

const char* const kTwoStatements = R"(
parameter L=200, M=200, N=200, T=64;
iterator k, j, i;
double u[L,M,N], v[L,M,N], w[L,M,N];
copyin u, v, w;
stencil s (A, B, C) {
  B[k][j][i] = 0.1*(A[k-1][j][i] + A[k+1][j][i] + A[k][j-1][i] + A[k][j+1][i] - A[k][j][i]);
  C[k][j][i] = 0.1*(B[k][j][i-1] + B[k][j][i+1] - B[k][j][i]);
  A[k][j][i] = 0.1*(C[k][j][i-1] + C[k][j][i+1] - C[k][j][i]);
}
iterate T { s (u, v, w); }
copyout u;
)";

/// A program to tune, from its text and options.
struct Subject {
  explicit Subject(const std::string& text, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"tune", "p.idsl"});
    const auto parsed = ParseCommandLine(arguments);
    if (const auto* error = std::get_if<UsageError>(&parsed)) FAIL(error->message);
    program.options = std::get<Options>(parsed);
    DiagnosticSink sink;
    loaded.source = std::make_unique<SourceFile>("p.idsl", text);
    loaded.program = ReadProgram(*loaded.source, sink);
    REQUIRE(loaded.program);
    loaded.pipeline = MakePipelineOptions(program.options, loaded.program->interface);
    auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
    REQUIRE(graph);
    program.graph = *std::move(graph);
    program.loaded = &loaded;
  }
  void SetTarget(Target target) {
    program.options.target = target;
    loaded.pipeline.target = target;
  }
  SearchSpace Cuda() {
    SetTarget(Target::Cuda);
    return CudaSpace(program.graph, CompileToChosenPlan(program.graph, loaded.pipeline),
                     loaded.pipeline, GivenByHand(program.options));
  }
  SearchSpace Cpp() {
    SetTarget(Target::Cpp);
    return CppSpace(program.graph, plan_sizes, program.options.fp, 8, GivenByHand(program.options));
  }

  LoadedProgram loaded;
  TunedProgram program;
  graph::ParameterValues plan_sizes = {200, 200, 200, 64};
};

bool Mentions(const SearchSpace& space, const std::string& option) {
  const auto has = [&](const OptionSet& set) { return set.count(option) > 0; };
  return std::any_of(space.start.begin(), space.start.end(), has) ||
         std::any_of(space.dimensions.begin(), space.dimensions.end(), [&](const Dimension& one) {
           return std::any_of(one.alternatives.begin(), one.alternatives.end(), has);
         });
}

TEST_CASE("for CUDA everything is looked at that options can say") {
  Subject subject(kText);
  const SearchSpace space = subject.Cuda();
  CHECK(space.start.size() >= 20);
  for (const char* option :
       {"--blockdim", "--unroll", "--stream", "--concurrent-stream", "--time-tile", "--shared-mem",
        "--prefetch", "--barriers", "--shuffle", "--retime", "--reorder", "--reorder-score",
        "--cregs", "--no-stream", "--no-shuffle", "--no-retime", "--halo"}) {
    INFO(option);
    CHECK(Mentions(space, option));
  }
  CHECK_FALSE(Mentions(space, "--tile"));
  // One statement is alone, but for its time steps.
  for (const Dimension& dimension : space.dimensions) CHECK(dimension.name != "fusion");
}

TEST_CASE("for CUDA all of these vary") {
  Subject subject(kTwoStatements);
  const SearchSpace space = subject.Cuda();
  // Each of several values, in dimensions of their own.
  std::set<std::string> dimensions;
  for (const Dimension& dimension : space.dimensions) {
    CHECK(dimensions.insert(dimension.name).second);
    const std::set<OptionSet> different(dimension.alternatives.begin(),
                                        dimension.alternatives.end());
    CHECK(different.size() == dimension.alternatives.size());
  }
  const auto count = [&](const std::string& option) {
    std::set<std::string> values;
    for (const Dimension& dimension : space.dimensions) {
      for (const OptionSet& set : dimension.alternatives) {
        if (set.count(option) > 0) values.insert(set.at(option));
      }
    }
    return values.size();
  };
  const std::map<std::string, std::size_t> least = {{"--blockdim", 10},
                                                    {"--unroll", 10},
                                                    {"--stream", 2},
                                                    {"--no-stream", 1},
                                                    {"--concurrent-stream", 8},
                                                    {"--time-tile", 8},
                                                    {"--retime", 1},
                                                    {"--no-retime", 1},
                                                    {"--prefetch", 3},
                                                    {"--shuffle", 1},
                                                    {"--no-shuffle", 1},
                                                    {"--barriers", 2},
                                                    {"--halo", 2},
                                                    {"--shared-mem", 2},
                                                    {"--reorder", 4},
                                                    {"--cregs", 6},
                                                    {"--split", 4},
                                                    {"--fusion", 3},
                                                    {"--fusion-limit", 1}};
  for (const auto& [option, values] : least) {
    INFO(option);
    CHECK(count(option) >= values);
  }
  // Each is drawn: there is a neighbour of the default with it.
  std::set<std::string> drawn;
  for (const OptionSet& set : Neighbours({}, space.dimensions)) {
    for (const auto& [name, value] : set) drawn.insert(name);
  }
  for (const auto& [option, values] : least) {
    INFO(option);
    CHECK(drawn.count(option) == 1);
  }
}

TEST_CASE("an option and its opposite are one subject") {
  Subject subject(kText, {"--no-stream", "--shuffle"});
  const SearchSpace space = subject.Cuda();
  for (const char* option :
       {"--stream", "--concurrent-stream", "--no-stream", "--shuffle", "--no-shuffle"}) {
    INFO(option);
    CHECK_FALSE(Mentions(space, option));
  }
  CHECK(Mentions(space, "--retime"));
}

TEST_CASE("the options of a candidate ask for its schedule") {
  Subject subject(GENERATE(kText, kTwoStatements));
  subject.SetTarget(Target::Cuda);
  const ChosenPlan chosen = CompileToChosenPlan(subject.program.graph, subject.loaded.pipeline);
  REQUIRE(chosen.ranked.size() > 10);
  for (std::size_t k = 0; k < chosen.ranked.size(); k += 7) {
    const Candidate& wanted = chosen.ranked[k];
    auto options = WithOptions(subject.program.options, OptionsOf(wanted, subject.program.graph),
                               subject.loaded.program->interface);
    INFO(ToString(OptionsOf(wanted, subject.program.graph)));
    REQUIRE(std::holds_alternative<Options>(options));
    const Candidate got =
        CompileToChosenPlan(
            subject.program.graph,
            MakePipelineOptions(std::get<Options>(options), subject.loaded.program->interface))
            .chosen;
    CHECK(got.schedule.block == wanted.schedule.block);
    CHECK(got.schedule.unroll == wanted.schedule.unroll);
    CHECK(got.time_tile == wanted.time_tile);
    CHECK(got.schedule.shared_memory == wanted.schedule.shared_memory);
    CHECK(got.schedule.shuffle == wanted.schedule.shuffle);
    CHECK(got.split == wanted.split);
    if (wanted.split == 0 && wanted.schedule.shared_memory) {
      CHECK(got.schedule.fusion == wanted.schedule.fusion);
      CHECK(got.schedule.most_operators == wanted.schedule.most_operators);
    }
    REQUIRE(got.schedule.stream.has_value() == wanted.schedule.stream.has_value());
    if (wanted.schedule.stream) {
      CHECK(got.schedule.stream->iterator == wanted.schedule.stream->iterator);
      CHECK(got.schedule.stream->chunk == wanted.schedule.stream->chunk);
    }
  }
}

TEST_CASE("every set can be typed, or is refused with a reason") {
  for (const Target target : {Target::Cuda, Target::Cpp}) {
    Subject subject(kText);
    const SearchSpace space = target == Target::Cuda ? subject.Cuda() : subject.Cpp();
    REQUIRE_FALSE(space.start.empty());
    std::vector<OptionSet> sets = space.start;
    for (const OptionSet& set : Neighbours(space.start.front(), space.dimensions)) {
      sets.push_back(set);
    }
    std::size_t compiled = 0;
    for (std::size_t k = 0; k < sets.size(); k += 5) {
      std::vector<std::string> arguments = {"p.idsl", "--target",
                                            target == Target::Cuda ? "cuda" : "cpp"};
      for (const std::string& argument : ArgumentsOf(sets[k])) arguments.push_back(argument);
      const auto typed = ParseCommandLine(arguments);
      const TunedCode code = CodeFor(subject.program, sets[k]);
      INFO(ToString(sets[k]));
      const auto* options = std::get_if<Options>(&typed);
      CHECK(code.error.empty() ==
            (options != nullptr &&
             !CheckAgainstProgram(*options, subject.loaded.program->interface)));
      CHECK(code.text.empty() == !code.error.empty());
      compiled += code.error.empty() ? 1 : 0;
    }
    CHECK(compiled >= sets.size() / 10);
  }
}

TEST_CASE("what is given by hand does not vary") {
  Subject subject(kText, {"--blockdim", "x=32,y=4", "--stream", "k", "--fp", "strict"});
  const SearchSpace space = subject.Cuda();
  for (const char* option :
       {"--blockdim", "--stream", "--concurrent-stream", "--retime", "--reorder"}) {
    INFO(option);
    CHECK_FALSE(Mentions(space, option));
  }
  CHECK(Mentions(space, "--unroll"));
  CHECK(GivenByHand(subject.program.options) ==
        OptionSet{{"--blockdim", "x=32,y=4"}, {"--stream", "k"}, {"--fp", "strict"}});
  Subject threads(kText, {"--target", "cpp", "--threads", "2", "--tile", "j=8"});
  CHECK_FALSE(Mentions(threads.Cpp(), "--threads"));
  CHECK_FALSE(Mentions(threads.Cpp(), "--tile"));
}

TEST_CASE("for C++ tiles, threads, points and orders vary") {
  Subject subject(kText);
  const SearchSpace space = subject.Cpp();
  for (const char* option : {"--tile", "--threads", "--unroll", "--reorder", "--distribute"}) {
    INFO(option);
    CHECK(Mentions(space, option));
  }
  std::set<OptionSet> different(space.start.begin(), space.start.end());
  CHECK(different.size() == space.start.size());
  CHECK(different.count({}) == 0);
  CHECK_FALSE(Mentions(space, "--fusion"));
  Subject several(kTwoStatements);
  CHECK(Mentions(several.Cpp(), "--fusion"));
}

TEST_CASE("the model prices CUDA code and has no price for C++") {
  Subject subject(kText);
  subject.SetTarget(Target::Cuda);
  const std::vector<OptionSet> sets = {{},
                                       {{"--time-tile", "1"}, {"--shared-mem", "false"}},
                                       {{"--stream", "i"}},
                                       {{"--nonsense", "1"}}};
  const auto seconds = PredictAll(subject.program, sets, 2);
  REQUIRE(seconds.size() == 4);
  REQUIRE(seconds[0]);
  REQUIRE(seconds[1]);
  CHECK(*seconds[0] > 0);
  CHECK(*seconds[0] <= *seconds[1]);
  CHECK_FALSE(seconds[2]);
  CHECK_FALSE(seconds[3]);
  subject.SetTarget(Target::Cpp);
  CHECK(*PredictAll(subject.program, {{}}, 2)[0] == 0);
}

TEST_CASE("checks are at small sizes, odd and different, that the program allows") {
  Subject subject(kText);
  const auto sizes = CheckedSizes(subject.program.graph, {512, 512, 512, 1000});
  CHECK(sizes[0] == graph::ParameterValues{37, 61, 147, 19});
  CHECK(CheckedSizes(subject.program.graph, {8, 64, 128, 2})[0] ==
        graph::ParameterValues{8, 61, 125, 2});
  // Two arrays of which one is half as large as the other along each dimension.
  Subject coupled(R"(
parameter M=514, N=257;
iterator i;
double u[M], v[N];
copyin u;
stencil s (A, B) { B[i] = A[2*i]; }
s (u, v);
copyout v;
)");
  auto inputs = PrepareInputs(coupled.program.graph, coupled.program.options);
  REQUIRE(std::holds_alternative<RunInputs>(inputs));
  coupled.program.inputs.timed = std::get<RunInputs>(std::move(inputs));
  const auto error = PrepareChecks(coupled.program);
  INFO((error ? error->message : ""));
  CHECK_FALSE(error);
  CHECK(coupled.program.inputs.reference.outputs.size() == 1);
}

TEST_CASE("every program of the benchmarks has sizes to check it at") {
  int count = 0;
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    INFO(benchmark.name);
    Subject subject(benchmark.text);
    const graph::ParameterValues usual = [&] {
      graph::ParameterValues values;
      for (const graph::Parameter& parameter : subject.program.graph.parameters) {
        values.push_back(parameter.default_value.value_or(512));
      }
      return values;
    }();
    const auto sizes = CheckedSizes(subject.program.graph, usual);
    // The first is one that the program allows: nothing falls back to the size that counts.
    graph::Graph small = subject.program.graph;
    for (graph::ParameterId id : small.parameters.Ids()) {
      small.parameters[id].default_value = sizes[0][id.index];
    }
    const auto inputs = PrepareInputs(small, subject.program.options);
    REQUIRE(std::holds_alternative<RunInputs>(inputs));
    ++count;
  }
  CHECK(count > 40);
}

}  // namespace
}  // namespace stencilgen
