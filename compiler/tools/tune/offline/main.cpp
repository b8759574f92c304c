// Checks and times the libraries in lib/ and writes results.json. Each group of calls runs in a
// process of its own, so that a candidate that crashes or hangs does not stop the rest.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tools/measure/gpu.h"
#include "tools/measure/json.h"
#include "tools/tune/offline/candidates.h"
#include "tools/tune/offline/plan.h"

namespace stencilgen::measure {
namespace {

std::string FileText(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The line of `nvcc --version` with the release, or the first.
std::string CompilerName() {
  std::istringstream lines(FileText("compiler.txt"));
  std::string first, line;
  while (std::getline(lines, line)) {
    if (first.empty()) first = line;
    if (line.find("release") != std::string::npos) return line;
  }
  return first;
}

/// Candidates against each other and the clock.
class Tournament {
 public:
  Tournament(const Plan& plan, double minutes)
      : plan_(plan),
        seconds_(60 * minutes),
        failures_(static_cast<std::size_t>(plan.candidates)),
        fastest_(static_cast<std::size_t>(plan.candidates), HUGE_VAL),
        parameters_(plan.parameters) {}

  int Go() {
    const GpuName gpu = FindGpu();
    arch_ = gpu.arch;
    model_ = gpu.model.empty() ? "unknown device" : gpu.model;
    CheckAll();
    if (!failures_[0].empty()) {
      std::printf("the default does not work: %s\n", failures_[0].c_str());
      return Save() ? 1 : 2;
    }
    ChooseCalls();
    Halve();
    Pair();
    return Save() ? 0 : 2;
  }

 private:
  double Spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void CheckAll() {
    std::vector<Request> requests;
    for (int c = 0; c < plan_.candidates; ++c) requests.push_back({c, true});
    const std::vector<Visit> visits = Carry(plan_, requests);
    int good = 0;
    for (std::size_t c = 0; c < visits.size(); ++c) {
      failures_[c] = visits[c].failure;
      if (visits[c].failure.empty()) ++good;
    }
    std::printf("%d of %d candidates agree with the reference\n", good, plan_.candidates);
    std::fflush(stdout);
  }

  /// Numbers of steps and repeats with which a visit of the default takes 100 ms or some more.
  void ChooseCalls() {
    constexpr int kFewSteps = 32;
    constexpr double kLongest = 400, kVisit = 100;  // milliseconds
    constexpr double kPatience = 300;               // seconds
    std::vector<int> few = parameters_;
    double most = 1;
    for (const std::size_t k : plan_.steps) {
      most = std::max(most, static_cast<double>(few[k]) / std::min(few[k], kFewSteps));
      few[k] = std::min(few[k], kFewSteps);
    }
    const std::vector<Visit> visits =
        Carry(plan_, {{0, false, few, 1, 1, kPatience}, {0, false, few, 1, 3, kPatience}});
    if (!visits[1].failure.empty()) {
      failures_[0] = visits[1].failure;
      return;
    }
    double call = visits[1].milliseconds;
    const double factor = std::max(1.0, std::min(most, kLongest / std::max(call, 1e-3)));
    for (const std::size_t k : plan_.steps) {
      parameters_[k] = std::min(parameters_[k], static_cast<int>(std::ceil(few[k] * factor)));
    }
    call *= factor;
    repeats_ =
        std::max(5, std::min(200, static_cast<int>(std::ceil(kVisit / std::max(call, 1e-3)))));
    limit_ = 60 + 10 * call * (repeats_ + 1) / 1e3;
  }

  void Measure(const std::vector<Request>& requests) {
    const std::vector<Visit> visits = Carry(plan_, requests);
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const auto c = static_cast<std::size_t>(requests[k].candidate);
      if (visits[k].failure.empty()) {
        fastest_[c] = std::min(fastest_[c], visits[k].milliseconds);
      } else {
        failures_[c] = visits[k].failure;
      }
    }
  }
  Request TimeOf(int candidate) const {
    return {candidate, false, parameters_, 1, repeats_, limit_};
  }

  /// All in turns, the slower half dropped, and so on.
  void Halve() {
    std::vector<int> left;
    for (int c = 0; c < plan_.candidates; ++c) left.push_back(c);
    while (!left.empty() && Spent() < 0.7 * seconds_) {
      left.erase(
          std::remove_if(left.begin(), left.end(),
                         [&](int c) { return !failures_[static_cast<std::size_t>(c)].empty(); }),
          left.end());
      // In small groups, so that the time can end.
      for (std::size_t first = 0; first < left.size() && Spent() < 0.8 * seconds_; first += 8) {
        std::vector<Request> requests;
        for (std::size_t k = first; k < std::min(first + 8, left.size()); ++k) {
          requests.push_back(TimeOf(left[k]));
        }
        Measure(requests);
      }
      std::sort(left.begin(), left.end(), [&](int a, int b) {
        return fastest_[static_cast<std::size_t>(a)] < fastest_[static_cast<std::size_t>(b)];
      });
      if (!left.empty()) {
        std::printf("%zu candidates timed, the fastest takes %.4g ms a call (candidate %d)\n",
                    left.size(), fastest_[static_cast<std::size_t>(left[0])], left[0]);
        std::fflush(stdout);
      }
      if (left.size() <= 2) break;
      left.resize((left.size() + 1) / 2);
    }
  }

  /// The default and the fastest by turns.
  void Pair() {
    best_ = 0;
    for (int c = 0; c < plan_.candidates; ++c) {
      const auto at = static_cast<std::size_t>(c);
      if (failures_[at].empty() && fastest_[at] < fastest_[static_cast<std::size_t>(best_)])
        best_ = c;
    }
    if (best_ == 0) return;
    constexpr int kLeastPairs = 8, kMostPairs = 16, kGroup = 4;
    for (int done = 0; done < kMostPairs; done += kGroup) {
      if (done >= kLeastPairs && Spent() > seconds_) break;
      std::vector<Request> requests;
      for (int pair = 0; pair < kGroup; ++pair) {
        requests.push_back(TimeOf(pair % 2 == 0 ? 0 : best_));
        requests.push_back(TimeOf(pair % 2 == 0 ? best_ : 0));
      }
      const std::vector<Visit> visits = Carry(plan_, requests);
      for (std::size_t k = 0; k + 1 < visits.size(); k += 2) {
        if (!visits[k].failure.empty() || !visits[k + 1].failure.empty()) continue;
        const bool swapped = requests[k].candidate != 0;
        pairs_.push_back({visits[swapped ? k + 1 : k].milliseconds,
                          visits[swapped ? k : k + 1].milliseconds,
                          (visits[k].others + visits[k + 1].others) / 2});
      }
    }
    std::vector<double> ratios;
    for (const auto& pair : pairs_) ratios.push_back(pair[0] / pair[1]);
    std::sort(ratios.begin(), ratios.end());
    if (!ratios.empty()) {
      std::printf("candidate %d is %.3f times as fast as the default (median of %zu pairs)\n",
                  best_, ratios[ratios.size() / 2], ratios.size());
    }
  }

  bool Save() const {
    {
      std::ofstream json("results.json.new");
      json << "{\"pack\":" << FileText("pack.json") << ",\n\"device\":" << Quoted(model_)
           << ",\n\"arch\":" << Quoted(arch_) << ",\n\"compiler\":" << Quoted(CompilerName())
           << ",\n\"seconds\":" << Spent() << ",\n\"measured\":[";
      for (std::size_t k = 0; k < parameters_.size(); ++k) {
        json << (k > 0 ? "," : "") << parameters_[k];
      }
      json << "],\n\"candidates\":[";
      for (std::size_t c = 0; c < failures_.size(); ++c) {
        json << (c > 0 ? ",\n" : "\n");
        if (!failures_[c].empty()) {
          json << "{\"failure\":" << Quoted(failures_[c]) << "}";
        } else if (std::isfinite(fastest_[c])) {
          json << "{\"ms\":" << fastest_[c] << "}";
        } else {
          json << "{}";
        }
      }
      json << "],\n\"best\":" << best_ << ",\n\"pairs\":[";
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        json << (k > 0 ? "," : "") << "[" << pairs_[k][0] << "," << pairs_[k][1] << ","
             << pairs_[k][2] << "]";
      }
      json << "]}\n";
      if (!json.flush()) {
        std::printf("cannot write results.json\n");
        return false;
      }
    }
    if (std::rename("results.json.new", "results.json") != 0) return false;
    std::printf("results.json is written\n");
    return true;
  }

  const Plan& plan_;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::string> failures_;
  std::vector<double> fastest_;  // milliseconds of a call
  std::vector<int> parameters_;
  /// Milliseconds of the default and of the best, processors that others kept busy.
  std::vector<std::array<double, 3>> pairs_;
  int best_ = 0, repeats_ = 5;
  double limit_ = 300;
  std::string arch_, model_;
};

}  // namespace
}  // namespace stencilgen::measure

int main(int argc, char** argv) {
  const double minutes = argc > 1 ? std::atof(argv[1]) : 5;
  const stencilgen::measure::Plan plan = stencilgen::measure::ReadPlan("plan.txt");
  if (plan.candidates < 1 || !(minutes > 0)) {
    std::fprintf(stderr, "usage: %s MINUTES, beside plan.txt\n", argv[0]);
    return 2;
  }
  return stencilgen::measure::Tournament(plan, minutes).Go();
}
