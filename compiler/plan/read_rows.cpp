#include "plan/read_rows.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Range;

/// Places along a dimension of the array, `stride` apart.
struct Progression {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t count = 1;

  std::int64_t last() const { return first + stride * (count - 1); }
};

/// The elements that one access reads.
struct Box {
  std::vector<Range> rows;  ///< by dimension but the last; of those of one residue, counted
  Progression row;          ///< along the last
};

class RowCounter {
 public:
  RowCounter(const BlockReads& reads, const std::vector<std::int64_t>& points,
             const graph::ParameterValues& parameters)
      : reads_(reads), points_(points), parameters_(parameters) {}

  double Run() {
    for (const Access* access : reads_.accesses) Add(*access);
    for (const auto& [residues, boxes] : boxes_) bytes_ += BytesOf(boxes);
    return bytes_;
  }

 private:
  /// Rows that accesses with other residues of their strides read are other rows.
  using Residues = std::vector<std::int64_t>;

  std::int64_t PointsAlong(const graph::Index& index) const {
    if (index.iterator < 0) return 1;
    const auto& iterators = reads_.op.iterators;
    const auto it = std::find(iterators.begin(), iterators.end(), index.iterator);
    return points_[static_cast<std::size_t>(it - iterators.begin())];
  }

  void Add(const Access& access) {
    const auto gathered = [](const graph::Index& index) { return index.place.Valid(); };
    if (std::any_of(access.indices.begin(), access.indices.end(), gathered)) {
      AddGathered(access);
      return;
    }
    std::vector<Progression> places;
    for (const graph::Index& index : access.indices) places.push_back(PlacesOf(index));
    Box box;
    box.row = places.back();
    places.pop_back();
    Residues residues;
    for (const Progression& along : places) {
      const std::int64_t residue = ((along.first % along.stride) + along.stride) % along.stride;
      residues.insert(residues.end(), {along.stride, residue});
      const std::int64_t lo = (along.first - residue) / along.stride;
      box.rows.push_back({lo, lo + along.count - 1});
    }
    boxes_[residues].push_back(std::move(box));
  }

  /// The places that an index takes in a block.
  Progression PlacesOf(const graph::Index& index) const {
    const std::int64_t offset = graph::Evaluate(index.offset, parameters_);
    if (index.iterator < 0 || index.coefficient == 0) return {offset, 1, 1};
    const std::int64_t count = PointsAlong(index);
    const std::int64_t last = offset + index.coefficient * (count - 1);
    return {std::min(offset, last), std::abs(index.coefficient), count};
  }

  void AddGathered(const Access& access) {
    double rows = 1;
    for (const std::int64_t each : points_) rows *= static_cast<double>(each);
    const graph::Index& last = access.indices.back();
    if (last.place.Valid()) {
      bytes_ += rows * kSectorBytes;
      return;
    }
    const auto along = static_cast<double>(PointsAlong(last));
    bytes_ += SectorBytes(rows / along, along, reads_.element_bytes);
  }

  /// Rows between two neighbouring bounds of boxes are read alike.
  double BytesOf(const std::vector<Box>& boxes) const { return BytesOf(boxes, 0); }
  double BytesOf(const std::vector<Box>& boxes, std::size_t d) const {
    if (d == boxes.front().rows.size()) return BytesOfRow(boxes);
    std::vector<std::int64_t> bounds;
    for (const Box& box : boxes) {
      bounds.push_back(box.rows[d].lo);
      bounds.push_back(box.rows[d].hi + 1);
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    double bytes = 0;
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
      std::vector<Box> here;
      std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(here), [&](const Box& box) {
        return box.rows[d].lo <= bounds[k] && bounds[k] <= box.rows[d].hi;
      });
      if (here.empty()) continue;
      bytes += static_cast<double>(bounds[k + 1] - bounds[k]) * BytesOf(here, d + 1);
    }
    return bytes;
  }
  double BytesOfRow(const std::vector<Box>& boxes) const {
    Range all = {boxes.front().row.first, boxes.front().row.last()};
    std::int64_t elements = 0;
    for (const Box& box : boxes) {
      all = {std::min(all.lo, box.row.first), std::max(all.hi, box.row.last())};
      elements += box.row.count;
    }
    return std::min(SectorBytes(1, static_cast<double>(all.size()), reads_.element_bytes),
                    static_cast<double>(elements * kSectorBytes));
  }

  const BlockReads& reads_;
  const std::vector<std::int64_t>& points_;
  const graph::ParameterValues& parameters_;
  std::map<Residues, std::vector<Box>> boxes_;
  double bytes_ = 0;
};

}  // namespace

double BytesOfBlock(const BlockReads& reads, const std::vector<std::int64_t>& points,
                    const graph::ParameterValues& parameters) {
  return RowCounter(reads, points, parameters).Run();
}

}  // namespace stencilgen::plan
