#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/time_band.h"

/// What the launches of a loop's turn read and write, for bands (plan/time_band.h).
namespace stencilgen::plan {

/// The elements of a buffer that a launch reads, or writes, from its point.
struct PlacedAccess {
  BufferId buffer;
  bool writes = false;
  std::vector<int> iterators;  ///< by dimension of the buffer
  /// From the iterator, smallest and largest; boundary modes fold indices back.
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
};

struct BandLaunch {
  KernelId kernel;
  BandPlaces places;
  std::vector<PlacedAccess> accesses;
};

/// `later` depends on `earlier` of `turns` turns before, over a distance along a coordinate.
struct BandDependence {
  std::size_t earlier = 0, later = 0;
  int turns = 0;
  std::int64_t least = 0, most = 0;
};

class BandAccesses {
 public:
  BandAccesses(const Plan& plan, const Repeat& repeat) : plan_(plan), repeat_(repeat) {}

  /// Empty, or why there is no band.
  std::string Collect();

  const std::vector<BandLaunch>& launches() const { return launches_; }
  /// Of the launches that have most.
  const std::vector<int>& iterators() const { return iterators_; }
  int period() const { return period_; }
  /// The extent of the arrays that wrap around along the n-th iterator, of the first two; empty
  /// where none does.
  std::optional<graph::LinearForm> WrapAlong(std::size_t n) const { return wraps_[n]; }

  /// Along the n-th iterator.
  std::vector<BandDependence> Along(std::size_t n) const;

 private:
  const std::vector<int>& IteratorsOf(KernelId kernel) const;
  template <typename Visit>
  void VisitAccesses(KernelId kernel, const Visit& visit) const;
  std::string FindKernels();
  void FindIterators();
  int WalkerOf(BufferId buffer, std::size_t dimension) const;
  bool IsOwn(BufferId buffer, KernelId kernel) const;
  bool IsWritten(BufferId buffer) const;
  bool ShareMemory(BufferId a, BufferId b) const;
  std::string Add(KernelId kernel);
  bool Place(int iterator, const graph::LinearForm& place, BandLaunch& launch) const;
  std::string AddAccess(graph::VersionId version, const std::vector<graph::Index>& indices,
                        const std::vector<graph::Boundary>& boundary, bool writes,
                        BandLaunch& launch);
  std::string Wrap(int iterator, const graph::LinearForm& extent);
  void FindPeriod();
  std::string CheckShapes() const;
  std::string CheckWraps() const;
  graph::Interval PointsOf(const BandLaunch& launch, int iterator) const;
  graph::Interval RegionOf(const BandLaunch& launch, const PlacedAccess& access,
                           std::size_t dimension) const;
  void Tighten(int iterator, BandDependence& dependence) const;
  bool NeverMeet(const BandLaunch& a, const PlacedAccess& x, const BandLaunch& b,
                 const PlacedAccess& y) const;
  void AddAlong(std::size_t n, BandDependence base, std::vector<BandDependence>& found) const;

  const Plan& plan_;
  const Repeat& repeat_;
  std::vector<KernelId> kernels_;  ///< of a turn, but for what only looks need
  std::set<BufferId> written_;
  std::vector<int> iterators_;
  std::map<BufferId, std::vector<int>> walks_;  ///< by dimension, -1 for none
  std::vector<BandLaunch> launches_;
  std::array<std::optional<graph::LinearForm>, 2> wraps_;
  int period_ = 1;
};

}  // namespace stencilgen::plan
