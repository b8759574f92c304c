#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"
#include "graph/interpret_contents.h"

/// One operator, compiled to operations on rows of its innermost iterator.
namespace stencilgen::graph {

/// A row of an intermediate value.
struct RowView {
  const void* data = nullptr;
  const std::uint8_t* defined = nullptr;  ///< null where all are
};

/// Memory for the intermediate rows of one thread, shared by all operators of a run.
struct RowScratch {
  std::vector<std::byte> values;
  std::vector<std::uint8_t> defined;
  std::vector<RowView> views;  ///< by slot
  std::size_t chunk = 0;       ///< elements of a slot

  void Prepare(std::size_t slots, std::size_t chunk_size) {
    chunk = chunk_size;
    if (values.size() < slots * chunk * sizeof(double)) {
      values.resize(slots * chunk * sizeof(double));
      defined.resize(slots * chunk);
    }
    if (views.size() < slots) views.resize(slots);
  }
  void* Values(std::size_t slot) { return values.data() + slot * chunk * sizeof(double); }
  std::uint8_t* Defined(std::size_t slot) { return defined.data() + slot * chunk; }
};

/// An index with its parameters replaced: coefficient * iterator + offset. `axis` is the place of
/// the iterator in Operator::iterators, -1 for none.
struct RunIndex {
  int axis = -1;
  std::int64_t coefficient = 0;
  std::int64_t offset = 0;
};

/// An access with its parameters replaced.
struct RunAccess {
  struct Dimension {
    RunIndex index;
    std::int64_t extent = 0;
    std::int64_t stride = 0;
    Boundary boundary;
    int place = -1;  ///< the operand that has the position, where the index is a value
  };
  VersionId version;
  ScalarType type = ScalarType::Double;
  std::vector<Dimension> dimensions;
};

/// Iterators of the language, and so of an operator.
inline constexpr std::size_t kMostIterators = 4;
/// Dimensions of the language's arrays.
inline constexpr std::size_t kMostDimensions = 4;

/// Present values of the operator's iterators; the last one is that of the first element of a row.
struct Point {
  std::array<std::int64_t, kMostIterators> at{};
  std::size_t size = 0;

  bool empty() const { return size == 0; }
  std::int64_t& operator[](std::size_t axis) { return at[axis]; }
  std::int64_t operator[](std::size_t axis) const { return at[axis]; }
  std::int64_t& back() { return at[size - 1]; }
  std::int64_t back() const { return at[size - 1]; }
};

/// Where the elements of an access that stays inside its array lie, as steps from the element of
/// the operator's first point.
struct Place {
  Point first;
  std::int64_t start = 0;
  std::array<std::int64_t, kMostIterators> step{};  ///< by axis

  std::int64_t At(const Point& point) const {
    std::int64_t position = start;
    for (std::size_t axis = 0; axis < point.size; ++axis) {
      position += step[axis] * (point[axis] - first[axis]);
    }
    return position;
  }
};

/// The index at the point; far outside every array where it overflows.
std::int64_t Position(const RunIndex& index, const Point& point);

/// Reads `count` elements of the access along the last iterator. The view is into `contents` where
/// the elements lie there in order, else into the buffers. Elements outside the array follow the
/// boundary mode; without one they are 0 and have no value.
RowView ReadRow(const RunAccess& access, const Contents& contents, const Point& point,
                std::size_t count, void* values, std::uint8_t* defined);

/// The same where operands say places: `places` has a row of them by dimension, null where the
/// index says it. The view is into the buffers.
RowView ReadPlaces(const RunAccess& access, const Contents& contents, const Point& point,
                   std::size_t count,
                   const std::array<const std::int32_t*, kMostDimensions>& places, void* values,
                   std::uint8_t* defined);

/// What the reads of a run of an operator find.
struct RunRead {
  const Contents* contents = nullptr;
  bool inside = false;  ///< at all points, so that `place` says where
  Place place;
};

class OperatorProgram {
 public:
  /// Requires: Verify(graph) is empty; one shape an array.
  OperatorProgram(const Graph& graph, const Operator& op, const ParameterValues& parameters,
                  const std::vector<Shape>& shapes, Precision precision);

  /// Versions that Execute reads, the background apart.
  std::vector<VersionId> ReadVersions() const;

  /// Every element of `version` that the operator reads is the one it then writes, so that it may
  /// write into the memory of that version.
  bool ReadsOnlyItsOwnPoint(VersionId version) const;

  /// The elements written, where they are all of a box of the array: a range a dimension. Empty
  /// where they are not, or there are none.
  std::vector<Range> WrittenBox() const;

  /// Writes the operator's value on its domain into `result`, which holds the background elsewhere.
  /// `contents` by version index. At most one thread a scratch, each with so many points at least;
  /// rows are independent of each other, so that the result does not depend on how many there are.
  /// Returns an error text, empty on success.
  std::string Execute(const std::vector<std::shared_ptr<Contents>>& contents, Contents& result,
                      std::vector<RowScratch>& threads, std::size_t points_a_thread) const;

 private:
  friend class OperatorCompiler;

  enum class StepKind : std::uint8_t {
    Literal,
    Iota,
    Read,
    ReadPlaces,
    Unary,
    Binary,
    ProductSum,
    Power,
    Select,
    Call,
    Convert
  };
  struct Step {
    StepKind kind = StepKind::Literal;
    ScalarType type = ScalarType::Double;              // of the result
    ScalarType operand_type = ScalarType::Double;      // of the first operand
    int result = 0;                                    // slot
    int operands[kMostDimensions] = {-1, -1, -1, -1};  // slots
    double floating = 0;                               // Literal
    std::int64_t integer = 0;  // Literal; Power: exponent; Iota: axis; Read: index into reads_
    UnaryOp unary = UnaryOp::Plus;
    BinaryOp binary = BinaryOp::Add;  // ProductSum: Add or Sub
    bool product_first = false;       // ProductSum: it is the left side of the sum
    Function function = Function::Min;
  };

  /// What the threads of one execution share.
  struct Execution {
    std::vector<RunRead> reads;
    Place target;
    std::size_t row = 1;   ///< points of a row
    std::size_t rows = 1;  ///< rows of the domain
    bool may_lack_values = false;
  };

  void FillLanes(Contents& result) const;
  /// Execute of a reduction, by one thread.
  void Reduce(const std::vector<std::shared_ptr<Contents>>& contents, Contents& result,
              RowScratch& scratch) const;
  bool TargetInside() const;
  bool IsInside(const RunAccess::Dimension& dimension) const;
  Place PlaceOf(const std::vector<RunAccess::Dimension>& dimensions) const;
  Execution Prepare(const std::vector<std::shared_ptr<Contents>>& contents) const;
  Point RowStart(std::size_t row) const;
  void RunRows(const Execution& execution, std::size_t begin, std::size_t end, Contents& result,
               RowScratch& scratch) const;
  void Run(const Step& step, const Execution& execution, const Point& point, std::size_t count,
           RowScratch& scratch) const;
  RowView Read(const RunAccess& access, const RunRead& read, const Point& point, std::size_t count,
               void* values, std::uint8_t* defined) const;
  RowView ReadAtPlaces(const Step& step, const Execution& execution, const Point& point,
                       std::size_t count, RowScratch& scratch) const;
  const std::uint8_t* MergeDefined(const Step& step, std::size_t count, RowScratch& scratch) const;
  /// `result` has a mask where the view may have one.
  void Store(const Place& target, const Point& point, std::size_t count, const RowView& view,
             Contents& result) const;

  std::string name_;
  ScalarType type_ = ScalarType::Double;
  std::vector<Range> ranges_;  // one an axis; empty where a guard fails
  bool empty_ = false;
  std::vector<RunAccess::Dimension> target_;
  std::vector<RunAccess> reads_;
  std::vector<Step> once_;  // values that are the same at every point
  std::vector<Step> steps_;
  int slot_count_ = 0;
  int value_slot_ = 0;
  std::optional<Reduction> reduction_;
};

}  // namespace stencilgen::graph
