#include "tools/tune/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "support/check.h"
#include "support/count_text.h"

namespace stencilgen::driver {

namespace {

// Parts of the budget after which candidates, and neighbours, are no longer looked for.
constexpr double kCandidatesEnd = 0.5;
constexpr double kNeighboursEnd = 0.8;
/// What the model promises to take so much longer than the best is not tried.
constexpr double kHopeless = 3.0;
/// Pairs that a decision needs: so many in a row are no chance.
constexpr std::size_t kLeastPairs = 5;

/// How likely it is that of so many throws of a coin at least `heads` show heads.
double ChanceOfHeads(std::size_t throws, std::size_t heads) {
  double chance = 0;
  double ways = 1;  // to choose k of them
  for (std::size_t k = 0; k <= throws; ++k) {
    if (k >= heads) chance += ways;
    ways *= static_cast<double>(throws - k) / static_cast<double>(k + 1);
  }
  return chance * std::pow(0.5, static_cast<double>(throws));
}

class Searcher {
 public:
  Searcher(const SearchWorld& world, const std::vector<Dimension>& dimensions,
           const std::vector<Trial>& known, const SearchSettings& settings)
      : world_(world), dimensions_(dimensions), settings_(settings) {
    for (const Trial& trial : known) known_.emplace(trial.options, trial);
  }

  SearchResult Run(const std::vector<OptionSet>& start) {
    Add({}, 0);
    if (!Prepare({0}) || !Enough({0})) {
      if (!world_.stopped()) result_.error = result_.trials[0].failure;
      return std::move(result_);
    }
    for (const auto& [options, trial] : known_) {
      if (trial.measured() && seen_.count(options) == 0) Add(options, 0);
    }
    FindFastest();
    TryCandidates(start);
    TryNeighbours();
    if (!world_.stopped()) Decide();
    return std::move(result_);
  }

 private:
  Trial& At(std::size_t index) { return result_.trials[index]; }

  std::size_t Add(const OptionSet& options, double predicted) {
    Trial trial;
    const auto known = known_.find(options);
    if (known != known_.end()) trial = known->second;
    trial.options = options;
    trial.predicted = predicted;
    seen_.insert(options);
    result_.trials.push_back(std::move(trial));
    return result_.trials.size() - 1;
  }

  std::vector<OptionSet> OptionsOf(const std::vector<std::size_t>& some) const {
    std::vector<OptionSet> sets;
    sets.reserve(some.size());
    for (const std::size_t index : some) sets.push_back(result_.trials[index].options);
    return sets;
  }

  void Report(const std::string& stage) const {
    const bool any = !result_.trials.empty() && result_.trials[fastest_].measured();
    world_.report(stage, any ? &result_.trials[fastest_] : nullptr);
  }

  /// Compiles and checks what is new. False where the first of them is out.
  bool Prepare(const std::vector<std::size_t>& some) {
    std::vector<std::size_t> fresh;
    for (const std::size_t index : some) {
      if (At(index).failure.empty() && At(index).milliseconds.empty()) fresh.push_back(index);
    }
    if (!fresh.empty()) {
      Report("compiling " + CountText(fresh.size(), "candidate"));
      const std::vector<std::string> failures = world_.prepare(OptionsOf(fresh));
      for (std::size_t k = 0; k < fresh.size(); ++k) At(fresh[k]).failure = failures[k];
    }
    return At(some.front()).failure.empty();
  }

  void Measure(const std::vector<std::size_t>& some) {
    Report("measuring " + CountText(some.size(), "candidate"));
    const std::vector<Visit> visits = Visited(some);
    if (world_.stopped()) return;
    for (std::size_t k = 0; k < some.size(); ++k) {
      Trial& trial = At(some[k]);
      trial.failure = visits[k].failure;
      if (trial.failure.empty()) trial.milliseconds.push_back(visits[k].milliseconds);
    }
  }
  /// Visits them, and learns what a visit takes of the budget.
  std::vector<Visit> Visited(const std::vector<std::size_t>& some) {
    const double before = world_.spent();
    std::vector<Visit> visits = world_.measure(OptionsOf(some));
    visit_ = (world_.spent() - before) / static_cast<double>(some.size());
    return visits;
  }
  /// The part of the budget that is left to a stage which ends at `end`: pairs come after all.
  double Left(double end) const {
    return std::min(end, 1 - 2 * kLeastPairs * visit_) - world_.spent();
  }
  /// Visits those that were never visited. False where the first of them failed.
  bool Enough(const std::vector<std::size_t>& some) {
    std::vector<std::size_t> fresh;
    for (const std::size_t index : some) {
      if (At(index).failure.empty() && At(index).milliseconds.empty()) fresh.push_back(index);
    }
    if (!fresh.empty() && !world_.stopped()) Measure(fresh);
    return At(some.front()).measured();
  }

  /// Successive halving. The fastest so far takes part in every round but the first.
  void Halve(std::vector<std::size_t> some) {
    constexpr double kFar = 1.5;    // as slow as that in one visit is slow
    constexpr double kNear = 1.03;  // not to be told apart yet
    constexpr int kRounds = 3;
    Prepare(some);
    Enough(some);
    for (int round = 0; round < kRounds && !world_.stopped(); ++round) {
      std::erase_if(some,
                    [&](std::size_t index) { return index == fastest_ || !At(index).measured(); });
      if (some.empty()) break;
      std::stable_sort(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
        return At(a).Fastest() < At(b).Fastest();
      });
      const double best = std::min(At(some.front()).Fastest(), At(fastest_).Fastest());
      const std::size_t half = (some.size() + 1) / 2;
      std::vector<std::size_t> kept;
      for (std::size_t k = 0; k < some.size(); ++k) {
        const double time = At(some[k]).Fastest();
        if (time <= kNear * best || (k < half && time <= kFar * best)) kept.push_back(some[k]);
      }
      some = std::move(kept);
      std::vector<std::size_t> turn = some;
      turn.push_back(fastest_);
      const double cost = static_cast<double>(turn.size()) * visit_;
      if (some.empty() || Left(kNeighboursEnd) < cost) break;
      Measure(turn);
      FindFastest();
    }
    FindFastest();
  }

  void FindFastest() {
    for (std::size_t k = 0; k < result_.trials.size(); ++k) {
      if (!At(k).measured()) continue;
      if (!At(fastest_).measured() || At(k).Fastest() < At(fastest_).Fastest()) fastest_ = k;
    }
  }

  /// The sets that the model does not rule out, in their order.
  std::vector<std::pair<OptionSet, double>> Promising(const std::vector<OptionSet>& sets) {
    std::vector<OptionSet> fresh;
    for (const OptionSet& set : sets) {
      const bool twice = std::find(fresh.begin(), fresh.end(), set) != fresh.end();
      if (!twice && seen_.count(set) == 0) fresh.push_back(set);
    }
    if (fresh.empty() || world_.stopped()) return {};
    Report(fmt::format("pricing {} candidates", fresh.size()));
    const std::vector<std::optional<double>> seconds = world_.predict(fresh);
    std::vector<std::pair<OptionSet, double>> promising;
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      if (!seconds[k] || !std::isfinite(*seconds[k])) continue;
      promising.emplace_back(fresh[k], *seconds[k]);
      if (*seconds[k] > 0) least_ = least_ > 0 ? std::min(least_, *seconds[k]) : *seconds[k];
    }
    std::erase_if(promising, [&](const auto& one) { return one.second > kHopeless * least_; });
    return promising;
  }

  /// Sets of a batch that is to end by then: no more than a part of the budget is enough for. 0
  /// where there is no time for one.
  std::size_t BatchSize(double end) const {
    constexpr double kPart = 0.15;
    // Most are visited twice.
    const double cost = world_.compiling() + 2 * visit_;
    const double left = Left(end);
    if (left < cost || left <= 0) return 0;
    const double affordable = cost > 0 ? kPart / cost : 1e6;
    return static_cast<std::size_t>(
        std::clamp(affordable, 1.0, static_cast<double>(settings_.batch)));
  }
  bool Full() const { return result_.trials.size() >= settings_.most_trials; }

  /// Batches of these until the part of the budget is spent.
  void TryBatches(const std::vector<std::pair<OptionSet, double>>& sets, double end) {
    for (std::size_t next = 0; next < sets.size();) {
      if (world_.stopped() || Full()) return;
      const std::size_t size = BatchSize(end);
      if (size == 0) {
        if (result_.trials.size() == 1) result_.too_long = visit_;
        return;
      }
      std::vector<std::size_t> batch;
      for (; next < sets.size() && batch.size() < size && !Full(); ++next) {
        batch.push_back(Add(sets[next].first, sets[next].second));
      }
      Halve(std::move(batch));
    }
  }

  void TryCandidates(const std::vector<OptionSet>& start) {
    TryBatches(Promising(start), kCandidatesEnd);
  }

  void TryNeighbours() {
    for (;;) {
      const std::size_t centre = fastest_;
      if (world_.stopped() || BatchSize(kNeighboursEnd) == 0 || Full()) return;
      auto around = Promising(Neighbours(At(centre).options, dimensions_));
      std::stable_sort(around.begin(), around.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
      TryBatches(around, kNeighboursEnd);
      if (fastest_ == centre) return;
    }
  }

  void Decide() {
    result_.ended = true;
    result_.default_ms = result_.tuned_ms = At(0).Fastest();
    if (fastest_ == 0) return;
    std::vector<double> defaults;
    std::vector<double> tuned;
    std::vector<double> others;
    const auto most = static_cast<std::size_t>(settings_.most_pairs);
    while (defaults.size() < most &&
           (defaults.size() < kLeastPairs || world_.spent() + 2 * visit_ <= 1)) {
      Report(fmt::format("comparing with the default, pair {}", defaults.size() + 1));
      // Which comes first changes, so that neither has the better place.
      const bool swapped = defaults.size() % 2 == 1;
      const std::vector<std::size_t> pair =
          swapped ? std::vector<std::size_t>{fastest_, 0} : std::vector<std::size_t>{0, fastest_};
      const std::vector<Visit> visits = Visited(pair);
      if (world_.stopped()) {
        result_.ended = false;
        return;
      }
      if (!visits[0].failure.empty() || !visits[1].failure.empty()) {
        At(fastest_).failure = visits[swapped ? 0 : 1].failure;
        result_.fastest = 0;
        return;
      }
      defaults.push_back(visits[swapped ? 1 : 0].milliseconds);
      tuned.push_back(visits[swapped ? 0 : 1].milliseconds);
      result_.decision.ratios.push_back(defaults.back() / tuned.back());
      others.push_back((visits[0].others + visits[1].others) / 2);
    }
    result_.others = MedianOf(others);
    result_.least_ms = *std::min_element(defaults.begin(), defaults.end());
    result_.most_ms = *std::max_element(defaults.begin(), defaults.end());
    result_.default_ms = MedianOf(defaults);
    result_.tuned_ms = MedianOf(tuned);
    if (result_.decision.SecondIsFaster()) {
      result_.fastest = fastest_;
    } else {
      result_.scattered = result_.decision.Scatter();
    }
  }

  const SearchWorld& world_;
  const std::vector<Dimension>& dimensions_;
  const SearchSettings& settings_;
  std::map<OptionSet, Trial> known_;
  std::set<OptionSet> seen_;
  SearchResult result_;
  std::size_t fastest_ = 0;
  double least_ = 0;  ///< the best prediction; 0 without a model
  double visit_ = 0;  ///< what the last visits took of the budget, each
};

}  // namespace

double Trial::Fastest() const {
  STENCILGEN_CHECK(!milliseconds.empty());
  return *std::min_element(milliseconds.begin(), milliseconds.end());
}

std::vector<OptionSet> Neighbours(const OptionSet& set, const std::vector<Dimension>& dimensions) {
  std::vector<OptionSet> neighbours;
  for (const Dimension& dimension : dimensions) {
    OptionSet rest = set;
    for (const OptionSet& alternative : dimension.alternatives) {
      for (const auto& [name, value] : alternative) rest.erase(name);
    }
    for (const OptionSet& alternative : dimension.alternatives) {
      OptionSet neighbour = rest;
      neighbour.insert(alternative.begin(), alternative.end());
      if (neighbour != set) neighbours.push_back(std::move(neighbour));
    }
  }
  return neighbours;
}

double PairedTimes::Median() const {
  return MedianOf(ratios);
}

bool PairedTimes::Scatter() const {
  constexpr double kWide = 1.25;
  if (ratios.size() < 4) return false;
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t quarter = sorted.size() / 4;
  return sorted[sorted.size() - 1 - quarter] > kWide * sorted[quarter];
}

bool PairedTimes::SecondIsFaster() const {
  constexpr double kUnlikely = 0.05;
  constexpr double kLeastGain = 1.02;
  if (ratios.empty()) return false;
  const auto faster = static_cast<std::size_t>(
      std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; }));
  return ChanceOfHeads(ratios.size(), faster) <= kUnlikely && Median() >= kLeastGain;
}

SearchResult Search(const SearchWorld& world, const std::vector<OptionSet>& start,
                    const std::vector<Dimension>& dimensions, const std::vector<Trial>& known,
                    const SearchSettings& settings) {
  return Searcher(world, dimensions, known, settings).Run(start);
}

}  // namespace stencilgen::driver
