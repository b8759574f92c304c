#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graph/interpret.h"
#include "graph/linear.h"

/// What the interpreter keeps of array versions, and the memory for it.
namespace stencilgen::graph {

/// Extents of an array at run time; strides in elements.
struct Shape {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  std::int64_t size = 1;
};

/// What a version holds.
struct Contents {
  Values values;
  /// 1 where the element has a value; empty where all have.
  std::vector<std::uint8_t> defined;

  void* data();
  const void* data() const;
};

using ContentsPtr = std::shared_ptr<Contents>;

/// Copies the elements outside the box, a range a dimension of the shape, and whether they have
/// values. All elements where there is no box.
/// Requires: both have the type and size of the shape; the box lies inside.
void CopyOutside(const Contents& from, const Shape& shape, const std::vector<Range>& box,
                 Contents& to);

/// Memory of versions that nobody refers to any more, for those to come: what the system gives
/// afresh costs more than what is computed in it.
class SpareContents {
 public:
  /// Contents with elements of the type and number of `like`, of any value.
  ContentsPtr Take(const Contents& like);
  /// Gives up a version's contents.
  void Release(ContentsPtr contents);

 private:
  std::map<std::pair<std::size_t, std::size_t>, ContentsPtr> spare_;  // by type and size
};

}  // namespace stencilgen::graph
