#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lower/cuda/tile_edges.h"
#include "lower/cuda/tile_scope.h"

namespace stencilgen::lower::cuda {

/// The code of a tile's rims (plan::Rim): where each element that a thread loads is, and the
/// element's way from memory to shared memory.
class TileRims {
 public:
  TileRims(TileScope& scope, TileEdges& edges)
      : scope_(scope), tile_(scope.tile()), edges_(edges) {}

  /// Where the elements are. Requires: everything else of the kernel that refers to them is
  /// lowered.
  void LowerPlaces(kernel::Block& block) const;
  /// The variable that a version's elements wait in.
  void DeclareVariables(kernel::Block& block, int version) const;
  /// Loads the version's elements of the plane of age plan::RimAge, or starts their way to shared
  /// memory.
  void LowerLoad(kernel::Block& block, int version, const kernel::VarRef& pointer, bool guarded);
  void LowerPublish(kernel::Block& block, int version);

 private:
  /// Arrays with an element a load.
  struct Places {
    kernel::VarRef used;  ///< the rim has such an element
    kernel::VarRef at;    ///< position in a plane of shared memory
    /// By its text: distance in memory from the thread's first point.
    std::map<std::string, std::pair<kernel::VarRef, kernel::Expr>> from;
    /// By text of the condition: it is in the array, and the condition.
    std::map<std::string, std::pair<kernel::VarRef, kernel::Expr>> inside;
  };

  const plan::Rim& RimOf(int version) const;
  Places& PlacesOf(int version);
  const kernel::VarRef& From(int version);
  const kernel::VarRef& Inside(int version, bool guarded);
  std::size_t Across() const;
  static void ForEach(kernel::Block& block, int count,
                      const std::function<void(kernel::Block&, const kernel::Expr&)>& lower);
  kernel::Expr Thread(std::size_t d) const;
  void LowerPlace(kernel::Block& block, const plan::Rim& rim, const Places& places) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  TileEdges& edges_;
  kernel::VarRef dx_ = kernel::MakeVar("dx", kernel::kInt);
  kernel::VarRef dy_ = kernel::MakeVar("dy", kernel::kInt);
  std::map<int, Places> places_;  ///< by rim
};

}  // namespace stencilgen::lower::cuda
