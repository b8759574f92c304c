#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "distribute/halo.h"
#include "graph/graph.h"

/// A program for many machines: what each rank computes on its own box of the grid, and what it
/// exchanges with its neighbours in between. See README.md.
namespace stencilgen::distribute {

using graph::ArrayId;
using graph::LinearForm;
using graph::ParameterId;

/// An iterator along which ranks share the points.
struct GridAxis {
  int iterator = 0;
  LinearForm extent;      ///< points to share
  bool periodic = false;  ///< arrays wrap around along it
};

/// How a dimension of an array lies along an axis: element `e` belongs to the point
/// `floor(e / scale)`, those behind the axis' points to the last one.
struct GridDimension {
  int axis = -1;            ///< -1: each rank has all of it
  std::int64_t scale = 1;   ///< elements of each point; >= 1
  std::int64_t excess = 0;  ///< elements more than the axis' points have; >= 0
};

/// How arrays lie in the grid.
struct Grid {
  std::vector<GridAxis> axes;                          ///< outermost first
  std::vector<std::vector<GridDimension>> dimensions;  ///< by array and dimension
  const GridDimension& Of(ArrayId array, std::size_t dimension) const {
    return dimensions[array.index][dimension];
  }
  int AxisOf(ArrayId array, std::size_t dimension) const { return Of(array, dimension).axis; }
  /// The dimension that follows the axis, -1 where none does.
  int DimensionOf(ArrayId array, int axis) const;
  /// The scale of the dimension that follows the axis, 1 where none does.
  std::int64_t ScaleAlong(ArrayId array, std::size_t axis) const;
  /// Numbers of points, by axis, as numbers of the array's elements, and back: as many points as
  /// hold them.
  Reaches Elements(ArrayId array, Reaches points) const;
  Reaches Points(ArrayId array, Reaches elements) const;
  /// Some dimension of the array is shared among ranks.
  bool Shares(ArrayId array) const;
};

/// The value of a parameter of a segment.
struct SegmentParameter {
  enum class Kind : std::uint8_t {
    Size,       ///< that of the program's parameter
    Origin,     ///< the global place of the rank's first local point along the axis, plus 1; along
                ///< a periodic axis modulo its extent
    LocalSize,  ///< points of the rank along the axis, with ghosts
    OwnFirst,   ///< the local place of the rank's own first point along the axis, plus 1
    OwnEnd,     ///< behind its own last one; where it ends the grid, more than any place
    Turns,      ///< turns of the loop that are run together
    Turn        ///< the number of the turn that a loop around is in, plus 1
  };
  Kind kind = Kind::Size;
  ParameterId parameter = {};  ///< of the program, for Size and Turn
  int axis = -1;
};

/// What every rank does between two exchanges: a program of its own on its local arrays.
struct Segment {
  graph::Graph graph;                        ///< arrays are named as in the program
  std::vector<SegmentParameter> parameters;  ///< those of the graph that callers give, in order
};

struct FieldDepth {
  ArrayId array;
  Halo depth;  ///< of the ghosts that are filled, in elements of the array
  friend bool operator==(const FieldDepth&, const FieldDepth&) = default;
};
/// Fields whose ghosts take their neighbours' values.
using Exchange = std::vector<FieldDepth>;

/// An operator of the program in which ranks take part together: a reduction over points that they
/// share (its first round, of values that are in memory), or one that reads single elements of
/// arrays that they share (each rank has its own ones, and gets the others).
struct Collective {
  graph::NodeId node;
  bool reduces = false;
};

struct Step;
using Steps = std::vector<Step>;

struct ExchangeStep {
  Exchange exchange;
};
struct CallStep {
  std::size_t segment = 0;
};
/// The arrays hand on their memory: each `to` takes what its `from` had, all at once.
struct HandOnStep {
  std::vector<std::pair<ArrayId, ArrayId>> moves;  ///< to, from
};
/// Elements of which each rank has computed its own ones, and 0 for the others, become whole.
struct CollectStep {
  std::vector<ArrayId> arrays;
};
/// The points of a reduction's first round become its lanes, on every rank.
struct ReduceStep {
  graph::NodeId node;  ///< of the program's graph, a Collective
  ArrayId values, lanes;
};
/// All turns of a loop, at most `together` at a time, as evenly as can be (ranks::EvenTurns).
struct ChunksStep {
  graph::Turns turns;
  ParameterId turn;  ///< that the segment knows; may be invalid
  std::size_t segment = 0;
  std::int64_t together = 1;
  std::vector<Exchange> before;  ///< by turns that follow it, less 1
};
/// What only the condition of the innermost loop around needs: in turns that look at it.
struct LookStep {
  Steps body;
};
/// The host's loop.
struct RepeatStep {
  graph::Turns turns;
  ParameterId turn;  ///< may be invalid
  Steps body;
  std::optional<graph::Stop> stop = {};
  ArrayId condition = {};  ///< holds its value after a turn; invalid without
};
struct Step {
  std::variant<ExchangeStep, CallStep, HandOnStep, CollectStep, ReduceStep, ChunksStep, LookStep,
               RepeatStep>
      what;
};

/// What the forward and backward analyses need to know of a segment: nodes of the program's graph.
struct SegmentSource {
  std::vector<graph::NodeId> scalars;  ///< that compute scalars which the nodes read
  std::vector<graph::NodeId> nodes;    ///< operators
  std::vector<std::pair<graph::VersionId, ArrayId>> inputs;   ///< and the memory they are in
  std::vector<std::pair<graph::VersionId, ArrayId>> outputs;  ///< and the memory they end in
  graph::NodeId loop;    ///< where the segment is some turns of it; then the nodes are its body
  graph::NodeId around;  ///< the innermost loop that runs the segment, itself included; may be none
};

struct Distributed {
  graph::Graph graph;  ///< the program's, prepared: KeepScalarsInArrays, SeparateCollectives
  Grid grid;
  std::vector<Collective> collectives;
  std::vector<Segment> segments;
  std::vector<SegmentSource> sources;  ///< by segment
  std::vector<ArrayId> fields;         ///< arrays that hold something between steps
  Steps steps;
  Reaches ghosts;             ///< points around a rank's own ones that local arrays have
  std::int64_t together = 1;  ///< turns of a loop between two exchanges, at most
};

/// Some array's neighbours in memory are neighbours along the axis.
bool IsUnitStride(const Distributed& program, int axis);

}  // namespace stencilgen::distribute
