#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "sema/point_set.h"

namespace stencilgen::sema {

/// What has been computed of a local array.
class ArrayCoverage {
 public:
  /// The elements that a statement writes: all of the box, or some.
  void Add(const std::vector<graph::Index>& target, const PointSet& box, bool fills_box) {
    AddTo(whole_, box, fills_box);
    if (const auto component = ComponentAt(target)) {
      AddTo(components_[*component], box, fills_box);
    } else {
      by_component_ = false;
    }
  }

  /// What counts for a read: of its component, where the read and all statements say by a number
  /// which one they mean.
  const Coverage& Of(const std::vector<graph::Index>& indices) const {
    const auto component = by_component_ ? ComponentAt(indices) : std::nullopt;
    const auto found = component ? components_.find(*component) : components_.end();
    return found != components_.end() ? found->second : whole_;
  }

 private:
  static std::optional<std::int64_t> ComponentAt(const std::vector<graph::Index>& indices) {
    if (indices.size() < 2 || indices[0].iterator >= 0 || indices[0].place.Valid() ||
        !indices[0].offset.IsConstant()) {
      return std::nullopt;
    }
    return indices[0].offset.constant;
  }
  static void AddTo(Coverage& coverage, const PointSet& box, bool fills_box) {
    if (fills_box) return AddBox(coverage, box);
    const bool within = coverage.any && coverage.is_box && AlwaysContains(coverage.box, box);
    if (!within) coverage = {true, false, {}};
  }

  Coverage whole_;
  std::map<std::int64_t, Coverage> components_;
  bool by_component_ = true;
};

}  // namespace stencilgen::sema
