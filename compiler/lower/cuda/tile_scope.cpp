#include "lower/cuda/tile_scope.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "lower/domain_bounds.h"

namespace stencilgen::lower::cuda {
namespace {

/// The array's name as the program has it, fit to be followed by a number.
std::string BaseName(const graph::Array& array) {
  std::string name = array.name;
  // `t_3` is the t of call 3; what passes have added may have no call.
  const std::size_t call = array.local ? name.rfind('_') : std::string::npos;
  if (call != std::string::npos && call > 0) name.erase(call);
  const bool digit = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  return digit ? name + "_v" : name;
}

}  // namespace

TileScope::TileScope(const ProgramModel& model, plan::KernelId kernel)
    : model_(model),
      kernel_(kernel),
      tile_(*model.plan().kernels[kernel].tile),
      scope_(&model.scope()) {
  const graph::Operator& op = OperatorAt(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    const auto& name = model_.graph().iterators[static_cast<std::size_t>(op.iterators[d])];
    iterators_.push_back(NewVar(name, kernel::kIndex));
    first_.push_back(NewVar(fmt::format("{}_at", name), CoordinateType()));
    tile_start_.push_back(NewVar(fmt::format("{}_tile", name), CoordinateType()));
    tile_from_.push_back(tile_.spared.lo[d] > 0
                             ? NewVar(fmt::format("{}_from", name), CoordinateType())
                             : tile_start_.back());
    tile_to_.push_back(tile_.spared.hi[d] > 0 ? NewVar(fmt::format("{}_to", name), CoordinateType())
                                              : nullptr);
  }
  if (tile_.stream) {
    const std::string& along = iterators_[*tile_.stream]->name;
    plane_ = NewVar("plane", CoordinateType());
    plane_first_ = NewVar(fmt::format("{}_begin", along), CoordinateType());
    plane_last_ = NewVar(fmt::format("{}_end", along), CoordinateType());
  }
  position_ = NewVar("at", kernel::kInt);
  if (tile_.pipeline) {
    stage_ = NewVar("stage", kernel::kInt);
    behind_ = NewVar("behind", CoordinateType());
  }
  NameVersions();
  NameSums();
  NameGrid();
}

const graph::Operator& TileScope::OperatorAt(std::size_t op) const {
  return model_.OperatorOf(tile_.ops[op].node);
}

ScalarType TileScope::TypeOf(int version) const {
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  return model_.graph().arrays[model_.graph().versions[id].array].type;
}

kernel::VarRef TileScope::NewVar(const std::string& wish, kernel::Type type) {
  return kernel::MakeVar(scope_.Claim(wish), type);
}

/// A value of each of the thread's points.
kernel::VarRef TileScope::NewRegisters(std::string name, kernel::Type type) const {
  if (tile_.Points() == 1) return kernel::MakeVar(std::move(name), type);
  return kernel::MakeVar(std::move(name), type, kernel::Storage::Registers, tile_.Points());
}

/// `u0`, `u0_1`, `u0_2`: the first version of u in the tile, its newest plane and older ones.
void TileScope::NameVersions() {
  std::map<std::string, int> count;
  for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
    const plan::TileVersion& version = tile_.versions[v];
    const auto& graph = model_.graph();
    const kernel::Type type = kernel::TypeOf(TypeOf(static_cast<int>(v)));
    const std::string array = BaseName(graph.arrays[graph.versions[version.version].array]);
    const std::string name = scope_.Claim(fmt::format("{}{}", array, count[array]++));
    std::vector<kernel::VarRef> registers;
    std::vector<kernel::VarRef> shared;
    for (std::size_t age = 0; age < version.planes.size(); ++age) {
      registers.push_back(
          NewRegisters(age == 0 ? name : scope_.Claim(fmt::format("{}_{}", name, age)), type));
    }
    const int first = version.FirstShared();
    for (int slot = 0; slot < version.slots; ++slot) {
      shared.resize(static_cast<std::size_t>(first + slot) + 1);
      shared.back() = kernel::MakeVar(
          scope_.Claim(version.slots == 1 ? fmt::format("{}_shared", name)
                                          : fmt::format("{}_shared_{}", name, first + slot)),
          type, kernel::Storage::Shared);
    }
    rims_.push_back(
        version.rim < 0
            ? nullptr
            : kernel::MakeVar(
                  scope_.Claim(fmt::format("{}_rim", name)), type, kernel::Storage::Registers,
                  plan::RimLoads(tile_, tile_.rims[static_cast<std::size_t>(version.rim)])));
    registers_.push_back(std::move(registers));
    shared_.push_back(std::move(shared));
  }
}

void TileScope::NameSums() {
  for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
    sums_.emplace_back();
    if (!tile_.ops[op].scatter) continue;
    const int result = tile_.Find(OperatorAt(op).result);
    for (std::size_t ahead = 0; ahead < tile_.ops[op].scatter->parts.size(); ++ahead) {
      const std::string wish = fmt::format("{}_sum_{}", Registers(result, 0)->name, ahead);
      sums_.back().push_back(NewRegisters(scope_.Claim(wish), kernel::TypeOf(TypeOf(result))));
    }
  }
}

void TileScope::NameGrid() {
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    std::vector<const Range*> stored;
    for (const plan::TileStore& store : tile_.stores) {
      const Range& range = StoreRange(store, d);
      if (std::find(stored.begin(), stored.end(), &range) == stored.end()) {
        stored.push_back(&range);
      }
    }
    if (stored.size() == 1) {
      grid_.push_back(stored.front());
      continue;
    }
    Range hull;
    for (const Range* range : stored) hull.hull.push_back(NumberOf(*range));
    grid_.push_back(&AddRange("grid", std::move(hull), d));
  }
}

kernel::Expr TileScope::Last(std::size_t d, std::int64_t more) const {
  if (tile_to_[d] != nullptr) return kernel::Read(tile_to_[d]) + kernel::Number(more);
  return kernel::Read(tile_start_[d]) + kernel::Number(tile_.Stored(d) - 1 + more);
}

kernel::Type TileScope::CoordinateType() const {
  return tile_.dimensions > 1 ? kernel::kInt : kernel::kIndex;
}

kernel::Expr TileScope::Coordinate(std::size_t d, const std::array<int, 3>& point) const {
  return kernel::Read(first_[d]) + kernel::Number(point[d]);
}

kernel::Expr TileScope::Coordinate(std::size_t d, const std::array<int, 3>& point,
                                   std::int64_t lag) const {
  return tile_.stream == d ? Plane() - kernel::Number(lag) : Coordinate(d, point);
}

kernel::Expr TileScope::Plane() const {
  return tile_.pipeline ? kernel::Read(plane_) - kernel::Read(behind_) : kernel::Read(plane_);
}

const kernel::VarRef& TileScope::Registers(int version, int age) const {
  return registers_[static_cast<std::size_t>(version)][static_cast<std::size_t>(age)];
}

const kernel::VarRef& TileScope::RimRegisters(int version) const {
  return rims_[static_cast<std::size_t>(version)];
}

kernel::Expr TileScope::PlaceIn(const kernel::VarRef& registers,
                                const std::array<int, 3>& point) const {
  if (tile_.Points() == 1) return kernel::Read(registers);
  const auto place = static_cast<std::int64_t>(PlaceOf(point));
  return kernel::ElementAt(registers, kernel::Number(place));
}

kernel::Expr TileScope::Register(int version, int age, const std::array<int, 3>& point) const {
  return PlaceIn(Registers(version, age), point);
}

kernel::Expr TileScope::Sum(std::size_t op, std::size_t ahead,
                            const std::array<int, 3>& point) const {
  return PlaceIn(Sums(op, ahead), point);
}

kernel::Expr TileScope::SharedPosition(const std::array<int, 3>& point,
                                       const std::array<std::int64_t, 3>& offset) const {
  std::int64_t distance = 0;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    distance += (point[d] + offset[d]) * tile_.SharedStride(d);
  }
  return kernel::Read(position_) + kernel::Number(distance);
}

const kernel::VarRef& TileScope::Shared(int version, int age) const {
  return shared_[static_cast<std::size_t>(version)][static_cast<std::size_t>(age)];
}

kernel::Expr TileScope::SharedElement(int version, int age, const std::array<int, 3>& point,
                                      const std::array<std::int64_t, 3>& offset) const {
  return kernel::ElementAt(Shared(version, age), SharedPosition(point, offset));
}

std::size_t TileScope::PlaceOf(const std::array<int, 3>& point) const {
  const int place = (point[0] * tile_.points[1] + point[1]) * tile_.points[2] + point[2];
  return static_cast<std::size_t>(place);
}

kernel::Expr TileScope::Form(const graph::LinearForm& form) {
  for (const auto& [id, factor] : form.terms) parameters_.insert(id);
  return model_.Form(form);
}

kernel::Expr TileScope::Stride(graph::VersionId version, std::size_t d) {
  const auto& extents = model_.plan().buffers[model_.plan().buffer_of[version.index]].extents;
  kernel::Expr stride = kernel::Number(1);
  for (std::size_t inner = d + 1; inner < tile_.dimensions; ++inner) {
    stride = stride * Form(extents[inner]);
  }
  return stride;
}

kernel::Expr TileScope::PositionOf(graph::VersionId version,
                                   const std::vector<kernel::Expr>& indices) {
  const auto& extents = model_.plan().buffers[model_.plan().buffer_of[version.index]].extents;
  kernel::Expr position = kernel::Number(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (d > 0) position = position * Form(extents[d]);
    position = position + indices[d];
  }
  return position;
}

std::size_t TileScope::NumberOf(const Range& range) const {
  const auto at = std::find_if(ranges_.begin(), ranges_.end(),
                               [&](const Range& each) { return &each == &range; });
  return static_cast<std::size_t>(at - ranges_.begin());
}

const TileScope::Range& TileScope::AddRange(const std::string& wish, Range range, std::size_t d) {
  std::string what = fmt::format("{}", fmt::join(range.hull, " "));
  for (const kernel::Expr& each : {range.condition, range.first, range.last}) {
    what += "; ";
    if (each.Valid()) what += kernel::Print(each);
  }
  const auto [at, is_new] = known_ranges_.try_emplace({d, what}, nullptr);
  if (is_new) {
    range.name = scope_.Claim(fmt::format("{}_{}", iterators_[d]->name, wish));
    range.lo = kernel::MakeVar(range.name + "_lo", CoordinateType());
    range.hi = kernel::MakeVar(range.name + "_hi", CoordinateType());
    ranges_.push_back(std::move(range));
    at->second = &ranges_.back();
  }
  return *at->second;
}

const TileScope::Range& TileScope::RangeOf(const graph::Operator& op, std::size_t d) {
  const auto form = [&](const graph::LinearForm& linear) { return model_.Form(linear); };
  Range range;
  range.first = LowerOf(op.domain.intervals[d], form);
  range.last = UpperOf(op.domain.intervals[d], form);
  range.condition = GuardOf(op.domain, form);
  const graph::Graph& graph = model_.graph();
  return AddRange(BaseName(graph.arrays[graph.versions[op.result].array]), std::move(range), d);
}

const TileScope::Range& TileScope::StoreRange(const plan::TileStore& store, std::size_t d) {
  const graph::Version& version = model_.graph().versions[store.version];
  const graph::Operator& op = model_.OperatorOf(version.node);
  return store.whole ? ArrayRange(store.version, d) : RangeOf(op, d);
}

const TileScope::Range& TileScope::ArrayRange(graph::VersionId version, std::size_t d) {
  const graph::Graph& graph = model_.graph();
  const graph::Array& array = graph.arrays[graph.versions[version].array];
  Range range;
  range.first = kernel::Number(0);
  range.last = model_.Form(array.extents[d] - 1);
  return AddRange("all", std::move(range), d);
}

const kernel::VarRef& TileScope::Pointer(graph::VersionId version, bool store) {
  const auto at = std::find_if(pointers_.begin(), pointers_.end(), [&](const MovingPointer& p) {
    return p.version == version && p.store == store;
  });
  if (at != pointers_.end()) return at->var;
  const kernel::VarRef& plane = Registers(tile_.Find(version), 0);
  const plan::BufferId buffer = model_.plan().buffer_of[version.index];
  if (store) {
    Write(buffer);
  } else {
    Read(buffer);
  }
  const std::string wish = fmt::format("{}_{}", plane->name, store ? "to" : "from");
  pointers_.push_back({kernel::MakeVar(scope_.Claim(wish), plane->type, kernel::Storage::Global, 0,
                                       model_.plan().buffers[buffer].format),
                       version, store});
  return pointers_.back().var;
}

void TileScope::Use(const OperatorCode& code) {
  code.AddBuffersTo(buffers_);
  scalars_.insert(code.scalars().begin(), code.scalars().end());
  parameters_.insert(code.parameters().begin(), code.parameters().end());
}

void Assign(kernel::Block& block, const kernel::Expr& target, const kernel::Expr& value) {
  block.Add(kernel::AssignStmt{target, AssignOp::Assign, value});
}

}  // namespace stencilgen::lower::cuda
