#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "graph/linear.h"
#include "passes/crossing.h"
#include "plan/schedule.h"

namespace stencilgen::driver {

/// A candidate of a schedule: what its price depends on, for one device.
struct CandidateKey {
  std::string graph;             ///< TextHash of the graph that is planned
  graph::ParameterValues sizes;  ///< that the price is for
  plan::Schedule schedule;
  int time_tile = 1;
  int split = 0;
  passes::Crossing crossing = passes::Crossing::Cheaper;
  bool counts_parts = false;  ///< more kernels than the options ask for are counted
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
  friend auto operator<=>(const CandidateKey&, const CandidateKey&) = default;
};

/// What a candidate was found to be (Candidate has the same).
struct CandidatePrice {
  double seconds = 0;
  double launches = 0;
  int broken = 0;
};

/// What has been priced. Who chooses for one program several times, with other options, has most
/// candidates in common: they are planned and priced once. Several threads may choose.
class PricedCandidates {
 public:
  std::optional<CandidatePrice> Find(const CandidateKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto at = prices_.find(key);
    return at == prices_.end() ? std::nullopt : std::optional(at->second);
  }
  void Keep(CandidateKey key, const CandidatePrice& price) {
    const std::lock_guard lock(mutex_);
    prices_.insert_or_assign(std::move(key), price);
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return prices_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<CandidateKey, CandidatePrice> prices_;
};

}  // namespace stencilgen::driver
