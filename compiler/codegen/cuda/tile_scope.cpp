#include "codegen/cuda/tile_scope.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "codegen/host_code.h"

namespace stencilgen::codegen::cuda {
namespace {

/// The array's name as the program has it, fit to be followed by a number.
std::string BaseName(const graph::Array& array) {
  std::string name = array.name;
  if (array.local) name.erase(name.rfind('_'));  // `t_3` is the t of call 3
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
    iterators_.push_back(scope_.Claim(name));
    first_.push_back(scope_.Claim(fmt::format("{}_at", name)));
    tile_start_.push_back(scope_.Claim(fmt::format("{}_tile", name)));
  }
  if (tile_.stream) {
    plane_ = scope_.Claim("plane");
    plane_first_ = scope_.Claim(fmt::format("{}_begin", iterators_[*tile_.stream]));
    plane_last_ = scope_.Claim(fmt::format("{}_end", iterators_[*tile_.stream]));
  }
  position_ = scope_.Claim("at");
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

/// `u0`, `u0_1`, `u0_2`: the first version of u in the tile, its newest plane and older ones.
void TileScope::NameVersions() {
  std::map<std::string, int> count;
  for (const plan::TileVersion& version : tile_.versions) {
    const auto& graph = model_.graph();
    const std::string array = BaseName(graph.arrays[graph.versions[version.version].array]);
    const std::string name = scope_.Claim(fmt::format("{}{}", array, count[array]++));
    std::vector<std::string> registers;
    std::vector<std::string> shared;
    for (std::size_t age = 0; age < version.planes.size(); ++age) {
      const std::string tag = age == 0 ? std::string() : fmt::format("_{}", age);
      registers.push_back(age == 0 ? name : scope_.Claim(fmt::format("{}{}", name, tag)));
    }
    const int first = version.FirstShared();
    for (int slot = 0; slot < version.slots; ++slot) {
      shared.resize(static_cast<std::size_t>(first + slot) + 1);
      shared.back() =
          scope_.Claim(version.slots == 1 ? fmt::format("{}_shared", name)
                                          : fmt::format("{}_shared_{}", name, first + slot));
    }
    rims_.push_back(version.rim < 0 ? "" : scope_.Claim(fmt::format("{}_rim", name)));
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
      sums_.back().push_back(scope_.Claim(fmt::format("{}_sum_{}", Registers(result, 0), ahead)));
    }
  }
}

void TileScope::NameGrid() {
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    std::string hull;
    for (const plan::TileStore& store : tile_.stores) {
      const std::string range = StoreRange(store, d);
      if (hull.empty()) {
        hull = range;
      } else if (hull != range && hull.find(range) == std::string::npos) {
        hull = fmt::format("Hull({}, {})", hull, range);
      }
    }
    grid_.push_back(hull.front() == 'H' && hull.find('(') != std::string::npos
                        ? AddRange("grid", hull, d)
                        : hull);
  }
}

std::string_view TileScope::CoordinateType() const {
  return tile_.dimensions > 1 ? "int" : "Index";
}

Term TileScope::Coordinate(std::size_t d, const std::array<int, 3>& point) const {
  return Variable(first_[d]) + Number(point[d]);
}

const std::string& TileScope::Registers(int version, int age) const {
  return registers_[static_cast<std::size_t>(version)][static_cast<std::size_t>(age)];
}

const std::string& TileScope::RimRegisters(int version) const {
  return rims_[static_cast<std::size_t>(version)];
}

std::string TileScope::Register(int version, int age, const std::array<int, 3>& point) const {
  const std::string& name = Registers(version, age);
  return tile_.Points() == 1 ? name : fmt::format("{}[{}]", name, PlaceOf(point));
}

std::string TileScope::Sum(std::size_t op, std::size_t ahead,
                           const std::array<int, 3>& point) const {
  const std::string& name = Sums(op, ahead);
  return tile_.Points() == 1 ? name : fmt::format("{}[{}]", name, PlaceOf(point));
}

std::string TileScope::SharedPosition(const std::array<int, 3>& point,
                                      const std::array<std::int64_t, 3>& offset) const {
  std::int64_t distance = 0;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    distance += (point[d] + offset[d]) * tile_.SharedStride(d);
  }
  return (Variable(position_) + Number(distance)).text;
}

const std::string& TileScope::Shared(int version, int age) const {
  return shared_[static_cast<std::size_t>(version)][static_cast<std::size_t>(age)];
}

std::size_t TileScope::PlaceOf(const std::array<int, 3>& point) const {
  const int place = (point[0] * tile_.points[1] + point[1]) * tile_.points[2] + point[2];
  return static_cast<std::size_t>(place);
}

Term TileScope::Form(const graph::LinearForm& form) {
  for (const auto& [id, factor] : form.terms) parameters_.insert(id);
  return Linear(form, model_.parameters());
}

Term TileScope::Stride(graph::VersionId version, std::size_t d) {
  const auto& extents = model_.plan().buffers[model_.plan().buffer_of[version.index]].extents;
  Term stride = Number(1);
  for (std::size_t inner = d + 1; inner < tile_.dimensions; ++inner) {
    stride = stride * Form(extents[inner]);
  }
  return stride;
}

const std::string& TileScope::AddRange(const std::string& wish, std::string text, std::size_t d) {
  const auto [at, is_new] = range_names_.try_emplace({d, text}, "");
  if (is_new) {
    at->second = scope_.Claim(fmt::format("{}_{}", iterators_[d], wish));
    ranges_.push_back({at->second, std::move(text), d});
  }
  return at->second;
}

const std::string& TileScope::RangeOf(const graph::Operator& op, std::size_t d) {
  const auto form = [&](const graph::LinearForm& linear) {
    return Linear(linear, model_.parameters());
  };
  std::string text = fmt::format("Range{{{}, {}}}", LowerText(op.domain.intervals[d], form),
                                 UpperText(op.domain.intervals[d], form));
  const std::string guards = GuardText(op.domain, form);
  if (!guards.empty()) text = fmt::format("{} ? {} : Range{{}}", guards, text);
  const graph::Graph& graph = model_.graph();
  return AddRange(BaseName(graph.arrays[graph.versions[op.result].array]), std::move(text), d);
}

const std::string& TileScope::StoreRange(const plan::TileStore& store, std::size_t d) {
  const graph::Version& version = model_.graph().versions[store.version];
  const graph::Operator& op = model_.OperatorOf(version.node);
  return store.whole ? ArrayRange(store.version, d) : RangeOf(op, d);
}

const std::string& TileScope::ArrayRange(graph::VersionId version, std::size_t d) {
  const graph::Graph& graph = model_.graph();
  const graph::Array& array = graph.arrays[graph.versions[version].array];
  const Term last = Linear(array.extents[d] - 1, model_.parameters());
  return AddRange("all", fmt::format("Range{{0, {}}}", last.text), d);
}

const std::string& TileScope::Pointer(graph::VersionId version, bool store) {
  const auto at = std::find_if(pointers_.begin(), pointers_.end(), [&](const MovingPointer& p) {
    return p.version == version && p.store == store;
  });
  if (at != pointers_.end()) return at->name;
  const std::string& plane = Registers(tile_.Find(version), 0);
  const plan::BufferId buffer = model_.plan().buffer_of[version.index];
  if (store) {
    Write(buffer);
  } else {
    Read(buffer);
  }
  pointers_.push_back(
      {scope_.Claim(fmt::format("{}_{}", plane, store ? "to" : "from")), version, store});
  return pointers_.back().name;
}

void TileScope::Use(const OperatorCode& code) {
  for (const auto& [buffer, use] : code.buffers()) {
    buffers_[buffer].read = buffers_[buffer].read || use.read;
    buffers_[buffer].written = buffers_[buffer].written || use.written;
  }
  scalars_.insert(code.scalars().begin(), code.scalars().end());
  parameters_.insert(code.parameters().begin(), code.parameters().end());
}

}  // namespace stencilgen::codegen::cuda
