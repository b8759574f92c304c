// benchmarks/run: measures the benchmark stencils against plain code, on this machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "suite/environment.h"
#include "suite/machine.h"
#include "suite/measure.h"
#include "suite/options.h"
#include "suite/programs.h"
#include "suite/results.h"
#include "suite/rivals.h"
#include "suite/tuned.h"
#include "suite/versions.h"

namespace stencilgen::suite {
namespace {

using driver::Target;

int Fail(const std::string& message) {
  fmt::print(stderr, "benchmarks/run: error: {}\n", message);
  return 1;
}

/// What a call frees stays with the process, so that the next one need not get its pages again.
void KeepMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 1 << 26);
}

class Run {
 public:
  explicit Run(Options options) : options_(std::move(options)), file_(options_.json) {}

  int All() {
    file_.document = {{"schema", kSchema},
                      {"kind", "stencilgen-benchmarks"},
                      {"started", Now()},
                      {"arguments", options_.arguments},
                      {"revision", DescribeRevision()},
                      {"compilers", DescribeCompilers()},
                      {"machine", DescribeMachine()},
                      {"results", Json::array()}};
    if (!file_.document["compilers"].contains("cpp")) return Fail("no C++ compiler is in PATH");
    if (!options_.note.empty()) file_.document["machine"]["note"] = options_.note;
    if (options_.resume) {
      const std::string error = file_.Resume(file_.document["revision"]);
      if (!error.empty()) return Fail(error);
    }
    if (const std::string error = CheckTuningDatabase(); !error.empty()) return Fail(error);
    const double cache = LastLevelCache();
    const double bytes = options_.megabytes > 0
                             ? 1048576.0 * static_cast<double>(options_.megabytes)
                             : (options_.quick ? 2 : 8) * cache;
    const std::vector<Program> programs = ChoosePrograms(options_, bytes);
    if (programs.empty()) return Fail(fmt::format("no program is called {}", options_.filter));
    ChooseTargets();
    FindRivals();
    if (!options_.check) DescribePeaks(std::max(bytes, 4 * cache));
    if (const std::string error = file_.Write(); !error.empty()) return Fail(error);
    const std::string error = MeasureAll(programs);
    if (!error.empty()) return Fail(error);
    if (options_.compile_speed) file_.document["compiler_speed"] = MeasureCompiler();
    file_.document["tests"] = DescribeTests();
    file_.document["machine"]["load_at_end"] = DescribeMachine()["load_at_start"];
    file_.document["finished"] = Now();
    file_.document["seconds"] = Seconds();
    if (const std::string failed = file_.Write(); !failed.empty()) return Fail(failed);
    fmt::print("{}\n", options_.json);
    return MakePage();
  }

 private:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  void ChooseTargets() {
    const bool asked =
        std::count(options_.targets.begin(), options_.targets.end(), Target::Cuda) > 0;
    if (options_.targets.empty() || asked) gpu_ = FindGpu();
    if (options_.targets.empty()) {
      options_.targets.push_back(Target::Cpp);
      if (gpu_.error.empty()) options_.targets.push_back(Target::Cuda);
    } else if (asked && !gpu_.error.empty()) {
      fmt::print(stderr, "{}: CUDA code is checked on the emulator, not measured\n", gpu_.error);
    }
    if (gpu_.error.empty() && !gpu_.name.empty()) {
      file_.document["machine"]["gpu"] = {{"name", gpu_.name},
                                          {"copy_bytes_per_second", gpu_.copy}};
    }
  }

  void FindRivals() {
    if (!options_.rivals ||
        std::count(options_.targets.begin(), options_.targets.end(), Target::Cpp) == 0) {
      return;
    }
    rivals_ = std::make_unique<Rivals>(directory_.path(), options_.rivals_asked);
    for (const std::string& note : rivals_->notes()) fmt::print("{}\n", note);
  }

  void DescribePeaks(double bytes) {
    const Peaks peaks = MeasurePeaks(bytes, options_.quick);
    if (!peaks.error.empty()) fmt::print(stderr, "{}\n", peaks.error);
    Json& cpu = file_.document["machine"]["cpu"];
    cpu["copy_bytes_per_second"] = peaks.copy;
    cpu["memcpy_bytes_per_second"] = peaks.copy_direct;
    cpu["flops_double"] = peaks.flops_double;
    cpu["flops_float"] = peaks.flops_float;
    fmt::print("copy {:.1f} GB/s, memcpy {:.1f} GB/s, {:.0f} GFLOP/s double, {:.0f} float\n",
               peaks.copy / 1e9, peaks.copy_direct / 1e9, peaks.flops_double / 1e9,
               peaks.flops_float / 1e9);
  }

  std::string MeasureAll(const std::vector<Program>& programs) {
    fmt::print("{:<22} {:<7} {:<5} {:>10} {:>10} {:>10} {:>8}   GPts/s\n", "program", "type", "for",
               "plain", "unfused", "default", "speed-up");
    std::size_t done = 0;
    const std::size_t all = programs.size() * options_.targets.size();
    for (const Program& program : programs) {
      for (const Target target : options_.targets) {
        Json result = DescribeProgram(program, target);
        ++done;
        if (options_.resume && file_.Has(result)) continue;
        const double left = 60 * options_.minutes - Seconds();
        if (left <= 0) {
          result["problem"] = "not measured: out of time";
        } else {
          // The rest gets an even share, and some get by with less.
          const double share = left / static_cast<double>(all - done + 1);
          MeasureProgram(program, target, 2 * share, &result);
          PrintRow(result);
        }
        file_.Add(std::move(result));
        if (std::string error = file_.Write(); !error.empty()) return error;
      }
    }
    return "";
  }

  /// `budget`: seconds to spend on samples.
  void MeasureProgram(const Program& program, Target target, double budget, Json* result) {
    Versions versions =
        MakeVersions(program, target, gpu_.arch.empty() ? machine::DefaultGpu().arch : gpu_.arch);
    if (!versions.problem.empty()) {
      (*result)["problem"] = versions.problem;
      return;
    }
    const bool emulate = target == Target::Cuda && !gpu_.error.empty();
    const driver::TemporaryDirectory directory;
    Build(&versions,
          target == Target::Cpp ? driver::Backend::Cpp
          : emulate             ? driver::Backend::CudaEmulated
                                : driver::Backend::Cuda,
          directory.path());
    if (rivals_ != nullptr && target == Target::Cpp) rivals_->AddTo(&versions, program);
    std::vector<std::string> checks;
    for (Version& version : versions.all) {
      if (!version.problem.empty()) {
        fmt::print(stderr, "{} {}, {}: {}\n", program.benchmark.name, program.type(), version.name,
                   version.problem);
        if (!version.rival) wrong_ = true;
      }
      checks.push_back(version.Runs() ? CheckVersion(version, versions, program) : "");
      // What is wrong is not timed.
      if (!checks.back().empty()) {
        fmt::print(stderr, "{} {}, {}: WRONG: {}\n", program.benchmark.name, program.type(),
                   version.name, checks.back());
        version.Drop();
        if (!version.rival) wrong_ = true;
      }
    }
    std::vector<Samples> samples(versions.all.size());
    if (!options_.check && !emulate) {
      Effort effort;
      effort.sample = options_.sample;
      effort.repeats = options_.repeats;
      effort.budget = budget;
      effort.cuda = target == Target::Cuda;
      samples = Measure(versions, program, effort);
    }
    (*result)["measured"] = Now();
    for (std::size_t n = 0; n < versions.all.size(); ++n) {
      (*result)["versions"].push_back(DescribeVersion(versions.all[n], checks[n], samples[n]));
    }
  }

  static void PrintRow(const Json& result) {
    std::string row =
        fmt::format("{:<22} {:<7} {:<5}", result["program"].get<std::string>(),
                    result["type"].get<std::string>(), result["target"].get<std::string>());
    if (result.contains("problem")) {
      fmt::print("{} {}\n", row, result["problem"].get<std::string>());
      return;
    }
    std::map<std::string, double> medians;
    std::string others;
    for (const Json& version : result["versions"]) {
      const std::string name = version["name"];
      medians[name] =
          version.contains("same_as") ? medians[version["same_as"]] : version.value("median", 0.0);
      const bool correct = version.value("correct", true);
      const std::string speed =
          medians[name] > 0
              ? fmt::format(" {:>10.3f}", result["points"].get<double>() / medians[name] / 1e9)
              : fmt::format(" {:>10}", correct ? "correct" : "FAILED");
      if (name == "plain" || name == "unfused" || name == "default") {
        row += speed;
      } else {
        others += fmt::format("  {}{}", name, speed);
      }
    }
    row += medians["plain"] > 0 && medians["default"] > 0
               ? fmt::format(" {:>8.2f}", medians["plain"] / medians["default"])
               : fmt::format(" {:>8}", "");
    row += others;
    fmt::print("{}\n", row);
    std::fflush(stdout);
  }

  int MakePage() {
    if (!options_.page.empty()) {
      const auto page = std::filesystem::path(STENCILGEN_SOURCE_DIR) / "benchmarks" / "page";
      const driver::ProcessResult made =
          driver::RunProcess({page.string(), options_.json, "-o", options_.page});
      fmt::print("{}", made.output);
      if (made.status != 0) return 1;
    }
    return wrong_ ? 1 : 0;
  }

  Options options_;
  ResultFile file_;
  Gpu gpu_;
  driver::TemporaryDirectory directory_;
  std::unique_ptr<Rivals> rivals_;
  bool wrong_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace
}  // namespace stencilgen::suite

int main(int argc, char** argv) {
  using namespace stencilgen::suite;
  auto parsed = ParseOptions(argc, argv);
  if (const auto* finished = std::get_if<Finished>(&parsed)) return finished->status;
  auto& options = std::get<Options>(parsed);
  if (options.json.empty()) {
    const std::filesystem::path folder =
        std::filesystem::path(STENCILGEN_BINARY_DIR) / "benchmarks";
    options.json = (folder / "results.json").string();
  }
  KeepMemory();
  return Run(std::move(options)).All();
}
