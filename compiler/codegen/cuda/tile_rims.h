#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cuda/tile_scope.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cuda {

/// The code of a tile's rims (plan::Rim): where each element that a thread loads is, and the
/// element's way from memory to shared memory.
class TileRims {
 public:
  explicit TileRims(TileScope& scope) : scope_(scope), tile_(scope.tile()) {}

  /// Where the elements are. Requires: everything else of the kernel that refers to them is
  /// printed.
  void PrintPlaces(CodeWriter& writer) const;
  /// The variable that a version's elements wait in.
  void PrintVariables(CodeWriter& writer, int version) const;
  /// Loads the version's elements of the plane of age plan::RimAge, or starts their way to shared
  /// memory.
  void PrintLoad(CodeWriter& writer, int version, const std::string& pointer, bool guarded);
  void PrintPublish(CodeWriter& writer, int version);

 private:
  /// Names of arrays with an element a load.
  struct Places {
    std::string used;  ///< the rim has such an element
    std::string at;    ///< position in a plane of shared memory
    /// By the text of the stride: distance from the thread's first point, and the stride.
    std::map<std::string, std::pair<std::string, Term>> from;
    std::map<std::string, std::string> inside;  ///< by ranges: it is in the array
  };

  const plan::Rim& RimOf(int version) const;
  Places& PlacesOf(int version);
  std::string From(int version);
  std::string Inside(int version, bool guarded);
  std::size_t Across() const;
  static void ForEach(CodeWriter& writer, int count,
                      const std::function<void(CodeWriter&, const std::string&)>& print);
  void PrintPlace(CodeWriter& writer, const plan::Rim& rim, const Places& places) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  std::map<int, Places> places_;  ///< by rim
};

}  // namespace stencilgen::codegen::cuda
