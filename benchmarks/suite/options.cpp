#include "suite/options.h"

#include <cstdlib>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace stencilgen::suite {
namespace {

/// A comma-separated list of words, each one of `known`.
CLI::Validator OneOf(const std::vector<std::string>& known) {
  return CLI::IsMember(known);
}

std::string IsPage(const std::string& path) {
  const std::string kind = std::filesystem::path(path).extension().string();
  return kind == ".html" || kind == ".md" ? "" : "a page is an .html or .md file";
}

std::string HasFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  return std::filesystem::is_directory(folder) ? ""
                                               : fmt::format("no such folder: {}", folder.string());
}

}  // namespace

std::variant<Options, Finished> ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app("Measures the benchmark stencils against plain code on this machine.",
               "benchmarks/run");
  std::vector<std::string> suites, types, targets;
  app.add_option("--suite", suites, "suites to run, A,B,C,D; all, and A with --quick")
      ->delimiter(',')
      ->check(OneOf({"A", "B", "C", "D"}));
  app.add_option("--filter", options.filter, "programs to run, a glob such as 'j2d*'");
  app.add_option("--type", types, "float,double; both, and double with --quick")
      ->delimiter(',')
      ->check(OneOf({"float", "double"}));
  app.add_option("--target", targets, "cpp,cuda; cpp, and cuda where a GPU and nvcc are")
      ->delimiter(',')
      ->check(OneOf({"cpp", "cuda"}));
  app.add_flag("--quick", options.quick, "small arrays, few samples: under two minutes");
  app.add_flag("--check", options.check, "compare with the interpreter, measure nothing");
  app.add_option("--json", options.json, "where results go; build/benchmarks/results.json")
      ->check(HasFolder);
  app.add_option("--page", options.page, "a page made of them, .html or .md")
      ->check(HasFolder)
      ->check(IsPage);
  app.add_flag("--resume", options.resume, "go on with the results that the file has");
  app.add_flag("--compile-speed", options.compile_speed,
               "also how fast the compiler is (half a minute)");
  const CLI::Option* rivals =
      app.add_flag("--rivals,!--no-rivals", options.rivals,
                   "also other stencil compilers that are installed (default); says which are not");
  app.add_option("--tuning-db", options.tuning_db,
                 "where `stencilgen tune` has kept what it found: measured as `tuned`; or none")
      ->check([](const std::string& file) {
        std::error_code ignored;
        const bool there = file == "none" || std::filesystem::is_regular_file(file, ignored);
        return there ? "" : fmt::format("no such file: {}", file);
      });
  app.add_option("--note", options.note, "what the page should say about the machine");
  app.add_option("--minutes", options.minutes, "stop beginning programs after so long; 17, 1.5")
      ->check(CLI::Range(1e-4, 1e4));
  app.add_option("--sample", options.sample, "seconds of a sample, at least; 0.1, 0.03")
      ->check(CLI::Range(1e-4, 60.0));
  app.add_option("--repeats", options.repeats, "samples of each version; 7, 5")
      ->check(CLI::Range(1, 1000));
  app.add_option("--megabytes", options.megabytes,
                 "arrays of a program; 8 times the last-level cache, 2 times")
      ->check(CLI::Range(1, 1 << 20));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return Finished{status == 0 ? 0 : 2};
  }
  if (!options.tuning_db.empty()) setenv("STENCILGEN_TUNING_DB", options.tuning_db.c_str(), 1);
  options.rivals_asked = options.rivals && rivals->count() > 0;
  if (suites.empty())
    suites = options.quick ? std::vector<std::string>{"A"}
                           : std::vector<std::string>{"A", "B", "C", "D"};
  for (const std::string& suite : suites) options.suites += suite;
  if (types.empty())
    types = options.quick ? std::vector<std::string>{"double"}
                          : std::vector<std::string>{"double", "float"};
  for (const std::string& type : types) options.single.push_back(type == "float");
  for (const std::string& target : targets) {
    options.targets.push_back(target == "cuda" ? driver::Target::Cuda : driver::Target::Cpp);
  }
  if (options.minutes == 0) options.minutes = options.quick ? 1.5 : 17;
  if (options.sample == 0) options.sample = options.quick ? 0.03 : 0.1;
  if (options.repeats == 0) options.repeats = options.quick ? 5 : 7;
  options.arguments.assign(argv + 1, argv + argc);
  return options;
}

}  // namespace stencilgen::suite
