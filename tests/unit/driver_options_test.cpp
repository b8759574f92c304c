#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/option_table.h"
#include "driver/option_values.h"
#include "driver/options.h"
#include "frontend/parse.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::driver;

namespace {

Options Good(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments);
  if (const auto* error = std::get_if<UsageError>(&parsed)) {
    FAIL("refused: " << error->message << " / " << error->hint);
  }
  return std::get<Options>(parsed);
}

UsageError Bad(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments);
  const auto* error = std::get_if<UsageError>(&parsed);
  std::string text;
  for (const std::string& argument : arguments) text += " " + argument;
  INFO("arguments:" << text);
  REQUIRE(error != nullptr);
  return *error;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ast::Program Program(const std::string& iterators, const std::string& extents) {
  const SourceFile source("p.idsl", "parameter L=8, M=8, N=8;\niterator " + iterators +
                                        ";\ndouble u[" + extents + "];\ncopyin u;\n" +
                                        "stencil s (A) { A[" + iterators + "] = 2.0*A[" +
                                        iterators + "]; }\ns (u);\ncopyout u;\n");
  DiagnosticSink sink;
  auto program = Parse(source, sink);
  REQUIRE(program);
  return *std::move(program);
}

}  // namespace

TEST_CASE("options of the compiler are read") {
  const Options options = Good({"dir/heat.idsl",
                                "-o",
                                "x.cu",
                                "--header=x.h",
                                "-D",
                                "M=10,N=20",
                                "-DL=3",
                                "--blockdim",
                                "x=64",
                                "--blockdim",
                                "y=2,z=3",
                                "--unroll",
                                "k=2,j=1",
                                "--fp",
                                "strict",
                                "--target",
                                "cuda",
                                "--no-standalone",
                                "--max-errors",
                                "0",
                                "--shared-mem",
                                "false",
                                "--time-tile",
                                "1",
                                "--host-function",
                                "go",
                                "--arch",
                                "sm_80"});
  CHECK(options.command == Command::Compile);
  CHECK(options.input == "dir/heat.idsl");
  CHECK(options.out_file == "x.cu");
  CHECK(options.header_file == "x.h");
  CHECK(options.defines == std::map<std::string, std::int64_t>{{"L", 3}, {"M", 10}, {"N", 20}});
  CHECK(options.block[0] == 64);
  CHECK(options.block[1] == 2);
  CHECK(options.block[2] == 3);
  CHECK(options.unroll == std::map<std::string, int>{{"j", 1}, {"k", 2}});
  CHECK(options.fp == codegen::FpMode::Strict);
  CHECK(options.target == Target::Cuda);
  CHECK_FALSE(options.standalone);
  CHECK(options.max_errors == 0);
  CHECK(options.host_function == "go");
  CHECK(options.arch == "sm_80");
}

TEST_CASE("an option's value never swallows the file") {
  CHECK(Good({"--blockdim", "x=8", "f.idsl"}).input == "f.idsl");
  CHECK(Good({"-D", "N=8", "f.idsl"}).input == "f.idsl");
  CHECK(Good({"f.idsl", "-o", "-"}).out_file == "-");
  CHECK(Good({"-"}).input == "-");
}

TEST_CASE("options of run are read") {
  const Options options = Good({"run", "f.idsl", "--in", "u=a=b.npy", "--scalar", "a=-0.5", "--out",
                                "u=v.npy", "--seed", "7", "--repeat", "3", "--verify", "--json",
                                "--plot", "v=p.png", "--target", "auto"});
  CHECK(options.command == Command::Run);
  CHECK(options.run.in.at("u") == "a=b.npy");
  CHECK(options.run.scalar.at("a") == "-0.5");
  CHECK(options.run.out.at("u") == "v.npy");
  CHECK(options.run.seed == 7);
  CHECK(options.run.repeat == 3);
  CHECK(options.run.verify);
  CHECK(options.run.json);
  CHECK(options.run.plot_array == "v");
  CHECK(options.run.plot_file == "p.png");
  CHECK(Good({"run", "f.idsl", "--target", "cuda", "--emulate"}).run.emulate);
}

TEST_CASE("help and version win over everything else") {
  CHECK(Good({"--help"}).command == Command::Help);
  CHECK(Good({"run", "-h"}).command == Command::Help);
  CHECK(Good({"f.idsl", "--version"}).command == Command::Version);
}

TEST_CASE("an unknown option names the nearest one") {
  const auto hint = [](const std::string& option) { return Bad({"f.idsl", option, "x=1"}).hint; };
  CHECK(hint("--strem") == "did you mean `--stream`?");
  CHECK(hint("-stream") == "did you mean `--stream`?");
  CHECK(hint("--block-dim") == "did you mean `--blockdim`?");
  CHECK(hint("--blockDim") == "did you mean `--blockdim`?");
  CHECK(hint("-blockdim") == "did you mean `--blockdim`?");
  CHECK(hint("--blokdim=x=4") == "did you mean `--blockdim`?");
  CHECK(hint("--sharedmem") == "did you mean `--shared-mem`?");
  CHECK(hint("-out-file") == "did you mean `--out-file`?");
  CHECK(hint("--qqqqqqqqqq") == "`stencilgen --help` lists them");
  CHECK(Contains(Bad({"f.idsl", "--strem"}).message, "unknown option `--strem`"));
}

TEST_CASE("an option of the other command says where it belongs") {
  CHECK(Contains(Bad({"f.idsl", "--verify"}).hint, "stencilgen run FILE"));
  CHECK(Contains(Bad({"run", "f.idsl", "--emit", "ast"}).hint, "stencilgen FILE"));
}

TEST_CASE("malformed and out-of-range values are refused with a hint") {
  const std::vector<std::vector<std::string>> cases = {{"--stream", ""},
                                                       {"--concurrent-stream", "k:0"},
                                                       {"--concurrent-stream", "k:"},
                                                       {"--concurrent-stream", "k:many"},
                                                       {"--concurrent-stream", ":4"},
                                                       {"--blockdim", "x=0"},
                                                       {"--blockdim", "x=2048"},
                                                       {"--blockdim", "z=65"},
                                                       {"--blockdim", "x=-4"},
                                                       {"--blockdim", "x=4.5"},
                                                       {"--blockdim", "x=1e3"},
                                                       {"--blockdim", "x="},
                                                       {"--blockdim", "x"},
                                                       {"--blockdim", "=4"},
                                                       {"--blockdim", "32,16"},
                                                       {"--blockdim", "w=4"},
                                                       {"--blockdim", "x=1,x=2"},
                                                       {"--blockdim", "x=4,"},
                                                       {"--blockdim", "x=99999999999999999999999"},
                                                       {"--blockdim", ""},
                                                       {"--unroll", "k=0"},
                                                       {"--unroll", "k=33"},
                                                       {"--unroll", "k=1,k=2"},
                                                       {"--unroll", "2"},
                                                       {"-D", "M=0"},
                                                       {"-D", "M=-1"},
                                                       {"-D", "M"},
                                                       {"-D", "M=2147483648"},
                                                       {"-D", "M=1,M=2"},
                                                       {"-D", "M=0x10"},
                                                       {"--fp", "loose"},
                                                       {"--target", "opencl"},
                                                       {"--target", "auto"},
                                                       {"--emit", "everything"},
                                                       {"--time-tile", "0"},
                                                       {"--time-tile", "-1"},
                                                       {"--time-tile", "65"},
                                                       {"--time-tile", "2.0"},
                                                       {"--time-tile", ""},
                                                       {"--fusion", "maximum"},
                                                       {"--fusion", ""},
                                                       {"--prefetch", "Async"},
                                                       {"--prefetch", "true"},
                                                       {"--barriers", "none"},
                                                       {"--shared-mem", "1"},
                                                       {"--shared-mem", "maybe"},
                                                       {"--cregs", "7"},
                                                       {"--arch", "sm_"},
                                                       {"--arch", "sm_20"},
                                                       {"--arch", "hopper"},
                                                       {"--host-function", "2fast"},
                                                       {"--host-function", "int"},
                                                       {"--host-function", "sqrt"},
                                                       {"--host-function", "a b"},
                                                       {"--max-errors", "many"},
                                                       {"--color", "blue"},
                                                       {"--diagnostics-format", "xml"}};
  for (const auto& option : cases) {
    const UsageError error = Bad({"f.idsl", option[0], option[1]});
    INFO(option[0] << " " << option[1] << ": " << error.message);
    CHECK_FALSE(error.hint.empty());
    CHECK(Contains(error.message, option[0]));
  }
}

TEST_CASE("malformed options of run are refused") {
  const std::vector<std::vector<std::string>> cases = {
      {"--in", "u"},     {"--in", "=u.npy"},  {"--in", "u="},   {"--out", "u"},
      {"--out", "u=-"},  {"--scalar", "a"},   {"--seed", "-1"}, {"--seed", "x"},
      {"--repeat", "0"}, {"--repeat", "1e9"}, {"--plot", "u="}, {"--plot", "=u.png"},
      {"--plot", "-"}};
  for (const auto& option : cases)
    CHECK_FALSE(Bad({"run", "f.idsl", option[0], option[1]}).hint.empty());
}

TEST_CASE("contradictions are refused") {
  Bad({"f.idsl", "--emit", "cuda", "--target", "cpp"});
  Bad({"f.idsl", "--emit", "graph", "--header", "x.h"});
  Bad({"f.idsl", "-o", "x.h", "--header", "x.h"});
  Bad({"f.idsl", "-o", "x", "--depfile", "x"});
  Bad({"f.idsl", "-o", "-", "--depfile", "x.d"});
  Bad({"f.idsl", "-o", "x", "--depfile", "-"});
  Bad({"f.idsl", "--emit", "plan", "--depfile", "x.d"});
  Bad({"f.idsl", "--arch", "sm_80", "--arch", "sm_90"});
  Bad({"f.idsl", "-o", "a", "-o", "b"});
  Bad({"f.idsl", "-D", "M=1", "-D", "M=1"});
  Bad({"f.idsl", "--blockdim", "x=1", "--blockdim", "x=1"});
  Bad({"run", "f.idsl", "--in", "u=a", "--in", "u=b"});
  Bad({"run", "f.idsl", "--emulate", "--target", "cpp"});
  Bad({"run", "f.idsl", "--emulate", "--repeat", "3"});
  Bad({"f.idsl", "--standalone", "--no-standalone"});
  const UsageError strict = Bad({"f.idsl", "--fp", "strict", "--retime"});
  CHECK(Contains(strict.message, "--retime"));
  CHECK(Contains(strict.message, "--fp strict"));
  CHECK_FALSE(strict.hint.empty());
  for (const char* how : {"trees", "lars", "auto"}) {
    const UsageError reorder = Bad({"f.idsl", "--fp", "strict", "--reorder", how});
    CHECK(Contains(reorder.message, "--reorder"));
    CHECK(Contains(reorder.message, "--fp strict"));
    CHECK_FALSE(reorder.hint.empty());
    Good({"f.idsl", "--reorder", how, "--shared-mem", "true"});
    Good({"f.idsl", "--reorder", how, "--shuffle"});
    Good({"f.idsl", "--reorder", how, "--shared-mem", "false"});
  }
  Good({"f.idsl", "--fp", "strict", "--reorder", "none", "--shared-mem", "true"});
  Bad({"f.idsl", "--reorder", "unrolled"});
  Good({"f.idsl", "--reorder", "trees", "--max-permutations", "100", "--distribute"});
  for (const char* value : {"0", "x", "-1", "10000001"}) {
    Bad({"f.idsl", "--reorder", "trees", "--max-permutations", value});
  }
  CHECK(Contains(Bad({"f.idsl", "--distribute"}).message, "--distribute"));
  CHECK(Contains(Bad({"f.idsl", "--max-permutations", "9"}).message, "--max-permutations"));
  Bad({"f.idsl", "--reorder", "lars", "--max-permutations", "9"});
  Good({"f.idsl", "--reorder", "auto", "--reorder-score", "static"});
  Good({"tune", "f.idsl", "--reorder", "auto", "--reorder-score", "static"});
  for (const char* order : {"none", "trees", "lars"}) {
    CHECK(Contains(Bad({"f.idsl", "--reorder", order, "--reorder-score", "static"}).message,
                   "--reorder auto"));
  }
  Bad({"f.idsl", "--reorder-score", "ptxas"});
  Bad({"f.idsl", "--reorder", "auto", "--reorder-score", "nvcc"});
  Bad({"f.idsl", "--target", "cpp", "--reorder", "auto", "--reorder-score", "static"});
  Bad({"tune", "f.idsl", "--reorder", "auto", "--reorder-score", "ptxas"});
  CHECK(Contains(Bad({"f.idsl", "--shared-mem", "false", "--prefetch", "async"}).message,
                 "--shared-mem is false"));
  Good({"f.idsl", "--shared-mem", "false", "--prefetch", "register"});
  Good({"f.idsl", "--shared-mem", "true", "--prefetch", "async"});
  for (const char* stage : {"ast", "graph"}) {
    CHECK(Contains(Bad({"f.idsl", "--explain", "--emit", stage}).message, "--explain"));
  }
  Good({"f.idsl", "--explain", "--emit", "dot"});
  Good({"f.idsl", "--explain", "--emit", "fused"});
  Good({"f.idsl", "--explain", "--emit", "plan"});
  Good({"f.idsl", "--explain", "--emit", "kernel"});
  Good({"f.idsl", "--target", "cpp", "--emit", "kernel"});
  CHECK(Contains(Bad({"f.idsl", "--fp", "strict", "--emit", "kernel"}).message, "--fp strict"));
}

TEST_CASE("points a turn and the order of operations are the C++ target's as well") {
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"--unroll", "j=4"}, {"--reorder", "none"}, {"--reorder", "trees"}}) {
    std::vector<std::string> arguments = {"f.idsl", "--target", "cpp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(GpuOption(Good(arguments)).empty());
  }
  CHECK(Contains(Bad({"f.idsl", "--target", "cpp", "--fp", "strict", "--reorder", "lars"}).message,
                 "--fp strict"));
}

TEST_CASE("options about CUDA code are refused where the target is cpp") {
  const std::vector<std::vector<std::string>> cases = {
      {"--blockdim", "x=8"},    {"--stream", "j"},      {"--cregs", "64"},
      {"--time-tile", "1"},     {"--fusion", "none"},   {"--shuffle"},
      {"--shared-mem", "true"}, {"--prefetch", "none"}, {"--retime"},
      {"--barriers", "step"},   {"--explain"},          {"--no-stream"},
      {"--no-shuffle"},         {"--no-retime"},        {"--fusion-limit", "2"}};
  for (const auto& option : cases) {
    std::vector<std::string> arguments = {"f.idsl"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK(GpuOption(Good(arguments)) == option.front());
    CHECK_FALSE(Good(arguments).explain != (option.front() == "--explain"));
    arguments.insert(arguments.end(), {"--target", "cpp"});
    CHECK(Bad(arguments).message == option.front() + " is about CUDA code, but the target is cpp");
  }
  CHECK(GpuOption(Good({"f.idsl", "--fp", "strict", "--arch", "sm_80"})).empty());
}

TEST_CASE("an option and its opposite exclude each other") {
  for (const char* name : {"shuffle", "retime"}) {
    const std::string yes = fmt::format("--{}", name), no = fmt::format("--no-{}", name);
    for (const auto& [first, second] : {std::pair(yes, no), std::pair(no, yes)}) {
      CHECK(Bad({"f.idsl", first, second}).message == yes + " and " + no + " exclude each other");
    }
  }
  CHECK(Bad({"f.idsl", "--no-stream", "--stream", "j"}).message ==
        "--stream and --no-stream exclude each other");
  CHECK(Bad({"f.idsl", "--concurrent-stream", "j", "--no-stream"}).message ==
        "--concurrent-stream and --no-stream exclude each other");
  CHECK(Contains(Bad({"f.idsl", "--fusion", "none", "--fusion-limit", "2"}).message,
                 "--fusion none asks for none"));
  CHECK(Contains(Bad({"f.idsl", "--split", "2", "--fusion-limit", "2"}).message,
                 "--split asks for parts"));
  Bad({"f.idsl", "--fusion-limit", "0"});
  // What is denied is given: nothing else is chosen.
  const ast::Program program = Program("j, i", "M,N");
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

TEST_CASE("a missing value, no file and two files are refused") {
  CHECK(Bad({"f.idsl", "-o"}).message == "--out-file needs a value");
  CHECK(Bad({"f.idsl", "-o", ""}).message == "--out-file: the file's name is empty");
  Bad({"f.idsl", "--header", "--fp", "fast"});
  CHECK(Bad({"run", "f.idsl", "--verify=3"}).message == "--verify takes no value");
  CHECK(Good({"--", "f.idsl"}).input == "f.idsl");
  CHECK(Contains(Bad({"f.idsl", "-D", "x"}).hint, "for example -D N=512"));
  CHECK(Contains(Bad({"--fp", "fast"}).message, "no input file"));
  CHECK(Contains(Bad({"run"}).message, "no input file"));
  CHECK(Contains(Bad({"a.idsl", "b.idsl"}).message, "more than one input file"));
  Bad({""});
}

TEST_CASE("names are checked against the program") {
  const ast::Program program = Program("j, i", "M,N");
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
  const ast::Program program = Program("k, j, i", "L,M,N");
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
  const ast::Program program = Program("k, j, i", "L,M,N");
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

TEST_CASE("the command line of the header comment is one harmless line") {
  CHECK(CommandLineText(Good({"a/b/heat.idsl", "-o", "/tmp/x.cu", "--header=/tmp/x.h"})) ==
        "stencilgen heat.idsl -o x.cu --header=x.h");
  const std::string nasty = CommandLineText(Good({"a\nb*/ \\.idsl"}));
  CHECK_FALSE(Contains(nasty, "\n"));
  CHECK_FALSE(Contains(nasty, "*/"));
  CHECK_FALSE(Contains(nasty, "\\"));
}

TEST_CASE("the program's name comes from the file's") {
  CHECK(ProgramNameOf("x/j2d5pt.idsl") == "j2d5pt");
  CHECK(ProgramNameOf("2d.idsl") == "program_2d");
  CHECK(ProgramNameOf("a-b c.v2.idsl") == "a_b_c_v2");
  CHECK(ProgramNameOf("double.idsl") == "double_program");
  CHECK(ProgramNameOf("exp.idsl") == "exp_program");
  CHECK(ProgramNameOf("-") == "program");
  CHECK(IsUsableIdentifier(ProgramNameOf("\xc3\xa9t\xc3\xa9.idsl")));
}

TEST_CASE("the help shows every option once, a line each") {
  const std::string help = HelpText();
  for (const OptionSpec& spec : OptionTable()) {
    CHECK(Contains(help, std::string(spec.name)));
    CHECK(spec.help.size() <= 70);
  }
  std::size_t begin = 0;
  while (begin < help.size()) {
    const std::size_t end = std::min(help.find('\n', begin), help.size());
    CHECK(end - begin <= 105);
    begin = end + 1;
  }
}
