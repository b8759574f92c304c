#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/body.h"
#include "lower/program_model.h"
#include "plan/tile.h"

namespace stencilgen::lower::cuda {

/// A thread's point, by dimension from its first.
using TilePoint = std::array<int, 3>;

/// What the bodies of an operator of a tile read, and where a thread finds it.
class TileElements {
 public:
  /// Where boundary modes may have a point read instead: an element, and the dimensions that they
  /// move it along.
  struct Moved {
    plan::Offset distance = {0, 0, 0};  ///< from the thread's first point
    std::array<bool, 3> moves = {false, false, false};
    friend bool operator==(const Moved&, const Moved&) = default;
    std::size_t Count() const;
  };
  /// Where the thread's point `point` may have to read instead of the element at `distance` from
  /// the thread's first.
  static std::vector<Moved> MovedBy(const plan::Tile& tile, const graph::Access& access,
                                    const plan::Offset& distance, const TilePoint& point);

  /// `op`: of the tile's. `points`: those that the body computes.
  TileElements(const graph::Graph& graph, const plan::Tile& tile, int op,
               const std::vector<TilePoint>& points);

  /// The read at the distance that the body's element has, counted from the thread's first point;
  /// empty where it is from memory.
  std::optional<plan::TileRead> Find(const graph::Access& element) const;
  /// Where modes may move the read of the body's element, those along most dimensions last.
  std::vector<Moved> FindMoved(const graph::Access& element) const;
  /// The distance of the body's element. Requires: Find has something.
  plan::Offset DistanceOf(const graph::Access& element) const;

 private:
  void AddMoved(const graph::Access& access, const plan::Offset& distance, const TilePoint& point);

  const graph::Graph& graph_;
  const plan::Tile& tile_;
  int op_;
  using Key = std::pair<graph::VersionId, plan::Offset>;
  std::map<Key, std::optional<plan::TileRead>> reads_;
  std::map<Key, std::vector<Moved>> moved_;
};

/// The code of plan::WriteBody, and in what order.
struct TileBody {
  std::vector<graph::Operator> ops;  ///< of the statements: the operator, or one for each part
  kernel::Body written, ordered;
  bool shared = false;      ///< it is to be computed so without reordering as well
  bool has_common = false;  ///< see plan::TileBody
};
/// Elements that the tile holds in registers are `held`, and sums to which the body adds.
/// Requires: `kernel` has a tile.
TileBody OrderTile(const ProgramModel& model, plan::KernelId kernel, int op,
                   const std::vector<TilePoint>& points);

}  // namespace stencilgen::lower::cuda
