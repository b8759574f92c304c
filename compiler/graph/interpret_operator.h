#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"

/// One operator, compiled to operations on rows of its innermost iterator.
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

/// A row of an intermediate value.
struct RowView {
  const void* data = nullptr;
  const std::uint8_t* defined = nullptr;  ///< null where all are
};

/// Memory for intermediate rows, shared by all operators of a run.
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
  };
  VersionId version;
  ScalarType type = ScalarType::Double;
  std::vector<Dimension> dimensions;
};

/// Present values of the operator's iterators; the last one is that of the first element of a row.
using Point = std::vector<std::int64_t>;

/// The index at the point; far outside every array where it overflows.
std::int64_t Position(const RunIndex& index, const Point& point);

/// Reads `count` elements of the access along the last iterator. The view is into `contents` where
/// the elements lie there in order, else into the buffers. Elements outside the array follow the
/// boundary mode; without one they are 0 and have no value.
RowView ReadRow(const RunAccess& access, const Contents& contents, const Point& point,
                std::size_t count, void* values, std::uint8_t* defined);

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

  /// Writes the operator's value on its domain into `result`, which holds the background.
  /// `contents` by version index. Returns an error text, empty on success.
  std::string Execute(const std::vector<std::shared_ptr<Contents>>& contents, Contents& result,
                      RowScratch& scratch) const;

 private:
  friend class OperatorCompiler;

  enum class StepKind : std::uint8_t {
    Literal,
    Iota,
    Read,
    Unary,
    Binary,
    Power,
    Select,
    Call,
    Convert
  };
  struct Step {
    StepKind kind = StepKind::Literal;
    ScalarType type = ScalarType::Double;          // of the result
    ScalarType operand_type = ScalarType::Double;  // of the first operand
    int result = 0;                                // slot
    int operands[3] = {-1, -1, -1};                // slots
    double floating = 0;                           // Literal
    std::int64_t integer = 0;  // Literal; Power: exponent; Iota: axis; Read: index into reads_
    UnaryOp unary = UnaryOp::Plus;
    BinaryOp binary = BinaryOp::Add;
    Function function = Function::Min;
  };

  void Run(const Step& step, const std::vector<std::shared_ptr<Contents>>& contents,
           const Point& point, std::size_t count, RowScratch& scratch) const;
  const std::uint8_t* MergeDefined(const Step& step, std::size_t count, RowScratch& scratch) const;
  void Store(Point point, std::size_t count, const RowView& view, Contents& result) const;
  bool TargetInside(const Point& point) const;

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
};

}  // namespace stencilgen::graph
