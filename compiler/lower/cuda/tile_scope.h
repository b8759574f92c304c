#pragma once

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/launch.h"
#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// The names of a tile's kernel, and what its code refers to: collected while the code is printed.
class TileScope {
 public:
  /// Requires: the kernel has a tile.
  TileScope(const ProgramModel& model, plan::KernelId kernel);

  const ProgramModel& model() const { return model_; }
  const plan::Tile& tile() const { return tile_; }
  plan::KernelId kernel() const { return kernel_; }
  const graph::Operator& OperatorAt(std::size_t op) const;
  const NameScope& names() const { return scope_; }
  std::string Claim(std::string_view wish) { return scope_.Claim(wish); }

  /// The iterators, by dimension, as the code of operators calls them.
  const std::vector<kernel::VarRef>& iterators() const { return iterators_; }
  /// The type of coordinates: 32 bits where a product of them is never formed.
  kernel::Type CoordinateType() const;
  /// `j_at`, a coordinate of the thread's first point, and of another of its points; `j_tile`: of
  /// the first point that the block stores; `j_begin`, `j_end`: the planes it stores.
  const kernel::VarRef& First(std::size_t d) const { return first_[d]; }
  kernel::Expr Coordinate(std::size_t d, const std::array<int, 3>& point) const;
  /// Of the point in a version's newest plane, which it makes `lag` steps late.
  kernel::Expr Coordinate(std::size_t d, const std::array<int, 3>& point, std::int64_t lag) const;
  const kernel::VarRef& TileStart(std::size_t d) const { return tile_start_[d]; }
  /// The first and the last point that the block stores: `j_from`, `j_to`, where those of the first
  /// and the last tile are not as in others (plan::Tile::spared). Elsewhere TileFrom is TileStart,
  /// and TileTo null.
  const kernel::VarRef& TileFrom(std::size_t d) const { return tile_from_[d]; }
  const kernel::VarRef& TileTo(std::size_t d) const { return tile_to_[d]; }
  /// The last point that the block stores, `more` behind.
  kernel::Expr Last(std::size_t d, std::int64_t more) const;
  const kernel::VarRef& plane() const { return plane_; }
  /// The plane that is newest in the thread's stage.
  kernel::Expr Plane() const;
  /// Of a pipeline: the thread's stage, how many have turns in this launch, and how many planes the
  /// thread's is behind the first.
  const kernel::VarRef& stage() const { return stage_; }
  const kernel::VarRef& stages() const { return model_.StagesVar(kernel_); }
  const kernel::VarRef& behind() const { return behind_; }
  const kernel::VarRef& plane_first() const { return plane_first_; }
  const kernel::VarRef& plane_last() const { return plane_last_; }
  const kernel::VarRef& position() const { return position_; }

  /// The pointer to the element of the thread's first point in the plane that a version is loaded
  /// from or stored to in the present step.
  const kernel::VarRef& Pointer(graph::VersionId version, bool store);
  struct MovingPointer {
    kernel::VarRef var;
    graph::VersionId version;
    bool store = false;
  };
  const std::vector<MovingPointer>& pointers() const { return pointers_; }

  /// The variable with the version's plane of that age; with several points a thread, an array.
  const kernel::VarRef& Registers(int version, int age) const;
  /// Its element for the point.
  kernel::Expr Register(int version, int age, const std::array<int, 3>& point) const;
  /// The variable with the elements of the version's rim that the thread has loaded, an array.
  const kernel::VarRef& RimRegisters(int version) const;
  /// The sum of the operator's plane that it finishes `ahead` steps later, as Registers.
  const kernel::VarRef& Sums(std::size_t op, std::size_t ahead) const { return sums_[op][ahead]; }
  kernel::Expr Sum(std::size_t op, std::size_t ahead, const std::array<int, 3>& point) const;
  /// Where in a shared plane the element at that distance from the point is.
  kernel::Expr SharedPosition(const std::array<int, 3>& point,
                              const std::array<std::int64_t, 3>& offset) const;
  /// The pointer to the version's plane in shared memory.
  const kernel::VarRef& Shared(int version, int age) const;
  /// The element of the thread's point in it.
  kernel::Expr SharedElement(int version, int age, const std::array<int, 3>& point,
                             const std::array<std::int64_t, 3>& offset) const;
  ScalarType TypeOf(int version) const;
  const graph::Array& ArrayOf(graph::VersionId version) const { return model_.ArrayOf(version); }
  std::size_t PlaceOf(const std::array<int, 3>& point) const;

  kernel::Expr Form(const graph::LinearForm& form);
  /// How far apart neighbours along the dimension are in the version's memory.
  kernel::Expr Stride(graph::VersionId version, std::size_t d);
  /// Row-major position in the version's memory of the element at those indices.
  kernel::Expr PositionOf(graph::VersionId version, const std::vector<kernel::Expr>& indices);

  /// A range of coordinates along a dimension, two arguments of the kernel: `i_u_lo`, `i_u_hi`.
  using Range = kernel::LaunchRange;
  /// The range of the operator's domain along the dimension, `i_u`.
  const Range& RangeOf(const graph::Operator& op, std::size_t d);
  /// The range of what the version's store writes along the dimension.
  const Range& StoreRange(const plan::TileStore& store, std::size_t d);
  /// The range of all elements of the version's array along the dimension.
  const Range& ArrayRange(graph::VersionId version, std::size_t d);
  const std::deque<Range>& ranges() const { return ranges_; }
  /// The range's place among them.
  std::size_t NumberOf(const Range& range) const;
  /// The range that all stores lie in, one a dimension: what the grid covers.
  const Range& Grid(std::size_t d) const { return *grid_[d]; }

  void Use(const OperatorCode& code);
  void Read(plan::BufferId buffer) { buffers_[buffer].read = true; }
  void Write(plan::BufferId buffer) { buffers_[buffer].written = true; }
  const OperatorCode::Uses& buffers() const { return buffers_; }
  const std::set<int>& scalars() const { return scalars_; }
  const std::set<graph::ParameterId>& parameters() const { return parameters_; }

 private:
  void NameVersions();
  void NameSums();
  void NameGrid();
  const Range& AddRange(const std::string& wish, Range range, std::size_t d);
  kernel::VarRef NewVar(const std::string& wish, kernel::Type type);
  kernel::VarRef NewRegisters(std::string name, kernel::Type type) const;
  kernel::Expr PlaceIn(const kernel::VarRef& registers, const std::array<int, 3>& point) const;

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const plan::Tile& tile_;
  NameScope scope_;
  std::vector<kernel::VarRef> iterators_, first_, tile_start_, tile_from_, tile_to_;
  std::vector<const Range*> grid_;
  kernel::VarRef plane_, plane_first_, plane_last_, position_, stage_, behind_;
  std::vector<std::vector<kernel::VarRef>> registers_, shared_;  ///< by version and age
  std::vector<kernel::VarRef> rims_;                             ///< by version
  std::vector<std::vector<kernel::VarRef>> sums_;                ///< by operator and steps ahead
  std::deque<Range> ranges_;                                     ///< which stay where they are
  std::vector<MovingPointer> pointers_;
  /// By dimension and text of what they are.
  std::map<std::pair<std::size_t, std::string>, const Range*> known_ranges_;
  OperatorCode::Uses buffers_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

/// Adds `target = value`.
void Assign(kernel::Block& block, const kernel::Expr& target, const kernel::Expr& value);

}  // namespace stencilgen::lower::cuda
