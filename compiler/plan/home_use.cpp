#include "plan/home_use.h"

#include <numeric>

#include "support/match.h"

namespace stencilgen::plan {
namespace {

/// Sets of buffers that may come to share memory, and whether it is written.
class MemoryClasses {
 public:
  explicit MemoryClasses(std::size_t buffers) : parent_(buffers), written_(buffers, false) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  void Join(BufferId a, BufferId b) {
    const std::size_t from = Find(a.index);
    const std::size_t to = Find(b.index);
    parent_[from] = to;
    written_[to] = written_[to] || written_[from];
  }
  void Write(BufferId buffer) { written_[Find(buffer.index)] = true; }
  bool IsWritten(BufferId buffer) { return written_[Find(buffer.index)]; }

 private:
  std::size_t Find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<std::size_t> parent_;
  std::vector<bool> written_;
};

void Visit(const Plan& plan, const std::vector<Step>& steps, MemoryClasses& classes) {
  for (const Step& step : steps) {
    Match(
        step,
        [&](const Launch& launch) {
          for (graph::VersionId version : StoredVersions(plan, plan.kernels[launch.kernel])) {
            classes.Write(plan.buffer_of[version.index]);
          }
        },
        [](const AssignScalar&) {}, [&](const CopyOutside& copy) { classes.Write(copy.dst); },
        [&](const CopyAll& copy) { classes.Write(copy.dst); },
        [&](const Repeat& repeat) {
          Visit(plan, repeat.body, classes);
          for (const auto& [to, from] : repeat.rotation) classes.Join(to, from);
        });
  }
}

}  // namespace

std::vector<bool> FindNeededContents(const graph::Graph& graph, const VersionUses& uses) {
  std::vector<bool> needed(graph.arrays.size(), false);
  for (graph::VersionId id : graph.versions.Ids()) {
    const graph::Version& version = graph.versions[id];
    const graph::Array& array = graph.arrays[version.array];
    if (version.def != graph::DefKind::Initial || array.rank() == 0) continue;
    needed[version.array.index] = uses.contents_used[id.index] && (array.copy_in || array.copy_out);
  }
  return needed;
}

std::vector<bool> FindWrittenHomes(const Plan& plan) {
  MemoryClasses classes(plan.buffers.size());
  Visit(plan, plan.steps, classes);
  std::vector<bool> written(plan.graph.arrays.size(), false);
  for (BufferId id : plan.buffers.Ids()) {
    const graph::ArrayId home = plan.buffers[id].home;
    if (home.Valid()) written[home.index] = classes.IsWritten(id);
  }
  return written;
}

}  // namespace stencilgen::plan
