// What is read from a command line, and which of them cannot be read.
#include <map>
#include <string>
#include <vector>

#include "driver/option_table.h"
#include "driver/option_values.h"
#include "driver/options.h"
#include "driver_options_tools.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::driver;
using namespace stencilgen::testing;

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
  CHECK(options.fp == FpMode::Strict);
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
  CHECK(options.run.picture.plot_array == "v");
  CHECK(options.run.picture.plot_file == "p.png");
  CHECK(Good({"run", "f.idsl", "--target", "cuda", "--emulate"}).run.emulate);
}

TEST_CASE("ranks are a number or a grid, for code of both languages") {
  CHECK(Good({"run", "f.idsl", "--ranks", "4"}).run.ranks == std::vector<int>{4});
  CHECK(Good({"run", "f.idsl", "--ranks", "2x3x1"}).run.ranks == std::vector<int>{2, 3, 1});
  CHECK(Good({"run", "f.idsl", "--ranks", "2", "--mpi-steps", "3"}).mpi_steps == 3);
  CHECK(Good({"f.idsl", "--mpi", "--target", "cpp"}).mpi);
  for (const char* ranks : {"", "x", "2x", "0", "2x-1", "two", "1,2"}) {
    CHECK_FALSE(Bad({"run", "f.idsl", "--ranks", ranks}).hint.empty());
  }
  CHECK(Good({"f.idsl", "--mpi"}).mpi);
  CHECK(Contains(Bad({"run", "f.idsl", "--mpi-steps", "2"}).hint, "--ranks"));
  CHECK(Contains(Bad({"f.idsl", "--mpi", "--target", "cpp", "--emit", "plan"}).message, "--emit"));
  CHECK(Good({"f.cpp", "--mpi", "--target", "cpp"}).mpi);
  CHECK(Good({"run", "f.idsl", "--ranks", "2", "--emulate"}).run.emulate);
  Bad({"tune", "f.idsl", "--ranks", "2"});
  Bad({"build", "f.idsl", "--mpi-steps", "2"});
}

TEST_CASE("help and version win over everything else") {
  CHECK(Good({"--help"}).command == Command::Help);
  CHECK(Good({"run", "-h"}).command == Command::Help);
  CHECK(Good({"f.idsl", "--version"}).command == Command::Version);
}

TEST_CASE("a subcommand's help shows what it takes, its own options first") {
  CHECK(Good({"run", "-h"}).help_for == Command::Run);
  CHECK(Good({"tune", "f.idsl", "--help"}).help_for == Command::Tune);
  const std::vector<std::pair<Command, std::string>> first = {
      {Command::Run, "\n\nData:\n  --in "},
      {Command::Tune, "\n\nTuning:\n  --budget "},
      {Command::Build, "\n\nOutput:\n  --target "},
      {Command::Explain, "\n\nOutput:\n  --target "},
      {Command::Machine, "\n\nMeasurement of the machine:\n  --seconds "}};
  for (const auto& [command, start] : first) {
    const std::string help = HelpText(command);
    CHECK(help.find(start) == help.find("\n\n"));
    for (const OptionSpec& spec : OptionTable()) {
      const std::string line =
          fmt::format("{}{} {}", spec.short_name.empty() ? "\n  " : ", ", spec.name, spec.value);
      CAPTURE(line);
      CHECK(Contains(help, line) == Belongs(spec, command));
    }
    const bool other = command != Command::Run;
    CHECK(Contains(help, "stencilgen run heat.idsl") != other);
  }
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
                                                       {"--graphs", "yes"},
                                                       {"--graphs", ""},
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

TEST_CASE("explain takes numbers of ranks and a network") {
  const ScalingOptions scaling =
      Good({"explain", "f.idsl", "--target", "cpp", "--ranks", "64,512", "--network",
            "bandwidth=500MB/s,latency=3.5us", "--scaling", "weak"})
          .scaling;
  CHECK(scaling.ranks == std::vector{64, 512});
  CHECK(scaling.latency == 3.5 * 1e-6);
  CHECK(scaling.bytes_per_second == 500e6);
  CHECK(scaling.weak);
  for (const char* ranks : {"", "4x4", "0", "8,", "1000000", "many"}) {
    CHECK_FALSE(Bad({"explain", "f.idsl", "--target", "cpp", "--ranks", ranks}).hint.empty());
  }
  for (const char* network : {"", "latency", "latency=2", "latency=-1us", "latency=0us",
                              "bandwidth=2us", "speed=2us", "latency=2us,", "latency=nanus"}) {
    INFO(network);
    CHECK_FALSE(Bad({"explain", "f.idsl", "--target", "cpp", "--ranks", "8", "--network", network})
                    .hint.empty());
  }
  CHECK(Contains(Bad({"explain", "f.idsl", "--ranks", "8"}).hint, "--target cpp"));
  CHECK(
      Contains(Bad({"explain", "f.idsl", "--target", "cpp", "--scaling", "weak"}).hint, "--ranks"));
  CHECK(Contains(
      Bad({"explain", "f.idsl", "--target", "cpp", "--ranks", "8", "--page", "p.html"}).message,
      "--page"));
  Bad({"run", "f.idsl", "--network", "latency=2us"});
  Bad({"run", "f.idsl", "--ranks", "2", "--scaling", "weak"});
}

TEST_CASE("options of pictures are read") {
  const PictureOptions picture =
      Good({"run", "f.idsl", "--movie", "v=m.gif", "--every", "T=10", "--extent", "j=0:1,i=2:-0.5",
            "--range", "3:-1e2", "--title", "", "--plain", "--fps", "25", "--snapshot", "u=s.npy"})
          .run.picture;
  CHECK(picture.movie_array == "v");
  CHECK(picture.movie_file == "m.gif");
  CHECK(picture.every == 10);
  CHECK(picture.every_parameter == "T");
  CHECK(picture.extent.at("j") == std::pair{0.0, 1.0});
  CHECK(picture.extent.at("i") == std::pair{2.0, -0.5});
  CHECK(picture.range == std::pair{-100.0, 3.0});
  CHECK(picture.title == "");
  CHECK(picture.plain);
  CHECK(picture.fps == 25);
  CHECK(picture.snapshots.at("u") == "s.npy");
}

TEST_CASE("malformed options of pictures are refused") {
  const std::vector<std::vector<std::string>> cases = {
      {"--movie", "u"},      {"--movie", "u.png"},  {"--movie", ".gif"},
      {"--movie", "=u.gif"}, {"--movie", "-"},      {"--every", "0"},
      {"--every", "-3"},     {"--every", "T="},     {"--every", "2000000000"},
      {"--every", "ten"},    {"--extent", "j"},     {"--extent", "j=1"},
      {"--extent", "j=1:1"}, {"--extent", "j=1:x"}, {"--extent", "j=0:1,j=0:2"},
      {"--extent", "=0:1"},  {"--range", "1"},      {"--range", "0:nan"},
      {"--range", "0:inf"},  {"--range", "2:2"},    {"--range", ":"},
      {"--fps", "0"},        {"--fps", "1000"},     {"--fps", "x"},
      {"--snapshot", "u"},   {"--snapshot", "=u"},  {"--snapshot", "u="}};
  for (const auto& option : cases) {
    INFO(option[0] << " " << option[1]);
    CHECK_FALSE(Bad({"run", "f.idsl", "--plot", "u.png", option[0], option[1]}).hint.empty());
  }
}

TEST_CASE("options of pictures without a picture are refused") {
  for (const auto& option : std::vector<std::vector<std::string>>{
           {"--every", "3"}, {"--extent", "j=0:1"}, {"--range", "0:1"}, {"--title", "x"}}) {
    CHECK(Contains(Bad({"run", "f.idsl", option[0], option[1]}).hint, "--plot"));
  }
  CHECK(Contains(Bad({"run", "f.idsl", "--plain"}).hint, "--plot"));
  CHECK(Contains(Bad({"run", "f.idsl", "--plot", "u.png", "--fps", "3"}).hint, "--movie"));
  CHECK(Contains(Bad({"run", "f.idsl", "--snapshot", "u=u.npy"}).hint, "--every"));
  CHECK(Contains(
      Bad({"run", "f.idsl", "--snapshot", "u=u.npy", "--snapshot", "u=v.npy", "--every", "2"})
          .message,
      "twice"));
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
