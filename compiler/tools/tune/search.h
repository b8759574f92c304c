#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/option_set.h"
#include "tools/measure/visits.h"

namespace stencilgen::driver {

using measure::MedianOf;
using measure::Visit;

/// What is known of one set of options.
struct Trial {
  OptionSet options;
  double predicted = 0;              ///< seconds by the model; 0 where there is none
  std::string failure;               ///< why it is out of the race; empty: it is not
  std::vector<double> milliseconds;  ///< of a call, one a visit

  bool measured() const { return failure.empty() && !milliseconds.empty(); }
  /// The fastest visit: what else the machine does only ever adds. Requires: measured().
  double Fastest() const;
};

/// The world as a search sees it.
struct SearchWorld {
  /// Seconds by the model, for each set; empty: the options do not go together, or it cannot run.
  std::function<std::vector<std::optional<double>>(const std::vector<OptionSet>&)> predict;
  /// Compiles the sets and compares their results with the reference: for each the reason why it
  /// is out, or none.
  std::function<std::vector<std::string>(const std::vector<OptionSet>&)> prepare;
  /// Visits each once, in this order.
  std::function<std::vector<Visit>(const std::vector<OptionSet>&)> measure;
  /// What part of the budget is spent, and what compiling one set takes of it, as far as is known.
  std::function<double()> spent;
  std::function<double()> compiling;
  /// True where the search is to end at once.
  std::function<bool()> stopped;
  /// Hears of each stage: what it does, and the best so far (null before there is one).
  std::function<void(const std::string& stage, const Trial* fastest)> report;
};

/// What varies: alternatives of which each replaces the others. The empty set leaves it open.
struct Dimension {
  std::string name;
  std::vector<OptionSet> alternatives;
};

/// Sets that differ from this one in one dimension, in the order of the dimensions.
std::vector<OptionSet> Neighbours(const OptionSet& set, const std::vector<Dimension>& dimensions);

/// How often one thing was compared with another, side by side.
struct PairedTimes {
  std::vector<double> ratios;  ///< milliseconds of the first by those of the second, a pair each

  double Median() const;
  /// True where the ratios differ more among each other than a tie would let them: the upper
  /// quarter begins at 1.25 of where the lower one ends.
  bool Scatter() const;
  /// True where the second is faster beyond what chance and noise do: a sign test at one in twenty,
  /// and a median gain of 2%. Requires: no ratio is 0.
  bool SecondIsFaster() const;
};

struct SearchSettings {
  std::size_t batch = 8;  ///< sets that are compiled at a time
  int most_pairs = 15;    ///< of the comparison that decides
  std::size_t most_trials = 1000;
};

struct SearchResult {
  std::string error;          ///< the default options do not work
  std::vector<Trial> trials;  ///< the default first
  std::size_t fastest = 0;    ///< of the trials; 0: nothing is faster than the default
  PairedTimes decision;       ///< the default by the fastest; empty where they are the same
  double default_ms = 0, tuned_ms = 0;  ///< medians of that comparison
  double others = 0;   ///< processors that others kept busy during that comparison: the median
  bool ended = false;  ///< false: it was stopped before it had decided
  /// The times of one thing differ so much that what is faster cannot be said: nothing is decided.
  bool scattered = false;
  /// Nothing was decided since the budget is not enough to compare anything: what part of it a
  /// visit takes. Else 0.
  double too_long = 0;
  double least_ms = 0, most_ms = 0;  ///< of the default in that comparison
};

/// Looks for the fastest set. `start` are candidates, the most promising first; `known` is what
/// an earlier search has found out, which is not done again.
///
/// The candidates are compiled and compared in batches by successive halving: all of a batch and
/// the fastest so far are visited in turns, the slower half is dropped, and so on. With about half
/// of the budget spent, or no candidate left, one dimension after the other of the fastest is
/// varied, and that of what is fastest then, until nothing is faster. At last the fastest and the
/// default are visited in pairs, and the default wins ties. Each stage leaves of the budget what
/// the later ones need.
SearchResult Search(const SearchWorld& world, const std::vector<OptionSet>& start,
                    const std::vector<Dimension>& dimensions, const std::vector<Trial>& known,
                    const SearchSettings& settings);

}  // namespace stencilgen::driver
