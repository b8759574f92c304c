#include "tools/tune/tuner.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "driver/interrupts.h"
#include "driver/text_hash.h"
#include "driver/tuning_db.h"
#include "support/parallel.h"

namespace stencilgen::driver {

namespace {

std::atomic<bool> interrupted = false;

/// So many steps or a few more, which end as `wanted` do: results are then in the same arrays,
/// whether two or three change places.
std::int64_t StepsLike(std::int64_t wanted, std::int64_t steps) {
  constexpr std::int64_t kPeriod = 6;
  return std::min(wanted, steps + ((wanted - steps) % kPeriod + kPeriod) % kPeriod);
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool Tuner::Interrupted() {
  return interrupted;
}

void Tuner::HandleSignals() {
  CallOnInterrupt([] { interrupted = true; });
}

Tuner::Tuner(TunedProgram& program, Journal& journal, std::filesystem::path folder, double budget,
             double spent, int jobs)
    : program_(program),
      journal_(journal),
      budget_(budget),
      spent_before_(spent),
      jobs_(jobs),
      folder_(std::move(folder)),
      progress_("tuning") {}

double Tuner::Spent() const {
  const auto now = std::chrono::steady_clock::now();
  return spent_before_ + std::chrono::duration<double>(now - start_).count();
}

SearchWorld Tuner::World() {
  SearchWorld world;
  world.predict = [this](const auto& sets) { return PredictAll(program_, sets, jobs_); };
  world.prepare = [this](const auto& sets) { return Prepare(sets); };
  world.measure = [this](const auto& sets) { return Measure(sets); };
  world.spent = [this] { return Spent() / budget_; };
  world.compiling = [this] { return compile_seconds_ / budget_; };
  world.stopped = [this] { return Stopped(); };
  world.report = [this](const auto& stage, const Trial* fastest) { Report(stage, fastest); };
  return world;
}

Tuner::Library Tuner::Build(const OptionSet& set) {
  Library library;
  const TunedCode code = CodeFor(program_, set);
  if (!code.error.empty()) {
    library.failure = code.error;
    return library;
  }
  const std::string hash = TextHash(code.text);
  {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = known_code_.emplace(hash, set);
    if (!is_new && at->second != set) {
      library.failure = at->second.empty()
                            ? "the same code as the default"
                            : fmt::format("the same code as {}", ToString(at->second));
      return library;
    }
  }
  library.path = folder_ / fmt::format("{}.so", hash);
  std::error_code status;
  if (std::filesystem::exists(library.path, status)) return library;
  BuildOptions build;
  build.backend = BackendOf(program_.inputs.executor);
  build.fp = program_.options.fp;
  build.directory = folder_;
  build.arch = program_.options.arch.value_or("native");
  std::string error;
  // A compiler that has outlived its process may still be writing.
  const auto made =
      HostLibrary::Compile(code.text, fmt::format("{}_{}", hash, getpid()), build, error);
  if (!made.empty()) std::filesystem::rename(made, library.path, status);
  if (made.empty() || status) {
    library.failure =
        fmt::format("it does not compile: {}", made.empty() ? error : status.message());
  }
  return library;
}

void Tuner::Compile(const std::vector<OptionSet>& sets) {
  std::vector<OptionSet> fresh;
  for (const OptionSet& set : sets) {
    if (libraries_.count(set) == 0) fresh.push_back(set);
  }
  if (fresh.empty()) return;
  const double begin = Spent();
  std::vector<Library> built(fresh.size());
  ForEachInParallel(fresh.size(), static_cast<std::size_t>(jobs_), [&](std::size_t k) {
    if (!Stopped()) built[k] = Build(fresh[k]);
  });
  if (Stopped()) return;
  compile_seconds_ = (Spent() - begin) / static_cast<double>(fresh.size());
  for (std::size_t k = 0; k < fresh.size(); ++k) libraries_[fresh[k]] = std::move(built[k]);
}

std::vector<std::string> Tuner::Prepare(const std::vector<OptionSet>& sets) {
  constexpr double kLongestCheck = 60;
  std::vector<std::string> failures(sets.size());
  Compile(sets);
  if (Stopped()) return failures;
  std::vector<VisitRequest> requests;
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const Library& library = libraries_[sets[k]];
    failures[k] = library.failure;
    if (!failures[k].empty()) continue;
    requests.push_back({library.path, true, 0, 0, kLongestCheck});
    asked.push_back(k);
  }
  const std::vector<Visit> visits =
      RunVisits(program_.inputs, requests, [this] { return Stopped(); });
  if (Stopped()) return failures;
  for (std::size_t n = 0; n < asked.size(); ++n) {
    const std::size_t k = asked[n];
    failures[k] = visits[n].failure;
    // What is wrong with the default may be the machine; it is looked at again.
    if (!failures[k].empty() && !sets[k].empty()) Write(sets[k], visits[n]);
  }
  return failures;
}

VisitRequest Tuner::TimeOf(const OptionSet& set) const {
  const bool gpu = program_.inputs.executor == Executor::Cuda;
  const double worthwhile = gpu ? 100 : 40;  // milliseconds
  const int least = gpu ? 5 : 1;
  constexpr double kLong = 1000;
  constexpr int kMostRepeats = 100;
  constexpr double kPatience = 10;  // times the default's time
  constexpr double kSetUp = 30;     // seconds
  VisitRequest request;
  request.library = libraries_.at(set).path;
  if (default_ms_ == 0) {
    request.limit = 600;
    return request;
  }
  // Memory that calls keep is there from the second one on.
  request.warmups = gpu && default_ms_ > kLong ? 0 : 1;
  request.repeats =
      std::clamp(static_cast<int>(std::ceil(worthwhile / default_ms_)), least, kMostRepeats);
  request.limit = kSetUp + kPatience * default_ms_ / 1e3 * (request.warmups + request.repeats);
  return request;
}

std::vector<Visit> Tuner::Measure(const std::vector<OptionSet>& sets) {
  std::vector<Visit> visits(sets.size());
  // What an earlier process has measured has no library yet.
  Compile(sets);
  if (Stopped()) return visits;
  std::vector<VisitRequest> requests;
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    visits[k].failure = libraries_[sets[k]].failure;
    if (!visits[k].failure.empty()) continue;
    requests.push_back(TimeOf(sets[k]));
    asked.push_back(k);
  }
  const std::vector<Visit> done =
      RunVisits(program_.inputs, requests, [this] { return Stopped(); });
  if (Stopped()) return visits;
  for (std::size_t n = 0; n < asked.size(); ++n) {
    const OptionSet& set = sets[asked[n]];
    visits[asked[n]] = done[n];
    if (set.empty() && done[n].failure.empty()) default_ms_ = done[n].milliseconds;
    if (done[n].failure.empty() || !set.empty()) Write(set, done[n]);
  }
  return visits;
}

std::optional<std::string> Tuner::ChooseSteps() {
  constexpr std::int64_t kFew = 4;
  constexpr double kVisits = 200;  // that the budget is to be enough for
  const graph::Graph& graph = program_.graph;
  const ProgramIdentity identity = IdentityOf(*program_.loaded->program);
  auto& values = program_.inputs.timed.parameters;
  const graph::ParameterValues wanted = values;
  std::vector<graph::ParameterId> steps;
  for (graph::ParameterId id : graph::SizesOf(graph)) {
    const bool extent = std::find(identity.extents.begin(), identity.extents.end(),
                                  graph.parameters[id].name) != identity.extents.end();
    if (!extent && values[id.index] > kFew) steps.push_back(id);
  }
  if (steps.empty()) return std::nullopt;
  Report("looking at the default", nullptr);
  const std::vector<std::string> failures = Prepare({{}});
  if (Stopped()) return std::nullopt;
  if (!failures[0].empty()) return failures[0];
  double most = 1;  // how often the few steps fit into the wanted ones
  for (graph::ParameterId id : steps) {
    most = std::max(most, static_cast<double>(wanted[id.index]) / kFew);
    values[id.index] = StepsLike(wanted[id.index], kFew);
  }
  const std::vector<Visit> visits =
      RunVisits(program_.inputs, {TimeOf({})}, [this] { return Stopped(); });
  if (Stopped()) return std::nullopt;
  if (!visits[0].failure.empty()) return visits[0].failure;
  // Deeper time tiles need some steps to show what they are worth.
  constexpr double kLeastSteps = 32;
  const double few_ms = std::max(visits[0].milliseconds, 1e-6);
  const double affordable = std::clamp(budget_ * 1e3 / kVisits, 20.0, 2000.0) / few_ms;
  const double least = program_.inputs.executor == Executor::Cuda ? kLeastSteps / kFew : 1;
  const double factor = std::min(most, std::max(least, affordable));
  for (graph::ParameterId id : steps) {
    values[id.index] =
        StepsLike(wanted[id.index], static_cast<std::int64_t>(std::ceil(kFew * factor)));
  }
  return std::nullopt;
}

void Tuner::Write(const OptionSet& set, const Visit& visit) {
  nlohmann::ordered_json line;
  line["spent"] = Spent();
  line["options"] = set;
  if (visit.failure.empty()) {
    line["ms"] = visit.milliseconds;
  } else {
    line["failure"] = FirstLine(visit.failure);
  }
  if (!journal_error_.empty()) return;
  if (auto error = journal_.Add(line)) journal_error_ = *error;
}

void Tuner::Report(const std::string& stage, const Trial* fastest) {
  std::string best;
  if (fastest != nullptr && default_ms_ > 0) {
    const std::string text =
        fmt::format("{:.4g} ms with {}", fastest->Fastest(),
                    fastest->options.empty() ? "the default" : ToString(fastest->options));
    best = fmt::format("; best so far {}", text);
    constexpr double kWorthSaying = 0.99;
    if (!fastest->options.empty() &&
        (said_ms_ == 0 || fastest->Fastest() < kWorthSaying * said_ms_)) {
      progress_.Say(fmt::format("{:5.1f} s: {}", Spent(), text));
      said_ms_ = fastest->Fastest();
    }
  }
  progress_.Update(fmt::format("{:.0f}% of the time: {}{}", 100 * Spent() / budget_, stage, best));
}

}  // namespace stencilgen::driver
