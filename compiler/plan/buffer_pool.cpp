#include "plan/buffer_pool.h"

#include <utility>

#include <fmt/format.h>

#include "support/check.h"

namespace stencilgen::plan {

using graph::ArrayId;
using graph::VersionId;

BufferPool::BufferPool(const graph::Graph& graph, Store<BufferId, Buffer>& buffers,
                       NameTable& names)
    : graph_(graph), buffers_(buffers), names_(names) {
  home_of_.resize(graph.arrays.size());
  shape_of_.assign(graph.arrays.size(), -1);
}

int BufferPool::ShapeOf(ArrayId id) {
  int& shape = shape_of_[id.index];
  if (shape >= 0) return shape;
  const graph::Array& array = graph_.arrays[id];
  const std::vector<std::string> parameters = graph::ParameterNames(graph_);
  std::string key = std::string(ElementName(array));
  for (const graph::LinearForm& extent : array.extents) {
    key += fmt::format("[{}]", graph::ToString(extent, parameters));
  }
  shape = shapes_.try_emplace(std::move(key), static_cast<int>(shapes_.size())).first->second;
  if (free_.size() <= static_cast<std::size_t>(shape)) free_.resize(shapes_.size());
  return shape;
}

BufferId BufferPool::Add(std::string name, ArrayId array, ArrayId home) {
  const graph::Array& info = graph_.arrays[array];
  const BufferId id = buffers_.Add({std::move(name), info.type, info.extents, home, info.format});
  State state;
  state.shape = ShapeOf(array);
  state.reusable = !info.own_memory;
  states_.push_back(state);
  return id;
}

BufferId BufferPool::AddHome(ArrayId array, VersionId initial, bool reusable) {
  const BufferId id = Add(graph_.arrays[array].name, array, array);
  home_of_[array.index] = id;
  states_[id.index].reusable = reusable;
  Hold(id, initial);
  return id;
}

BufferId BufferPool::Take(ArrayId array) {
  const BufferId home = home_of_[array.index];
  if (home.Valid() && IsFree(home)) {
    TakeThis(home);
    return home;
  }
  const graph::Array& info = graph_.arrays[array];
  const std::set<BufferId>& free = free_[static_cast<std::size_t>(ShapeOf(array))];
  if (!free.empty() && !info.own_memory) {
    const BufferId last = *free.rbegin();  // scratch before homes
    TakeThis(last);
    return last;
  }
  return Add(names_.Unique(info.local ? info.name : fmt::format("{}_alt", info.name)), array,
             ArrayId{});
}

void BufferPool::TakeThis(BufferId buffer) {
  State& state = states_[buffer.index];
  STENCILGEN_CHECK(state.free);
  state.free = false;
  free_[static_cast<std::size_t>(state.shape)].erase(buffer);
}

void BufferPool::Hold(BufferId buffer, VersionId version) {
  State& state = states_[buffer.index];
  if (state.free) TakeThis(buffer);
  state.held = state.contents = version;
  state.epoch = epoch_;
  state.own_only = false;
}

void BufferPool::Forget(BufferId buffer) {
  states_[buffer.index].contents = VersionId{};
}

void BufferPool::ReleaseUnused(BufferId home) {
  states_[home.index].own_only = graph_.arrays[buffers_[home].home].copy_out;
  Release(home);
}

void BufferPool::Release(BufferId buffer, VersionId version) {
  if (states_[buffer.index].held == version) Release(buffer);
}

void BufferPool::Release(BufferId buffer) {
  State& state = states_[buffer.index];
  state.held = VersionId{};
  if (!state.reusable || state.free || state.chain >= 0) return;
  state.free = true;
  if (!state.own_only) free_[static_cast<std::size_t>(state.shape)].insert(buffer);
}

bool BufferPool::Contains(BufferId buffer, VersionId version) const {
  const State& state = states_[buffer.index];
  return state.contents == version && state.epoch == epoch_;
}

}  // namespace stencilgen::plan
