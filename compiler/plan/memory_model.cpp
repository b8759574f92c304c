#include "plan/memory_model.h"

#include <fmt/format.h>

#include "graph/turns.h"

namespace stencilgen::plan {
namespace {

std::string Key(const std::vector<graph::Bound>& bounds, const std::vector<std::string>& names) {
  std::string key;
  for (const graph::Bound& bound : bounds) {
    key += fmt::format("({})/{};", graph::ToString(bound.numerator, names), bound.divisor);
  }
  return key;
}

/// Equal for operators that write the same elements of arrays of one shape.
std::string ElementsKey(const graph::Operator& op, const std::vector<std::string>& names) {
  std::string key;
  for (int iterator : op.iterators) key += fmt::format("{},", iterator);
  for (const graph::Index& index : op.target) {
    key += fmt::format("[{}*{}+{}]", index.coefficient, index.iterator,
                       graph::ToString(index.offset, names));
  }
  for (const graph::Interval& interval : op.domain.intervals) {
    key += fmt::format("|{}..{}", Key(interval.lower, names), Key(interval.upper, names));
  }
  for (const graph::LinearForm& guard : op.domain.guards) {
    key += fmt::format("?{}", graph::ToString(guard, names));
  }
  return key;
}

}  // namespace

MemoryModel::MemoryModel(const graph::Graph& graph) {
  const std::vector<std::string> names = graph::ParameterNames(graph);
  std::map<std::string, int> keys;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    elements_of_.push_back(
        op == nullptr ? -1
                      : keys.try_emplace(ElementsKey(*op, names), static_cast<int>(keys.size()))
                            .first->second);
    by_turn_.push_back(op != nullptr && graph::WritesByTurn(*op));
  }
  sets_ = static_cast<int>(keys.size());
}

int MemoryModel::ElementsOf(graph::NodeId op) const {
  return elements_of_[op.index] + (by_turn_[op.index] ? turn_ * sets_ : 0);
}

int MemoryModel::NewInstance() {
  instances_.push_back({});
  return static_cast<int>(instances_.size()) - 1;
}

int MemoryModel::NewInstance(graph::NodeId op, int background) {
  const int elements = ElementsOf(op);
  const int frame = background < 0 ? next_frame_++ : Frame(background, elements);
  instances_.push_back({elements, frame});
  return static_cast<int>(instances_.size()) - 1;
}

int MemoryModel::Frame(int instance, int elements) {
  const Instance& info = instances_[static_cast<std::size_t>(instance)];
  if (info.elements == elements) return info.frame;
  const auto [place, added] = frames_.try_emplace({instance, elements}, next_frame_);
  if (added) ++next_frame_;
  return place->second;
}

Contents MemoryModel::FrameOf(int instance, graph::NodeId op) {
  const int elements = ElementsOf(op);
  return {-1, elements, Frame(instance, elements)};
}

bool MemoryModel::HasFrame(const Contents& contents, int instance, graph::NodeId op) {
  const Contents wanted = FrameOf(instance, op);
  if (contents.instance >= 0) return Frame(contents.instance, wanted.elements) == wanted.frame;
  return contents.elements == wanted.elements && contents.frame == wanted.frame;
}

}  // namespace stencilgen::plan
