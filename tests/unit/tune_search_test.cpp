// The search of `stencilgen tune` in worlds whose times are known.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/prng.h"
#include "tools/tune/search.h"

namespace stencilgen {
namespace {

using namespace driver;

/// A world in which each option makes a call faster or slower by a factor of its own.
struct Land {
  std::map<std::string, double> factor;     ///< by `--option value`
  std::map<std::string, double> predicted;  ///< likewise; 1 where it is not there
  std::vector<OptionSet> refused, wrong, crashing;
  double noise = 0;
  double others = 0;     ///< processors that others keep busy
  double cost = 0.002;   ///< of a visit, in budgets
  double compiling = 0;  ///< likewise
  int stop_after = -1;   ///< visits; -1: never

  double spent = 0;
  int visits = 0;
  std::vector<OptionSet> prepared, visited;
  testing::Prng random{7};

  /// True where some of these is a part of the set.
  static bool Touches(const std::vector<OptionSet>& parts, const OptionSet& set) {
    return std::any_of(parts.begin(), parts.end(), [&](const OptionSet& part) {
      return std::includes(set.begin(), set.end(), part.begin(), part.end());
    });
  }
  static bool Holds(const std::vector<OptionSet>& sets, const OptionSet& set) {
    return std::find(sets.begin(), sets.end(), set) != sets.end();
  }
  static double Product(const std::map<std::string, double>& factors, const OptionSet& set) {
    double product = 1;
    for (const auto& [name, value] : set) {
      const auto at = factors.find(name + " " + value);
      if (at != factors.end()) product *= at->second;
    }
    return product;
  }

  SearchWorld World() {
    SearchWorld world;
    world.predict = [this](const std::vector<OptionSet>& sets) {
      std::vector<std::optional<double>> seconds;
      for (const OptionSet& set : sets) {
        seconds.push_back(Holds(refused, set) ? std::nullopt
                                              : std::optional(Product(predicted, set)));
      }
      return seconds;
    };
    world.prepare = [this](const std::vector<OptionSet>& sets) {
      std::vector<std::string> failures;
      for (const OptionSet& set : sets) {
        prepared.push_back(set);
        spent += compiling;
        failures.push_back(Touches(wrong, set) ? "differs from the reference" : "");
      }
      return failures;
    };
    world.measure = [this](const std::vector<OptionSet>& sets) {
      std::vector<Visit> done;
      for (const OptionSet& set : sets) {
        ++visits;
        visited.push_back(set);
        spent += cost;
        const double sway = 1 + noise * static_cast<double>(random.Below(1000)) / 1000;
        done.push_back({10 * Product(factor, set) * sway,
                        Touches(crashing, set) ? "it was ended by signal 11" : "", others});
      }
      return done;
    };
    world.spent = [this] { return spent; };
    world.compiling = [this] { return compiling; };
    world.stopped = [this] { return stop_after >= 0 && visits >= stop_after; };
    world.report = [](const std::string&, const Trial*) {};
    return world;
  }
};

const std::vector<Dimension> kDimensions = {
    {"a", {{}, {{"--a", "1"}}, {{"--a", "2"}}}},
    {"b", {{}, {{"--b", "1"}}, {{"--b", "2"}}}},
    {"c", {{}, {{"--c", ""}}}},
};

SearchResult Run(Land& land, const std::vector<OptionSet>& start = {{{"--a", "1"}}},
                 const std::vector<Trial>& known = {}) {
  const SearchWorld world = land.World();
  SearchResult result = Search(world, start, kDimensions, known, {});
  REQUIRE_FALSE(result.trials.empty());
  CHECK(result.trials[0].options.empty());
  return result;
}

OptionSet Best(const SearchResult& result) {
  return result.trials[result.fastest].options;
}

TEST_CASE("neighbours differ in one dimension") {
  const std::vector<OptionSet> around = Neighbours({{"--a", "1"}, {"--c", ""}}, kDimensions);
  CHECK(around == std::vector<OptionSet>{{{"--c", ""}},
                                         {{"--a", "2"}, {"--c", ""}},
                                         {{"--a", "1"}, {"--b", "1"}, {"--c", ""}},
                                         {{"--a", "1"}, {"--b", "2"}, {"--c", ""}},
                                         {{"--a", "1"}}});
}

TEST_CASE("the search walks to the best of all sets, one dimension after the other") {
  Land land;
  land.factor = {{"--a 1", 0.9}, {"--a 2", 0.7}, {"--b 1", 1.2}, {"--b 2", 0.8}, {"--c ", 0.95}};
  const SearchResult result = Run(land);
  CHECK(result.ended);
  CHECK(Best(result) == OptionSet{{"--a", "2"}, {"--b", "2"}, {"--c", ""}});
  CHECK(result.decision.Median() == Approx(1 / (0.7 * 0.8 * 0.95)));
  CHECK(result.default_ms == Approx(10));
  CHECK(result.tuned_ms == Approx(10 * 0.7 * 0.8 * 0.95));
}

TEST_CASE("noise of a fifth does not hide what is twice as fast") {
  Land land;
  land.factor = {{"--a 2", 0.5}};
  land.noise = 0.2;
  const SearchResult result = Run(land);
  CHECK(Best(result).at("--a") == "2");
}

TEST_CASE("the default wins ties and noise") {
  Land equal;
  CHECK(Best(Run(equal)).empty());
  // Of a hundred, five may be chance; a gain of 2% besides makes that rarer.
  int wins = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Land noisy;
    noisy.noise = 0.3;
    noisy.random = testing::Prng{seed};
    wins += Run(noisy).fastest != 0 ? 1 : 0;
  }
  CHECK(wins <= 5);
}

TEST_CASE("what is slower is never chosen") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Land land;
    land.noise = 0.1;
    land.random = testing::Prng{seed};
    land.factor = {{"--a 1", 1.1}, {"--a 2", 1.2}, {"--b 1", 1.1}, {"--b 2", 1.3}, {"--c ", 1.1}};
    CHECK(Best(Run(land)).empty());
  }
}

TEST_CASE("a set with wrong results, or one that crashes, cannot win") {
  Land land;
  land.factor = {{"--a 1", 0.8}, {"--a 2", 0.1}, {"--b 2", 0.1}};
  land.wrong = {{{"--a", "2"}}};
  land.crashing = {{{"--b", "2"}}};
  const SearchResult result = Run(land, {{{"--a", "2"}}, {{"--a", "1"}}});
  CHECK(Best(result) == OptionSet{{"--a", "1"}});
  for (const OptionSet& set : land.visited) CHECK_FALSE(Land::Touches(land.wrong, set));
  for (const Trial& trial : result.trials) {
    if (Land::Touches(land.crashing, trial.options)) CHECK_FALSE(trial.failure.empty());
  }
}

TEST_CASE("a default that does not work ends the search") {
  Land land;
  land.wrong = {OptionSet()};
  const SearchWorld world = land.World();
  const SearchResult result = Search(world, {}, kDimensions, {}, {});
  CHECK(result.error == "differs from the reference");
  CHECK_FALSE(result.ended);
}

TEST_CASE("what the model rules out is not compiled") {
  Land land;
  land.predicted = {{"--a 2", 5}};
  land.refused = {{{"--b", "1"}}};
  Run(land, {{{"--a", "2"}}, {{"--a", "1"}}, {{"--b", "1"}}});
  CHECK(Land::Holds(land.prepared, {{"--a", "1"}}));
  CHECK_FALSE(Land::Holds(land.prepared, {{"--a", "2"}}));
  CHECK_FALSE(Land::Holds(land.prepared, {{"--b", "1"}}));
}

TEST_CASE("the best of a batch is visited more often than the rest") {
  Land land;
  std::vector<OptionSet> start;
  for (int k = 0; k < 8; ++k) {
    start.push_back({{"--k", std::to_string(k)}});
    land.factor["--k " + std::to_string(k)] = 0.5 + 0.1 * k;
  }
  Run(land, start);
  const auto count = [&](const OptionSet& set) {
    return std::count(land.visited.begin(), land.visited.end(), set);
  };
  CHECK(count({{"--k", "0"}}) >= 4);
  CHECK(count({{"--k", "7"}}) == 1);
}

TEST_CASE("the budget is kept, whatever visits and compilations take of it") {
  for (const double cost : {0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.2}) {
    for (const double compiling : {0.0, 0.01, 0.05, 0.1}) {
      Land land;
      land.factor = {{"--a 1", 0.5}, {"--a 2", 0.25}, {"--b 1", 0.9}};
      land.cost = cost;
      land.compiling = compiling;
      const SearchResult result = Run(land, {{{"--a", "1"}}, {{"--a", "2"}}});
      INFO(cost << " a visit, " << compiling << " a compilation: " << land.spent);
      CHECK(result.ended);
      // Nobody can do less than to look at the default.
      CHECK(land.spent <= std::max(1.1, cost + compiling));
      if (cost <= 0.05 && compiling <= 0.05) {
        CHECK(result.fastest != 0);
        CHECK(result.decision.ratios.size() >= 5);
      }
      CHECK((result.too_long > 0) == (result.trials.size() == 1));
    }
  }
}

TEST_CASE("a small budget compiles few candidates at a time") {
  Land land;
  land.compiling = 0.1;
  land.cost = 0.02;
  const SearchResult result = Run(land, {{{"--a", "1"}}, {{"--a", "2"}}, {{"--b", "1"}}});
  CHECK(result.ended);
  CHECK(land.prepared.size() <= 5);
  CHECK(land.prepared.size() >= 3);
}

TEST_CASE("times that differ too much decide nothing") {
  int undecided = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Land loaded;
    loaded.noise = 4;  // a call may take five times as long
    loaded.others = 1.5;
    loaded.random = testing::Prng{seed};
    const SearchResult result = Run(loaded);
    if (!result.scattered) continue;
    ++undecided;
    CHECK(result.fastest == 0);
    CHECK(result.others == 1.5);
    CHECK(result.most_ms > 1.25 * result.least_ms);
  }
  CHECK(undecided >= 30);
  Land quiet;
  quiet.noise = 0.05;
  CHECK_FALSE(Run(quiet).scattered);
  // What is always faster, however much times differ, is faster.
  Land clear;
  clear.noise = 0.8;
  clear.factor = {{"--a 2", 0.4}};
  const SearchResult result = Run(clear);
  CHECK_FALSE(result.scattered);
  CHECK(Best(result).at("--a") == "2");
}

TEST_CASE("a search that is stopped has decided nothing, and another goes on where it was") {
  for (int stop = 1; stop < 60; ++stop) {
    Land land;
    land.factor = {{"--a 1", 0.9}, {"--a 2", 0.7}, {"--b 2", 0.8}, {"--c ", 0.95}};
    land.stop_after = stop;
    const SearchWorld world = land.World();
    const SearchResult stopped = Search(world, {{{"--a", "1"}}}, kDimensions, {}, {});
    INFO(stop);
    if (stopped.ended) break;
    CHECK(stopped.fastest == 0);
    std::vector<Trial> known;
    for (const Trial& trial : stopped.trials) {
      if (trial.measured()) known.push_back(trial);
    }
    land.stop_after = -1;
    land.prepared.clear();
    const SearchResult result = Search(world, {{{"--a", "1"}}}, kDimensions, known, {});
    CHECK(Best(result) == OptionSet{{"--a", "2"}, {"--b", "2"}, {"--c", ""}});
    for (const Trial& trial : known) CHECK_FALSE(Land::Holds(land.prepared, trial.options));
  }
}

TEST_CASE("pairs decide by signs and by the median") {
  const auto faster = [](std::vector<double> ratios) {
    return PairedTimes{std::move(ratios)}.SecondIsFaster();
  };
  CHECK_FALSE(faster({}));
  CHECK_FALSE(faster({1.5, 1.5, 1.5}));  // too few
  CHECK(faster({1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}));
  CHECK(faster({1.1, 1.1, 1.1, 0.9, 1.1, 1.1, 1.1, 1.1}));
  CHECK_FALSE(faster({1.1, 1.1, 1.1, 0.9, 0.9, 1.1, 1.1}));
  CHECK_FALSE(faster({1.01, 1.01, 1.01, 1.01, 1.01, 1.01, 1.01}));
  CHECK_FALSE(faster({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}));
}

}  // namespace
}  // namespace stencilgen
