#include "plan/overlap_volumes.h"

#include <algorithm>

#include "graph/linear.h"
#include "support/check.h"
#include "support/to_double.h"

namespace stencilgen::plan {
namespace {

constexpr std::int64_t kTransaction = 32;  ///< elements along x that one of memory moves

class Counter {
 public:
  explicit Counter(const OverlapCut& cut) : cut_(cut) {}

  /// Of all blocks: rows along x, elements of a row, and how much of each block's row there is.
  struct Count {
    double points = 0;
    double transactions = 0;
  };
  Count Of(const OverlapPoints& points) const {
    Count count{1, 1};
    for (std::size_t d = 0; d < cut_.dimensions; ++d) {
      const std::int64_t around = points.halo.lo[d] + points.halo.hi[d];
      const double blocks = Blocks(points, d);
      if (IsSerial(d)) {
        // Walked from end to end, no plane is met twice.
        const double planes = ToDouble(std::min(cut_.stored[d] + around, points.extent[d]));
        count.points *= planes;
        count.transactions *= planes;
        continue;
      }
      const std::int64_t width = cut_.Width(d) + around;
      count.points *= blocks * ToDouble(width);
      const bool along_x = d + 1 == cut_.dimensions;
      count.transactions *=
          blocks * ToDouble(along_x ? graph::CeilDiv(width, kTransaction) : width);
    }
    return count;
  }
  /// Those of them that no block computes for another.
  double Once(const OverlapPoints& points) const {
    OverlapPoints own = points;
    own.halo = {};
    return Of(own).points;
  }

 private:
  bool IsSerial(std::size_t d) const { return cut_.stream == d && cut_.chunk == 0; }
  double Blocks(const OverlapPoints& points, std::size_t d) const {
    return ToDouble(std::min(cut_.stored[d], points.extent[d])) / ToDouble(cut_.Width(d));
  }

  const OverlapCut& cut_;
};

}  // namespace

std::int64_t OverlapCut::Width(std::size_t dimension) const {
  if (stream == dimension)
    return chunk == 0 ? stored[dimension] : std::min(chunk, stored[dimension]);
  return tile[dimension] - halo.lo[dimension] - halo.hi[dimension];
}

bool OverlapCut::Fits() const {
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (Width(d) < 1) return false;
  }
  return true;
}

OverlapVolumes FindVolumes(const OverlapCut& cut, const std::vector<OverlapPoints>& loaded,
                           const std::vector<OverlapPoints>& computed,
                           const std::vector<OverlapPoints>& stored) {
  STENCILGEN_CHECK(cut.dimensions >= 1 && cut.dimensions <= 3 && cut.Fits());
  const Counter counter(cut);
  OverlapVolumes volumes;
  for (const OverlapPoints& points : loaded) {
    const Counter::Count count = counter.Of(points);
    volumes.loads += count.points;
    volumes.load_transactions += count.transactions;
    volumes.transaction_bytes += count.transactions * ToDouble(kTransaction * points.bytes);
  }
  for (const OverlapPoints& points : stored) {
    const Counter::Count count = counter.Of(points);
    volumes.stores += count.points;
    volumes.store_transactions += count.transactions;
    volumes.transaction_bytes += count.transactions * ToDouble(kTransaction * points.bytes);
  }
  for (const OverlapPoints& points : computed) {
    const double all = counter.Of(points).points;
    volumes.computed += all;
    volumes.redundant += all - counter.Once(points);
    volumes.flops += all * points.flops;
  }
  return volumes;
}

std::optional<OverlapVolumes> FindVolumes(const StepChain& chain) {
  OverlapCut cut;
  cut.dimensions = chain.dimensions;
  cut.stream = chain.stream;
  cut.chunk = chain.chunk;
  const auto points_at = [&](int step) {
    OverlapPoints points;
    points.bytes = chain.bytes;
    points.flops = chain.flops;
    for (std::size_t d = 0; d < chain.dimensions; ++d) {
      const std::int64_t margin = std::int64_t{step} * chain.order;
      const std::int64_t around = std::int64_t{chain.steps - step} * chain.order;
      points.extent[d] = chain.size - 2 * margin;
      points.halo.lo[d] = points.halo.hi[d] = around;
    }
    return points;
  };
  const OverlapPoints input = points_at(0);
  const OverlapPoints output = points_at(chain.steps);
  cut.tile = chain.tile;
  cut.halo = input.halo;
  cut.stored = output.extent;
  if (!cut.Fits()) return std::nullopt;
  std::vector<OverlapPoints> computed;
  for (int step = 1; step <= chain.steps; ++step) computed.push_back(points_at(step));
  return FindVolumes(cut, {input}, computed, {output});
}

double MemorySeconds(const OverlapVolumes& volumes, const machine::Gpu& device) {
  return volumes.transaction_bytes / device.memory_achieved;
}

double ComputeSeconds(const OverlapVolumes& volumes, const machine::Gpu& device,
                      bool double_precision) {
  return volumes.flops / (double_precision ? device.fp64_stencil : device.fp32_stencil);
}

double LongestSeconds(const OverlapVolumes& volumes, const machine::Gpu& device,
                      bool double_precision) {
  return std::max(MemorySeconds(volumes, device),
                  ComputeSeconds(volumes, device, double_precision));
}

}  // namespace stencilgen::plan
