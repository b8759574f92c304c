#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/progress.h"
#include "tools/run/visits.h"
#include "tools/tune/journal.h"
#include "tools/tune/search.h"

namespace stencilgen::driver {

/// A program that is tuned: everything that stays the same for all sets of options.
struct TunedProgram {
  Options options;  ///< with the target decided
  const LoadedProgram* loaded = nullptr;
  graph::Graph graph;  ///< no parameter is fixed; `-D` are the defaults
  VisitInputs inputs;
};

/// Code for a set of options, with what calls it by name.
struct TunedCode {
  std::string text;
  std::string error;  ///< why there is none; empty where there is
};
TunedCode CodeFor(const TunedProgram& program, const OptionSet& set);

/// What the model predicts for each set, in seconds; 0 for C++, which has no model. Several at a
/// time.
std::vector<std::optional<double>> PredictAll(const TunedProgram& program,
                                              const std::vector<OptionSet>& sets, int jobs);

/// Sizes for checks, the best first: small, odd and different, as far as they are allowed to be.
std::vector<graph::ParameterValues> CheckedSizes(const graph::Graph& graph,
                                                 const graph::ParameterValues& sizes);

/// Sets inputs.checked and inputs.reference. An error where the program cannot be evaluated.
std::optional<UsageError> PrepareChecks(TunedProgram& program);

/// Measures sets of options on this machine, and writes everything it learns to a journal.
class Tuner {
 public:
  /// `folder`: where libraries are made, and found where an earlier process has made them.
  /// `spent`: seconds that earlier processes have spent. Requires: all outlive it; the folder is
  /// there, and nobody else uses it.
  Tuner(TunedProgram& program, Journal& journal, std::filesystem::path folder, double budget,
        double spent, int jobs);

  /// Cuts numbers of time steps so that a call is short enough for the budget. An error where the
  /// default options do not work.
  std::optional<std::string> ChooseSteps();
  SearchWorld World();
  /// What an earlier process has found out of the default.
  void SetDefaultTime(double milliseconds) { default_ms_ = milliseconds; }

  /// Seconds of all processes so far.
  double Spent() const;
  /// A line of the journal could not be written; empty where all could.
  const std::string& journal_error() const { return journal_error_; }
  /// The user has asked for an end.
  static bool Interrupted();
  /// From now on an interrupt is such a request.
  static void HandleSignals();

 private:
  struct Library {
    std::filesystem::path path;
    std::string failure;
  };
  std::vector<std::string> Prepare(const std::vector<OptionSet>& sets);
  std::vector<Visit> Measure(const std::vector<OptionSet>& sets);
  void Compile(const std::vector<OptionSet>& sets);
  Library Build(const OptionSet& set);
  VisitRequest TimeOf(const OptionSet& set) const;
  void Write(const OptionSet& set, const Visit& visit);
  void Report(const std::string& stage, const Trial* fastest);
  bool Stopped() const { return Interrupted() || !journal_error_.empty(); }

  TunedProgram& program_;
  Journal& journal_;
  double budget_, spent_before_;
  int jobs_;
  std::filesystem::path folder_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<OptionSet, Library> libraries_;
  std::map<std::string, OptionSet> known_code_;  ///< by hash: who has it
  std::mutex mutex_;                             ///< of known_code_
  double default_ms_ = 0;                        ///< of a call; 0 while it is not known
  double compile_seconds_ = 0;                   ///< of a set, the last time some were compiled
  double said_ms_ = 0;                           ///< of the best that has been reported
  std::string journal_error_;
  Progress progress_;
};

}  // namespace stencilgen::driver
