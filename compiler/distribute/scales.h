#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::distribute {

/// Scales that are multiples of each other: of the dimensions of arrays, and of the iterators of
/// operators, along one iterator's axis.
class Scales {
 public:
  /// What has a scale: a class of arrays and a dimension, or an operator.
  using Key = std::pair<std::int64_t, std::int64_t>;

  /// The scale of `a` is `factor` times that of `b`. False where others have said otherwise, or
  /// the scales would be too large; nothing is changed then. Requires: factor >= 1.
  bool Relate(Key a, Key b, std::int64_t factor);
  /// The smallest whole number, 1 where nothing was said of it.
  std::int64_t Of(Key key) const;

 private:
  /// numerator / denominator, without a common factor.
  struct Ratio {
    std::int64_t numerator = 1, denominator = 1;
  };
  struct Member {
    Key group;    ///< the key whose scale is the unit
    Ratio ratio;  ///< of its own scale to that one
  };
  static std::optional<Ratio> Times(Ratio a, Ratio b);
  Member Find(Key key) const;

  std::map<Key, Member> members_;
};

/// Which dimensions of arrays have one scale: those of arrays that are one memory.
struct DimensionClass {
  std::uint32_t of_class = 0;  ///< of the array
  int iterator = -1;           ///< that the dimension follows; -1: it is no part of the grid
  bool written = false;
};

/// The scales of arrays and operators: element `c*i + o` of a dimension belongs to the same point
/// as value `i` of the operator's iterator, so that its scale is `c` times that of the iterator.
class ArrayScales {
 public:
  using ClassOf = std::function<DimensionClass(graph::ArrayId, std::size_t)>;

  ArrayScales() = default;
  /// Of the operators whose points ranks share. What is written is related first, so that accesses
  /// that fit nothing (Fits) are those of arrays that are only read, where that can be. The graph
  /// must outlive this; `class_of` is asked once for each dimension.
  ArrayScales(const graph::Graph& graph, const std::vector<const graph::Operator*>& sharing,
              const ClassOf& class_of);

  std::int64_t Of(graph::ArrayId array, std::size_t dimension) const;
  std::int64_t Of(const graph::Operator& op, int iterator) const;
  /// The index, of a dimension that follows its iterator, fits both scales.
  bool Fits(const graph::Operator& op, graph::ArrayId array, std::size_t dimension,
            const graph::Index& index) const;
  /// The element is at the same distance from the operator's target everywhere, where it fits.
  bool HasDistance(const graph::Operator& op, const graph::Index& target, graph::ArrayId array,
                   std::size_t dimension, const graph::Index& index) const;

 private:
  void Relate(const graph::Operator& op, graph::ArrayId array,
              const std::vector<graph::Index>& indices);
  std::int64_t Of(int iterator, Scales::Key key) const;

  std::vector<std::vector<DimensionClass>> classes_;    // by array and dimension
  std::map<graph::VersionId, graph::ArrayId> results_;  // arrays of what operators define
  std::map<int, Scales> scales_;                        // by iterator
};

/// How many points an axis has: as many as the array with the fewest has for itself, of those whose
/// sizes differ by constants; others decide it only where none is written. An element that is left
/// over belongs to the last point.
class AxisPoints {
 public:
  /// Of an array's dimension along the axis.
  void Note(const graph::LinearForm& elements, std::int64_t scale, bool written);
  /// None where no array's size is a multiple of its scale.
  const std::optional<graph::LinearForm>& extent() const { return extent_; }
  /// Elements beside those of the points; none without an extent.
  std::optional<graph::LinearForm> Excess(const graph::LinearForm& elements,
                                          std::int64_t scale) const;

 private:
  std::optional<graph::LinearForm> extent_;
  bool of_written_ = false;
};

/// An element that an operator writes and one that it reads for it: multiples of one number along
/// an axis, and constants.
struct Pair {
  graph::Index written, read;
};
/// Of elements that no iterator moves that number is a form, which is taken away. Where offsets are
/// no constants then, there is no such number. Requires: an iterator moves both or none.
Pair PairOf(graph::Index written, std::int64_t written_scale, graph::Index read,
            std::int64_t read_scale);

/// The form divided by a number, its constant and the coefficients of its terms rounded down.
/// Requires: divisor >= 1.
graph::LinearForm FloorOf(const graph::LinearForm& form, std::int64_t divisor);
/// The terms are multiples of the number.
bool HasMultiples(const graph::LinearForm& form, std::int64_t divisor);

}  // namespace stencilgen::distribute
