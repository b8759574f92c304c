#include "driver/option_table.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "driver/gpu_options.h"
#include "driver/option_values.h"
#include "driver/picture_options.h"
#include "driver/program_values.h"
#include "driver/scaling_options.h"

namespace stencilgen::driver {

namespace {

using Result = std::optional<UsageError>;

Result RequireFileName(std::string_view option, const std::string& value) {
  if (!value.empty()) return std::nullopt;
  return UsageError{fmt::format("{}: the file's name is empty", option), "give a file's name"};
}
Result ApplyOutFile(Options& options, const std::string& value) {
  options.out_file = value;
  return RequireFileName("--out-file", value);
}
Result ApplyHeader(Options& options, const std::string& value) {
  options.header_file = value;
  return RequireFileName("--header", value);
}
Result ApplyDepfile(Options& options, const std::string& value) {
  options.depfile = value;
  return RequireFileName("--depfile", value);
}
Result ApplyStandalone(Options& options, const std::string&) {
  options.standalone = true;
  return std::nullopt;
}
Result ApplyNoStandalone(Options& options, const std::string&) {
  options.standalone = false;
  return std::nullopt;
}

Result ApplyHostFunction(Options& options, const std::string& value) {
  if (!IsUsableIdentifier(value)) {
    return UsageError{fmt::format("--host-function: `{}` cannot name a function", value),
                      "use letters, digits and underscores, no keyword and no C library function"};
  }
  options.host_function = value;
  return std::nullopt;
}

/// What a GPU's code is to be written in, by its TargetName.
Result SetLanguage(Options& options, const std::string& name) {
  const GpuLanguage language =
      name == TargetName(GpuLanguage::Hip) ? GpuLanguage::Hip : GpuLanguage::Cuda;
  if (options.language.value_or(language) != language) {
    return UsageError{"--emit and --target ask for different languages", "leave one of them out"};
  }
  options.language = language;
  return std::nullopt;
}

Result ApplyEmit(Options& options, const std::string& value) {
  if (value == "idsl") {
    options.stage = Stage::Ast;  // the syntax is printed as a program
    return std::nullopt;
  }
  if (value == "hip" || value == "cuda") {
    options.stage = Stage::Cuda;
    return SetLanguage(options, value);
  }
  return SetChoice<Stage>(
      options.stage, "--emit", value,
      {"ast", "interface", "graph", "dot", "fused", "plan", "kernel", "cuda", "cpp", "hip"});
}

Result ApplyTarget(Options& options, const std::string& value) {
  const bool executes = options.command == Command::Build || options.command == Command::Run ||
                        options.command == Command::Tune;
  std::vector<std::string> choices = executes ? std::vector<std::string>{"cpp", "cuda", "auto"}
                                              : std::vector<std::string>{"cpp", "cuda"};
  if (options.command != Command::Build && options.command != Command::Tune) {
    choices.insert(choices.begin() + 2, "hip");
  }
  auto choice = ReadChoice("--target", value, choices);
  if (auto* error = std::get_if<UsageError>(&choice)) return *error;
  if (value == "cpp") options.target = Target::Cpp;
  options.run.target = value == "cpp" ? RunTarget::Cpp : RunTarget::Auto;
  if (value != "cuda" && value != "hip") return std::nullopt;
  options.target = Target::Cuda;
  options.run.target = RunTarget::Cuda;
  return SetLanguage(options, value);
}

Result ApplyFp(Options& options, const std::string& value) {
  return SetChoice<FpMode>(options.fp, "--fp", value, {"fast", "strict"});
}

Result ApplyShareValues(Options& options, const std::string& value) {
  return SetChoice<passes::Sharing>(options.sharing, "--share-values", value,
                                    {"auto", "always", "never"});
}

Result ApplyRepeat(Options& options, const std::string& value) {
  return SetInteger<int>(options.run.repeat, "--repeat", "the number of measured calls", value, 1,
                         100000);
}
Result ApplyEmulate(Options& options, const std::string&) {
  options.run.emulate = true;
  return std::nullopt;
}
Result ApplyVerify(Options& options, const std::string&) {
  options.run.verify = true;
  return std::nullopt;
}
Result ApplyJson(Options& options, const std::string&) {
  options.run.json = true;
  return std::nullopt;
}
Result ApplyPage(Options& options, const std::string& value) {
  options.explanation_page = value;
  return RequireFileName("--page", value);
}
Result ApplyTile(Options& options, const std::string& value) {
  constexpr int kLongest = 1 << 20;
  auto values = ReadNamedValues("--tile", value, "j=32");
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    auto points =
        ReadInteger("--tile", fmt::format("the tile along `{}`", name), text, 1, kLongest);
    if (auto* error = std::get_if<UsageError>(&points)) return *error;
    if (!options.tile.emplace(name, static_cast<int>(std::get<0>(points))).second) {
      return UsageError{fmt::format("--tile: `{}` is given twice", name), "keep one of them"};
    }
  }
  return std::nullopt;
}
Result ApplyThreads(Options& options, const std::string& value) {
  return SetInteger<int>(options.threads, "--threads", "the number of threads", value, 1, 4096);
}

Result ApplyMpi(Options& options, const std::string&) {
  options.mpi = true;
  return std::nullopt;
}
Result ApplyMpiSteps(Options& options, const std::string& value) {
  return SetInteger<int>(options.mpi_steps, "--mpi-steps", "the number of turns between exchanges",
                         value, 1, 64);
}
/// `4`, or `2x3`: ranks along each iterator that they share. `2x*`: what is left of the cores.
/// `explain` takes several numbers.
Result ApplyRanks(Options& options, const std::string& value) {
  if (options.command == Command::Explain) return ReadRankCounts(options.scaling, value);
  options.run.ranks.clear();
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('x', begin), value.size());
    const std::string number = value.substr(begin, end - begin);
    begin = end + 1;
    if (number == "*") {
      options.run.ranks.push_back(0);
      continue;
    }
    auto count = ReadInteger("--ranks", "the number of ranks", number, 1, 4096);
    if (auto* error = std::get_if<UsageError>(&count)) {
      error->hint = "for example --ranks 4, or --ranks 2x2 for a grid of ranks";
      return *error;
    }
    options.run.ranks.push_back(static_cast<int>(std::get<0>(count)));
  }
  return std::nullopt;
}

/// A number that need not be whole, in sane bounds.
Result ReadFraction(double& where, std::string_view option, std::string_view unit,
                    std::string_view example, const std::string& value) {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 100000;
  double number = 0;
  const auto [stop, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = status == std::errc() && stop == value.data() + value.size();
  if (!whole || !(number >= kLeast && number <= kMost)) {
    return UsageError{fmt::format("{}: `{}` is no number of {}", option, value, unit),
                      fmt::format("for example {}", example)};
  }
  where = number;
  return std::nullopt;
}
Result ApplyRanksTimeout(Options& options, const std::string& value) {
  return ReadFraction(options.run.ranks_timeout, "--ranks-timeout", "seconds",
                      "--ranks-timeout 600", value);
}
Result ApplyBudget(Options& options, const std::string& value) {
  return ReadFraction(options.tune.budget_minutes, "--budget", "minutes",
                      "--budget 10, or --budget 0.5", value);
}
Result ApplyJobs(Options& options, const std::string& value) {
  return SetInteger<int>(options.tune.jobs, "--jobs", "the number of compilations at a time", value,
                         1, 1024);
}
Result ApplySeconds(Options& options, const std::string& value) {
  return ReadFraction(options.machine.seconds, "--seconds", "seconds", "--seconds 10", value);
}
Result ApplyTuningDb(Options& options, const std::string& value) {
  options.tuning_db = value;
  return RequireFileName("--tuning-db", value);
}
Result ApplyOffline(Options& options, const std::string& value) {
  options.tune.offline = value;
  if (!value.empty()) return std::nullopt;
  return UsageError{"--offline: the folder's name is empty", "give the name of a folder to make"};
}
Result ApplyOfflineResults(Options& options, const std::string& value) {
  options.tune.offline_results = value;
  return RequireFileName("--offline-results", value);
}

Result ApplyDiagnosticsFormat(Options& options, const std::string& value) {
  auto choice = ReadChoice("--diagnostics-format", value, {"text", "json"});
  if (auto* error = std::get_if<UsageError>(&choice)) return *error;
  options.json_diagnostics = std::get<0>(choice) == 1;
  return std::nullopt;
}
Result ApplyMaxErrors(Options& options, const std::string& value) {
  return SetInteger<std::size_t>(options.max_errors, "--max-errors", "the number of errors shown",
                                 value, 0, 1000000);
}
Result ApplyColor(Options& options, const std::string& value) {
  return SetChoice<ColorMode>(options.color, "--color", value, {"auto", "always", "never"});
}
Result ApplyHelp(Options& options, const std::string&) {
  options.command = Command::Help;
  return std::nullopt;
}
Result ApplyCompletion(Options& options, const std::string& value) {
  auto choice = ReadChoice("--completion", value, {"bash", "zsh", "fish"});
  if (auto* error = std::get_if<UsageError>(&choice)) return *error;
  options.command = Command::Completion;
  options.shell = value;
  return std::nullopt;
}
Result ApplyMan(Options& options, const std::string&) {
  options.command = Command::Manual;
  return std::nullopt;
}
Result ApplyVersion(Options& options, const std::string&) {
  options.command = Command::Version;
  return std::nullopt;
}

using G = OptionGroup;

// name, short name, value, group, compile, run, repeatable, help, apply
std::vector<OptionSpec> CodeOptions() {
  return {
      {"--out-file", "-o", "FILE", G::Output, kYes, kNo, kNo,
       "where the code goes; `-`: standard output (default out.cu, .hip, .cpp)", ApplyOutFile},
      {"--header", "", "FILE", G::Output, kYes, kNo, kNo,
       "also write a C and C++ header for the code", ApplyHeader},
      {"--depfile", "", "FILE", G::Output, kYes, kNo, kNo,
       "also write which files were read, as a rule for Make", ApplyDepfile},
      {"--emit", "", "STAGE", G::Output, kYes, kNo, kNo,
       "print idsl, interface, graph, dot, fused, plan, kernel, cuda, hip, cpp", ApplyEmit,
       "idsl ast interface graph dot fused plan kernel cuda hip cpp"},
      {"--target", "", "NAME", G::Output, kYes, kYes, kNo,
       "cuda (default), hip (AMD), cpp; run, tune: auto (default), cpp, cuda", ApplyTarget,
       "cuda hip cpp"},
      {"--host-function", "", "NAME", G::Output, kYes, kYes, kNo,
       "name of the generated function (default: the file's name)", ApplyHostFunction},
      {"--standalone", "", "", G::Output, kYes, kNo, kNo,
       "inline the runtime headers into the code (default)", ApplyStandalone},
      {"--no-standalone", "", "", G::Output, kYes, kNo, kNo, "include the runtime headers instead",
       ApplyNoStandalone},
      {"--mpi", "", "", G::Output, kYes, kNo, kNo,
       "code for many machines, whose ranks exchange by MPI", ApplyMpi},
      {"--mpi-steps", "", "N", G::Output, kYes, kYes, kNo,
       "turns of a loop between two exchanges (default: by a model)", ApplyMpiSteps},
      {"--page", "", "FILE.html", G::Output, kNo, kNo, kNo,
       "explain: write a page with pictures of the plan; `-`: standard output", ApplyPage},

      {"--ndim", "-D", "NAME=VALUE", G::Program, kYes, kYes, kYes,
       "fix a parameter at compile time; several: M=64,N=64", ApplyDefine},
      {"--precision", "", "NAME=TYPE", G::Program, kYes, kYes, kYes,
       "give arrays and scalars other types: u=half,sum=double", ApplyPrecision},
      {"--fp", "", "MODE", G::Program, kYes, kYes, kNo,
       "fast (default), or strict: no reassociation, no contraction", ApplyFp, "fast strict"},
      {"--share-values", "", "auto|always|never", G::Program, kYes, kYes, kNo,
       "divisions and roots of several points once, in an array: where faster", ApplyShareValues},
  };
}

std::vector<OptionSpec> CppOptions() {
  return {
      {"--tile", "", "j=N,i=N", G::Cpp, kYes, kYes, kYes,
       "points of a tile along each iterator but the first", ApplyTile},
      {"--threads", "", "N", G::Cpp, kYes, kYes, kNo,
       "threads of a loop (default: as OpenMP sees fit)", ApplyThreads},
  };
}

std::vector<OptionSpec> TuningOptions() {
  return {
      {"--budget", "", "MINUTES", G::Tuning, kNo, kNo, kNo,
       "tune: how long it may take (default 5)", ApplyBudget},
      {"--jobs", "-j", "N", G::Tuning, kNo, kNo, kNo,
       "tune: compilations at a time (default: as many as there are cores)", ApplyJobs},
      {"--offline", "", "FOLDER", G::Tuning, kNo, kNo, kNo,
       "tune: write a folder that measures where nvcc and make are", ApplyOffline},
      {"--offline-results", "", "FILE", G::Tuning, kNo, kNo, kNo,
       "tune: read what such a folder has measured", ApplyOfflineResults},
      {"--tuning-db", "", "FILE", G::Tuning, kYes, kYes, kNo,
       "where tune keeps what it finds; `none`: use no database", ApplyTuningDb},
  };
}

std::vector<OptionSpec> MachineOnlyOptions() {
  return {
      {"--seconds", "", "S", G::Machine, kNo, kNo, kNo,
       "machine: how long it measures, about (default 5)", ApplySeconds},
  };
}

std::vector<OptionSpec> DataOptions() {
  return {
      {"--in", "", "NAME=FILE.npy", G::Data, kNo, kYes, kYes,
       "contents of an array before (default: seeded random numbers)", ApplyIn},
      {"--scalar", "", "NAME=VALUE", G::Data, kNo, kYes, kYes,
       "value of a scalar (default: a seeded random number)", ApplyScalar},
      {"--seed", "", "N", G::Data, kNo, kYes, kNo, "seed of the random numbers (default 1)",
       ApplySeed},
      {"--out", "", "NAME=FILE.npy", G::Data, kNo, kYes, kYes, "write a copyout array to a file",
       ApplyOut},
      {"--ranks", "", "N or NxM", G::Data, kNo, kYes, kNo,
       "run on so many ranks of MPI, which `run` starts; Nx*: on all cores", ApplyRanks},
      {"--network", "", "latency=2us,bandwidth=25GB/s", G::Data, kNo, kNo, kNo,
       "explain --ranks N,N,...: what a message takes (default: this)", ApplyNetwork},
      {"--scaling", "", "KIND", G::Data, kNo, kNo, kNo,
       "explain --ranks: strong (default), or weak: sizes are those of a rank", ApplyScaling,
       "strong weak"},
      {"--ranks-timeout", "", "SECONDS", G::Data, kNo, kYes, kNo,
       "end ranks that take longer (default: they may take any time)", ApplyRanksTimeout},
  };
}

std::vector<OptionSpec> MeasurementAndMessageOptions() {
  return {
      {"--repeat", "", "N", G::Measurement, kNo, kYes, kNo,
       "measured calls; their median is shown (default 5)", ApplyRepeat},
      {"--emulate", "", "", G::Measurement, kNo, kYes, kNo,
       "execute the CUDA code on the CPU emulator, with counters", ApplyEmulate},
      {"--verify", "", "", G::Measurement, kNo, kYes, kNo,
       "compare the results with the reference interpreter", ApplyVerify},
      {"--json", "", "", G::Measurement, kNo, kYes, kNo, "print one JSON object instead of text",
       ApplyJson},

      {"--diagnostics-format", "", "FORMAT", G::Messages, kYes, kYes, kNo,
       "text (default), or json for editors", ApplyDiagnosticsFormat, "text json"},
      {"--max-errors", "", "N", G::Messages, kYes, kYes, kNo,
       "errors shown at most (default 20; 0: all)", ApplyMaxErrors},
      {"--color", "", "WHEN", G::Messages, kYes, kYes, kNo, "auto (default), always or never",
       ApplyColor, "auto always never"},
      {"--completion", "", "bash|zsh|fish", G::Messages, kYes, kNo, kNo,
       "print a script that completes command lines in the shell", ApplyCompletion},
      {"--man", "", "", G::Messages, kYes, kNo, kNo, "print the manual page, for `man -l -`",
       ApplyMan},
      {"--help", "-h", "", G::Messages, kYes, kYes, kNo, "show this help", ApplyHelp},
      {"--version", "", "", G::Messages, kYes, kYes, kNo, "show the version", ApplyVersion},
  };
}

}  // namespace

const std::vector<OptionSpec>& OptionTable() {
  static const std::vector<OptionSpec> kTable = [] {
    std::vector<OptionSpec> all = CodeOptions();
    for (const auto& more : {GpuOptions(), CppOptions(), TuningOptions(), MachineOnlyOptions(),
                             DataOptions(), PictureOptionSpecs(), MeasurementAndMessageOptions()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return kTable;
}

bool Belongs(const OptionSpec& spec, Command command) {
  static constexpr std::array kOfMachine = {"--out-file", "--threads", "--seconds", "--help",
                                            "--version"};
  switch (command) {
    case Command::Machine:
      return std::find(kOfMachine.begin(), kOfMachine.end(), spec.name) != kOfMachine.end();
    case Command::Build:
      return spec.run && spec.group != G::Data && spec.name != "--repeat" &&
             spec.name != "--mpi-steps" && spec.name != "--verify" && spec.name != "--explain";
    case Command::Run:
      return spec.run;
    case Command::Explain:
      if (spec.name == "--json" || spec.name == "--page" || spec.name == "--host-function" ||
          spec.name == "--ranks" || spec.name == "--mpi-steps" || spec.name == "--network" ||
          spec.name == "--scaling") {
        return true;
      }
      return spec.compile && (spec.group != G::Output || spec.name == "--target");
    case Command::Tune:
      break;
    default:
      return spec.compile;
  }
  static constexpr std::array kMore = {"--target", "--in", "--scalar", "--seed", "--json"};
  if (std::find(kMore.begin(), kMore.end(), spec.name) != kMore.end()) return true;
  const bool prints =
      spec.name == "--explain" || spec.name == "--completion" || spec.name == "--man";
  return !prints && spec.group != G::Output && spec.group != G::Data &&
         spec.group != G::Measurement && spec.group != G::Machine;
}

bool ShapesCode(const OptionSpec& spec) {
  static constexpr std::array kOthers = {"--arch", "--device-file", "--explain"};
  if (spec.name == "--fp") return true;
  return (spec.group == G::Gpu || spec.group == G::Cpp) &&
         std::find(kOthers.begin(), kOthers.end(), spec.name) == kOthers.end();
}

}  // namespace stencilgen::driver
