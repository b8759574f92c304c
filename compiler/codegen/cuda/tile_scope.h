#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/operator_code.h"
#include "codegen/program_model.h"
#include "codegen/term.h"

namespace stencilgen::codegen::cuda {

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
  const std::vector<std::string>& iterators() const { return iterators_; }
  /// The type of coordinates: 32 bits where a product of them is never formed.
  std::string_view CoordinateType() const;
  /// `j_at`, a coordinate of the thread's first point, and of another of its points; `j_tile`: of
  /// the first point that the block stores; `j_begin`, `j_end`: the planes it stores.
  const std::string& First(std::size_t d) const { return first_[d]; }
  Term Coordinate(std::size_t d, const std::array<int, 3>& point) const;
  const std::string& TileStart(std::size_t d) const { return tile_start_[d]; }
  const std::string& plane() const { return plane_; }
  const std::string& plane_first() const { return plane_first_; }
  const std::string& plane_last() const { return plane_last_; }
  const std::string& position() const { return position_; }

  /// The pointer to the element of the thread's first point in the plane that a version is loaded
  /// from or stored to in the present step.
  const std::string& Pointer(graph::VersionId version, bool store);
  struct MovingPointer {
    std::string name;
    graph::VersionId version;
    bool store = false;
  };
  const std::vector<MovingPointer>& pointers() const { return pointers_; }

  /// The variable with the version's plane of that age; with several points a thread, an array.
  const std::string& Registers(int version, int age) const;
  /// Its element for the point.
  std::string Register(int version, int age, const std::array<int, 3>& point) const;
  /// The variable with the elements of the version's rim that the thread has loaded, an array.
  const std::string& RimRegisters(int version) const;
  /// The sum of the operator's plane that it finishes `ahead` steps later, as Registers.
  const std::string& Sums(std::size_t op, std::size_t ahead) const { return sums_[op][ahead]; }
  std::string Sum(std::size_t op, std::size_t ahead, const std::array<int, 3>& point) const;
  /// Where in a shared plane the element at that distance from the point is.
  std::string SharedPosition(const std::array<int, 3>& point,
                             const std::array<std::int64_t, 3>& offset) const;
  /// The pointer to the version's plane in shared memory.
  const std::string& Shared(int version, int age) const;
  ScalarType TypeOf(int version) const;
  std::size_t PlaceOf(const std::array<int, 3>& point) const;

  Term Form(const graph::LinearForm& form);
  /// How far apart neighbours along the dimension are in the version's memory.
  Term Stride(graph::VersionId version, std::size_t d);
  /// The range of the operator's domain along the dimension, `i_u`: arguments `i_u_lo`, `i_u_hi`.
  const std::string& RangeOf(const graph::Operator& op, std::size_t d);
  /// The range of what the version's store writes along the dimension.
  const std::string& StoreRange(const plan::TileStore& store, std::size_t d);
  /// The range of all elements of the version's array along the dimension.
  const std::string& ArrayRange(graph::VersionId version, std::size_t d);
  struct Range {
    std::string name, text;  ///< text: of its value in the launcher
    std::size_t dimension = 0;
  };
  const std::vector<Range>& ranges() const { return ranges_; }
  /// The range that all stores lie in, one a dimension: what the grid covers.
  const std::string& Grid(std::size_t d) const { return grid_[d]; }

  void Use(const OperatorCode& code);
  void Read(plan::BufferId buffer) { buffers_[buffer].read = true; }
  void Write(plan::BufferId buffer) { buffers_[buffer].written = true; }
  const std::map<plan::BufferId, OperatorCode::Use>& buffers() const { return buffers_; }
  const std::set<int>& scalars() const { return scalars_; }
  const std::set<graph::ParameterId>& parameters() const { return parameters_; }

 private:
  void NameVersions();
  void NameSums();
  void NameGrid();
  const std::string& AddRange(const std::string& wish, std::string text, std::size_t d);

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const plan::Tile& tile_;
  NameScope scope_;
  std::vector<std::string> iterators_, first_, tile_start_, grid_;
  std::string plane_, plane_first_, plane_last_, position_;
  std::vector<std::vector<std::string>> registers_, shared_;  ///< by version and age
  std::vector<std::string> rims_;                             ///< by version
  std::vector<std::vector<std::string>> sums_;                ///< by operator and steps ahead
  std::vector<Range> ranges_;
  std::vector<MovingPointer> pointers_;
  std::map<std::pair<std::size_t, std::string>, std::string> range_names_;
  std::map<plan::BufferId, OperatorCode::Use> buffers_;
  std::set<int> scalars_;
  std::set<graph::ParameterId> parameters_;
};

}  // namespace stencilgen::codegen::cuda
