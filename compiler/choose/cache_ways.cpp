#include "choose/cache_ways.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "graph/linear.h"
#include "plan/traffic_parts.h"

namespace stencilgen::choose {
namespace {

// What a line beyond the ways costs: of star3d2r and j3d17pt with rows of 256 doubles, measured on
// an AMD EPYC of family 25, whose first-level caches have 8 ways.
constexpr double kLostLine = 3.5;
// The sets of a first-level cache are those of a page, whatever its ways.
constexpr std::int64_t kSetBytes = 4096;
constexpr std::int64_t kPackBytes = 128;

/// Which bytes of its rows a turn touches, from where its first point is in them, by row.
class Rows {
 public:
  Rows(const graph::Graph& graph, const graph::ParameterValues& sizes)
      : graph_(graph), sizes_(sizes) {}

  /// An element at `shift` of the place that the indices name, by dimension.
  void Add(graph::VersionId version, const std::vector<graph::Index>& indices,
           const std::vector<std::int64_t>& shift) {
    const graph::Array& array = graph_.arrays[graph_.versions[version].array];
    const std::int64_t bytes = plan::ElementBytes(graph_, version);
    std::int64_t row = 0;
    for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
      row = (row + graph::Evaluate(indices[d].offset, sizes_) + shift[d]) *
            graph::Evaluate(array.extents[d + 1], sizes_);
    }
    const std::int64_t at = (graph::Evaluate(indices.back().offset, sizes_) + shift.back()) * bytes;
    auto [found, is_new] = rows_.try_emplace({version, row * bytes}, at, at);
    found->second.first = std::min(found->second.first, at);
    found->second.second = std::max(found->second.second, at);
  }

  /// By set: lines that a turn touches.
  std::vector<std::int64_t> LinesOfSets(std::int64_t line) const {
    const std::int64_t count = kSetBytes / line;
    std::vector<std::int64_t> sets(static_cast<std::size_t>(count));
    for (const auto& [row, bytes] : rows_) {
      const std::int64_t first = row.second + bytes.first;
      const std::int64_t last = row.second + bytes.second + kPackBytes - 1;
      for (std::int64_t each = graph::FloorDiv(first, line); each <= graph::FloorDiv(last, line);
           ++each) {
        ++sets[static_cast<std::size_t>(each - graph::FloorDiv(each, count) * count)];
      }
    }
    return sets;
  }

 private:
  const graph::Graph& graph_;
  const graph::ParameterValues& sizes_;
  std::map<std::pair<graph::VersionId, std::int64_t>, std::pair<std::int64_t, std::int64_t>> rows_;
};

}  // namespace

double ConflictCycles(const kernel::Body& body, const graph::Graph& graph,
                      const graph::Operator& op, const graph::ParameterValues& sizes,
                      const machine::Cpu& cpu) {
  if (sizes.size() != graph.parameters.size() || cpu.caches.empty() || op.target.empty()) return 0;
  Rows rows(graph, sizes);
  for (const kernel::Value& value : body.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element == nullptr || element->access.indices.empty()) continue;
    if (element->access.indices.back().iterator != op.iterators.back()) continue;
    const std::vector<std::int64_t> none(element->access.indices.size(), 0);
    rows.Add(element->access.version, element->access.indices, none);
  }
  for (const kernel::Statement& statement : body.statements) {
    std::vector<std::int64_t> shift;
    for (const graph::Index& index : op.target) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      shift.push_back(at == op.iterators.end()
                          ? 0
                          : statement.offset[static_cast<std::size_t>(at - op.iterators.begin())]);
    }
    rows.Add(op.result, op.target, shift);
  }
  const std::int64_t ways = cpu.caches.front().bytes / kSetBytes;
  double lost = 0;
  for (const std::int64_t lines : rows.LinesOfSets(cpu.caches.front().line)) {
    lost += static_cast<double>(std::max<std::int64_t>(0, lines - ways));
  }
  return kLostLine * lost;
}

}  // namespace stencilgen::choose
