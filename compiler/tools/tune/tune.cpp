#include "tools/tune/tune.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "driver/choose_schedule.h"
#include "driver/compile.h"
#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/report.h"
#include "driver/text_hash.h"
#include "driver/tuning_db.h"
#include "plan/fuse_model.h"
#include "support/parallel.h"
#include "tools/measure/gpu.h"
#include "tools/run/run_report.h"
#include "tools/tune/offline.h"
#include "tools/tune/search_space.h"
#include "tools/tune/tune_report.h"
#include "tools/tune/tuner.h"

namespace stencilgen::driver {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What a journal knows.
struct Remembered {
  double spent = 0;
  graph::ParameterValues timed;  ///< sizes of the measured calls; empty where it does not say
  std::vector<Trial> trials;
  std::optional<TuningEntry> result;
  std::string undecided;  ///< why the result is that of an earlier tune, or the default
};

/// Lines that are no line of ours say nothing.
Remembered ReadMemory(const std::vector<Json>& lines) {
  Remembered memory;
  std::map<OptionSet, Trial> trials;
  for (const Json& line : lines) {
    try {
      if (line.contains("spent")) memory.spent = line["spent"].get<double>();
      if (line.contains("timed")) memory.timed = line["timed"].get<graph::ParameterValues>();
      if (line.contains("result")) {
        auto entry = EntryFromJson(line["result"]);
        if (std::holds_alternative<TuningEntry>(entry)) {
          memory.result = std::get<TuningEntry>(std::move(entry));
          memory.undecided = line.value("undecided", "");
        }
      }
      if (!line.contains("options")) continue;
      Trial& trial = trials[line["options"].get<OptionSet>()];
      if (line.contains("ms")) trial.milliseconds.push_back(line["ms"].get<double>());
      if (line.contains("failure")) trial.failure = line["failure"].get<std::string>();
    } catch (const Json::exception&) {
      continue;
    }
  }
  for (auto& [options, trial] : trials) {
    trial.options = options;
    memory.trials.push_back(std::move(trial));
  }
  return memory;
}

/// One `stencilgen tune`.
class TuneRun {
 public:
  explicit TuneRun(const Options& options) { program_.options = options; }

  int Run() {
    if (const int status = Load(); status != kExitDone) return status;
    if (!options().tune.offline.empty()) return WriteFolder();
    if (!options().tune.offline_results.empty()) return ReadResults();
    if (const int status = ChooseMachine(); status != kExitDone) return status;
    if (const int status = Prepare(); status != kExitDone) return status;
    return Measure();
  }

 private:
  const Options& options() const { return program_.options; }

  int Fail(const std::string& message, const std::string& hint = "") const {
    PrintError(message, hint);
    if (options().run.json) {
      if (auto error = WriteStandardOutput(ErrorJson(message))) PrintError(*error);
    }
    return kExitProgramError;
  }

  int Load() {
    DiagnosticSink sink;
    loaded_ = LoadProgram(options(), sink);
    if (loaded_.exit_status != kExitDone) return loaded_.exit_status;
    program_.loaded = &loaded_;
    // Sizes are arguments of the tuned code, so that one library serves for checks and times.
    PipelineOptions open = loaded_.pipeline;
    open.fixed.clear();
    auto graph = CompileToGraph(*loaded_.program, open, sink);
    PrintDiagnostics(*loaded_.source, sink, options());
    if (!graph) return kExitProgramError;
    program_.graph = *std::move(graph);
    for (graph::Parameter& parameter : program_.graph.parameters) {
      const auto given = options().defines.find(parameter.name);
      if (given != options().defines.end()) parameter.default_value = given->second;
    }
    program_.inputs.name = loaded_.pipeline.program_name;
    program_.inputs.fp = options().fp;
    program_.inputs.graph = &program_.graph;
    return kExitDone;
  }

  /// For a GPU that is elsewhere: nothing of it is known but what the options say.
  int PrepareElsewhere() {
    Options& options = program_.options;
    const std::string option = options.tune.offline.empty() ? "--offline-results" : "--offline";
    const std::string own = CppOption(options);
    if (!own.empty() || options.run.target == RunTarget::Cpp) {
      return ReportUsage({fmt::format("{} is about CUDA code, but {} about C++", option,
                                      own.empty() ? "--target cpp" : own),
                          "leave one of them out"});
    }
    if (!options.run.in.empty()) {
      return ReportUsage({fmt::format("{} has no use for --in", option),
                          "another machine measures with random numbers"});
    }
    options.target = Target::Cuda;
    options.arch = ArchOf(options);
    program_.inputs.executor = Executor::Cuda;
    program_.inputs.timed.parameters = plan::UsualSizes(program_.graph);
    key_.target = "cuda";
    key_.arch = *options.arch;
    SetKey();
    // The compiler that counts is there, like the device.
    key_.compiler.clear();
    return kExitDone;
  }

  int WriteFolder() {
    if (const int status = PrepareElsewhere(); status != kExitDone) return status;
    const fs::path folder = options().tune.offline;
    std::error_code status;
    if (fs::exists(folder, status) &&
        (!fs::is_directory(folder, status) || !fs::is_empty(folder, status))) {
      return ReportUsage(
          {fmt::format("--offline: `{}` is there, and not an empty folder", folder.string()),
           "name a new folder"});
    }
    const auto sizes = ParameterValuesOf(program_.graph);
    if (const auto* error = std::get_if<UsageError>(&sizes)) return ReportUsage(*error);
    if (auto error = PrepareChecks(program_)) return ReportUsage(*error);
    std::vector<OfflineCandidate> candidates;
    {
      const Progress progress("pricing candidates");
      candidates = OfflineCandidates(program_, Space(), Jobs());
    }
    for (const char* part : {"src", "tools/measure", "tools/tune/offline"}) {
      if (!status) fs::create_directories(folder / part, status);
    }
    if (status) {
      return Fail(fmt::format("cannot make `{}`: {}", folder.string(), status.message()));
    }
    if (auto error = WriteOutputs(OfflineFolder(folder, program_, key_, candidates))) {
      return Fail(*error);
    }
    const std::string text = fmt::format(
        "{}: {} candidates for {}\n  there      make -j16 && make tune\n"
        "  here       stencilgen tune {} --offline-results results.json\n",
        folder.string(), candidates.size(), key_.arch, options().input);
    if (auto error = WriteStandardOutput(text)) return Fail(*error);
    return kExitDone;
  }

  int ReadResults() {
    if (const int status = PrepareElsewhere(); status != kExitDone) return status;
    if (const int status = OpenDatabase(); status != kExitDone) return status;
    const std::string& file = options().tune.offline_results;
    std::string error;
    const auto text = ReadInput(file, error);
    if (!text) return ReportUsage({error, "name the results.json of a folder of --offline"});
    auto read = ReadOfflineResults(file, *text, program_, key_);
    if (const auto* wrong = std::get_if<std::string>(&read)) return Fail(*wrong);
    auto& report = std::get<TuneReport>(read);
    report.file = file_;
    // What could not be compared says nothing against what an earlier tune has found.
    const auto before = Before(report.entry.key);
    if (!report.undecided.empty() && before) report.entry = *before;
    if (auto failure = StoreTuningEntry(file_, report.entry)) return Fail(*failure);
    return Say(report);
  }

  int Jobs() const {
    if (options().fusion_recompile) return 1;
    if (options().tune.jobs > 0) return options().tune.jobs;
    return static_cast<int>(Cores());
  }

  /// Decides the target, and says what machine it is.
  int ChooseMachine() {
    Options& options = program_.options;
    measure::GpuName gpu;
    if (options.run.target != RunTarget::Cpp) gpu = measure::FindGpu();
    const bool has_gpu = !gpu.arch.empty();
    const bool nvcc = !FindCompiler(Backend::Cuda).empty();
    if (options.run.target == RunTarget::Cuda && !(has_gpu && nvcc)) {
      return Fail(has_gpu ? "--target cuda needs nvcc, and it is not in PATH"
                          : "--target cuda needs a GPU, and none is there",
                  "--offline FOLDER writes what another machine measures");
    }
    const bool cuda = has_gpu && nvcc;
    if (const std::string own = cuda ? CppOption(options) : GpuOption(options); !own.empty()) {
      return Fail(fmt::format("{} is about {} code, but {} is tuned here", own,
                              cuda ? "C++" : "CUDA", cuda ? "CUDA" : "C++"),
                  cuda ? "say --target cpp" : "--offline FOLDER tunes for another machine");
    }
    if (FindCompiler(cuda ? Backend::Cuda : Backend::Cpp).empty()) {
      return Fail("tuning needs a C++ compiler, and none is in PATH", "install g++, or set CXX");
    }
    options.target = cuda ? Target::Cuda : Target::Cpp;
    if (cuda && !options.arch) options.arch = gpu.arch;
    program_.inputs.executor = cuda ? Executor::Cuda : Executor::Cpp;
    key_.target = cuda ? "cuda" : "cpp";
    key_.arch = cuda ? *options.arch : "";
    key_.device = cuda ? gpu.model : CpuName();
    return kExitDone;
  }

  /// Everything that can be wrong before anything is measured.
  int Prepare() {
    auto prepared = PrepareInputs(program_.graph, options());
    if (const auto* error = std::get_if<UsageError>(&prepared)) return ReportUsage(*error);
    program_.inputs.timed = std::get<RunInputs>(std::move(prepared));
    if (auto error = PrepareChecks(program_)) return ReportUsage(*error);

    SetKey();
    return OpenDatabase();
  }

  /// The parts of the key that the program and the command line say.
  void SetKey() {
    const ProgramIdentity identity = IdentityOf(*loaded_.program);
    key_.program = identity.hash;
    key_.type = identity.type;
    key_.given = GivenByHand(options());
    key_.compiler = CompilerVersion(*options().target);
    key_.version = STENCILGEN_VERSION;
    for (const graph::ParameterId id : graph::SizesOf(program_.graph)) {
      key_.sizes[program_.graph.parameters[id].name] = program_.inputs.timed.parameters[id.index];
    }
  }

  /// What an earlier tune has found.
  std::optional<TuningEntry> Before(const TuningKey& key) const {
    for (const TuningEntry& entry : database_.entries) {
      if (entry.key == key) return entry;
    }
    return std::nullopt;
  }

  /// The database must be readable and writable.
  int OpenDatabase() {
    file_ = TuningDatabaseFile(options());
    if (file_.empty()) {
      return ReportUsage(
          {"there is no place to keep what tuning finds", "name a file: --tuning-db FILE"});
    }
    auto database = ReadTuningDatabase(file_);
    if (const auto* error = std::get_if<std::string>(&database)) {
      return Fail(*error, "repair or delete it, or name another with --tuning-db FILE");
    }
    database_ = std::get<TuningDatabase>(std::move(database));
    if (access(file_.c_str(), F_OK) == 0 && access(file_.c_str(), W_OK) != 0) {
      return Fail(fmt::format("cannot write `{}`", file_.string()),
                  "name another file with --tuning-db FILE");
    }
    return kExitDone;
  }

  /// A name beside the database that tunes of this key alone use.
  fs::path Beside(const std::string& extension) const {
    constexpr std::size_t kDigits = 12;
    return file_.string() + "." + TextHash(ToString(key_)).substr(0, kDigits) + extension;
  }

  int Measure() {
    auto opened = Journal::Open(Beside(".journal"));
    if (const auto* error = std::get_if<std::string>(&opened)) {
      std::error_code ignored;
      return Fail(*error, fs::exists(Beside(".journal"), ignored)
                              ? "it holds what an ended tune had found"
                              : "name another place with --tuning-db FILE");
    }
    Journal& journal = *std::get<std::unique_ptr<Journal>>(opened);
    Remembered memory = ReadMemory(journal.lines());
    if (memory.result && memory.result->key == key_) return Keep(*memory.result, memory, journal);

    const int jobs = Jobs();
    const double budget = 60 * options().tune.budget_minutes;
    const fs::path work = Beside(".work");
    std::error_code status;
    fs::create_directories(work, status);
    if (status) return Fail(fmt::format("cannot make `{}`: {}", work.string(), status.message()));
    Tuner tuner(program_, journal, work, budget, memory.spent, jobs);
    Tuner::HandleSignals();
    const bool resumed = memory.timed.size() == program_.inputs.timed.parameters.size();
    if (resumed) {
      program_.inputs.timed.parameters = memory.timed;
      fmt::print(stderr,
                 "stencilgen: continues a tune that had taken {:.3g} s: {} sets of options are "
                 "known\n",
                 memory.spent, memory.trials.size());
    } else {
      if (auto error = tuner.ChooseSteps()) {
        Clear(journal);
        return FailDefault(*error);
      }
      if (Tuner::Interrupted()) return Stop(tuner);
      if (auto error =
              journal.Add({{"key", ToJson(key_)}, {"timed", program_.inputs.timed.parameters}})) {
        return Fail(*error);
      }
    }
    for (const Trial& trial : memory.trials) {
      if (trial.options.empty() && trial.measured()) tuner.SetDefaultTime(trial.Fastest());
    }

    const SearchSpace space = Space();
    SearchSettings settings;
    settings.batch = static_cast<std::size_t>(std::max(8, 2 * jobs));
    const SearchWorld world = tuner.World();
    const SearchResult result =
        Search(world, space.start, space.dimensions, memory.trials, settings);
    if (!tuner.journal_error().empty()) {
      return Fail(tuner.journal_error(), "what was measured before is kept");
    }
    if (!result.error.empty()) {
      if (memory.trials.empty()) Clear(journal);
      return FailDefault(result.error);
    }
    if (!result.ended) return Stop(tuner);

    memory.trials = result.trials;
    memory.spent = tuner.Spent();
    memory.undecided = WhyUndecided(result);
    // What could not be compared says nothing against what an earlier tune has found.
    const std::optional<TuningEntry> before = Before(key_);
    const TuningEntry entry = !memory.undecided.empty() && before
                                  ? *before
                                  : MakeEntry(key_, loaded_.pipeline.program_name, result);
    if (auto error = journal.Add({{"spent", memory.spent},
                                  {"result", ToJson(entry)},
                                  {"undecided", memory.undecided}})) {
      return Fail(*error, "what was measured before is kept");
    }
    return Keep(entry, memory, journal);
  }

  int FailDefault(const std::string& error) const {
    const bool differs = error.find("differs from the reference") != std::string::npos;
    return Fail(fmt::format("the default options do not work: {}", error),
                differs ? "where rounding grows from step to step, tune with fewer of them (-D), "
                          "or with --fp strict"
                        : "");
  }

  SearchSpace Space() const {
    SearchSpace space;
    if (*options().target == Target::Cpp) {
      const int threads = static_cast<int>(Cores());
      space = CppSpace(program_.graph, program_.inputs.timed.parameters, options().fp, threads,
                       key_.given);
    } else {
      PipelineOptions pipeline = MakePipelineOptions(options(), loaded_.program->interface);
      pipeline.fixed.clear();
      space = CudaSpace(program_.graph, CompileToChosenPlan(program_.graph, pipeline), pipeline,
                        key_.given);
    }
    // What was the best before is worth a look.
    const std::optional<TuningEntry> before = Before(key_);
    if (before && !before->options.empty())
      space.start.insert(space.start.begin(), before->options);
    return space;
  }

  int Stop(const Tuner& tuner) const {
    return Fail(fmt::format("stopped after {:.3g} s", tuner.Spent()), "the same command continues");
  }

  /// Removes what is only there to continue.
  void Clear(Journal& journal) const {
    std::error_code ignored;
    fs::remove_all(Beside(".work"), ignored);
    journal.Remove();
  }

  /// Puts the result into the database; the journal goes when it is there.
  int Keep(const TuningEntry& entry, const Remembered& memory, Journal& journal) {
    if (auto error = StoreTuningEntry(file_, entry)) {
      return Fail(*error, "nothing is lost: the same command tries to keep it again");
    }
    Clear(journal);
    TuneReport report;
    report.entry = entry;
    report.file = file_;
    report.seconds = memory.spent;
    report.undecided = memory.undecided;
    CountTrials(memory.trials, report);
    std::map<std::string, std::int64_t> measured;
    for (const graph::ParameterId id : graph::SizesOf(program_.graph)) {
      measured[program_.graph.parameters[id].name] = program_.inputs.timed.parameters[id.index];
    }
    if (measured != key_.sizes) report.measured_sizes = SizesText(measured);
    return Say(report);
  }

  int Say(const TuneReport& report) const {
    if (auto error =
            WriteStandardOutput(options().run.json ? ReportJson(report) : ReportText(report))) {
      PrintError(*error);
      return kExitProgramError;
    }
    return kExitDone;
  }

  TunedProgram program_;
  LoadedProgram loaded_;
  TuningKey key_;
  fs::path file_;
  TuningDatabase database_;  ///< as it was at the beginning
};

}  // namespace

int TuneCommand(const Options& options) {
  return TuneRun(options).Run();
}

}  // namespace stencilgen::driver
