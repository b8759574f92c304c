#include <algorithm>
#include <map>
#include <set>

#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/print_expr.h"
#include "graph/reduction.h"
#include "graph/turns.h"
#include "support/match.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {

Json RangeJson(const graph::Range& range) {
  if (range.size() == 0) return nullptr;
  return Json::array({range.lo, range.hi});
}

Json DimensionJson(const graph::Graph& graph, const graph::Operator& op, std::size_t n,
                   const graph::ParameterValues& sizes) {
  return {{"iterator", graph.iterators[static_cast<std::size_t>(op.iterators[n])]},
          {"grid", RangeJson(graph::Evaluate(op.domain.intervals[n], sizes))}};
}

namespace {

using graph::Access;
using graph::Graph;
using graph::Operator;

/// The access's distance from the point along each iterator of the operator; null (no JSON at all)
/// where it is not fixed.
std::optional<Json> OffsetOf(const Operator& op, const Access& access) {
  Json offset = Json::array();
  for (std::size_t n = 0; n < op.iterators.size(); ++n) offset.push_back(nullptr);
  for (const graph::Index& index : access.indices) {
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
    const bool plain =
        at != op.iterators.end() && index.coefficient == 1 && index.offset.IsConstant();
    if (!plain) return std::nullopt;
    offset[static_cast<std::size_t>(at - op.iterators.begin())] = index.offset.constant;
  }
  return offset;
}

std::string_view BoundaryText(graph::BoundaryKind kind) {
  switch (kind) {
    case graph::BoundaryKind::Clamp:
      return "clamp";
    case graph::BoundaryKind::Mirror:
      return "mirror";
    case graph::BoundaryKind::Mirror101:
      return "mirror101";
    case graph::BoundaryKind::Wrap:
      return "wrap";
    case graph::BoundaryKind::Constant:
      return "constant";
    case graph::BoundaryKind::None:
      break;
  }
  return "none";
}

class GraphReporter {
 public:
  explicit GraphReporter(const Explained& explained)
      : explained_(explained),
        plan_(explained.chosen.plan),
        graph_(plan_.graph),
        sizes_(explained.chosen.sizes),
        parameters_(graph::ParameterNames(graph_)),
        versions_(graph::VersionNames(graph_)) {
    for (const plan::KernelId id : plan_.kernels.Ids()) {
      for (const graph::NodeId node : plan_.kernels[id].ops) kernel_of_[node] = id.index;
    }
  }

  Json Run() {
    Json nodes = RegionJson(graph_.root);
    Json outputs = Json::array();
    for (const graph::Output& output : graph_.outputs) outputs.push_back(Use(output.version));
    return {{"arrays", Arrays()},
            {"versions", Versions()},
            {"outputs", std::move(outputs)},
            {"nodes", std::move(nodes)}};
  }

 private:
  std::uint32_t Use(graph::VersionId version) {
    used_.insert(version);
    return version.index;
  }
  Json UseOrNull(graph::VersionId version) { return version.Valid() ? Json(Use(version)) : Json(); }

  Json RegionJson(graph::RegionId region) {
    Json nodes = Json::array();
    for (const graph::NodeId id : graph_.regions[region].nodes) {
      nodes.push_back(Match(
          graph_.nodes[id], [&](const Operator& op) { return OperatorJson(id, op); },
          [&](const graph::Loop& loop) { return LoopJson(id, loop); }));
    }
    return nodes;
  }

  Json LoopJson(graph::NodeId id, const graph::Loop& loop) {
    Json carried = Json::array();
    for (const graph::Carried& one : loop.carried) {
      carried.push_back({{"array", graph_.arrays[one.array].name},
                         {"initial", UseOrNull(one.initial)},
                         {"entry", UseOrNull(one.entry)},
                         {"next", UseOrNull(one.next)},
                         {"result", UseOrNull(one.result)}});
    }
    return {{"id", id.index},
            {"kind", "loop"},
            {"turns", graph::TurnsText(loop, parameters_)},
            {"count", graph::Evaluate(loop.turns, sizes_)},
            {"stop", loop.stop ? Json(graph::StopText(loop, parameters_, versions_)) : Json()},
            {"lines", Lines(loop.span)},
            {"carried", std::move(carried)},
            {"nodes", RegionJson(loop.body)}};
  }

  Json OperatorJson(graph::NodeId id, const Operator& op) {
    Json iterators = Json::array();
    for (const int iterator : op.iterators) {
      iterators.push_back(graph_.iterators[static_cast<std::size_t>(iterator)]);
    }
    Json domain = Json::array();
    for (const graph::Interval& interval : op.domain.intervals) {
      domain.push_back(RangeJson(graph::Evaluate(interval, sizes_)));
    }
    const auto kernel = kernel_of_.find(id);
    return {{"id", id.index},
            {"kind", "operator"},
            {"stencil", op.stencil},
            {"result", Use(op.result)},
            {"background", UseOrNull(op.background)},
            {"text", StatementText(op)},
            {"lines", Lines(op.span)},
            {"iterators", std::move(iterators)},
            {"domain", std::move(domain)},
            {"domain_text", DomainText(op)},
            {"flops", graph::FlopsPerPoint(graph_, op)},
            {"reduction", op.reduction ? Json(graph::ToString(*op.reduction)) : Json()},
            {"reads", Reads(op)},
            {"kernel", kernel == kernel_of_.end() ? Json() : Json(kernel->second)}};
  }

  Json Reads(const Operator& op) {
    std::vector<graph::VersionId> order;
    std::map<graph::VersionId, std::pair<std::set<std::string>, bool>> modes;
    for (const graph::ExprId id : graph::Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      const auto [at, is_new] = modes.try_emplace(access.version);
      if (is_new) order.push_back(access.version);
      for (const graph::Boundary& boundary : access.boundary) {
        if (boundary.kind == graph::BoundaryKind::None) continue;
        at->second.first.insert(std::string(BoundaryText(boundary.kind)));
      }
      at->second.second |= !OffsetOf(op, access);
    }
    Json reads = Json::array();
    for (const graph::VersionId version : order) {
      reads.push_back({{"version", Use(version)},
                       {"offsets", OffsetsJson(graph_, op, version)},
                       {"elsewhere", modes[version].second},
                       {"boundary", modes[version].first}});
    }
    return reads;
  }

  /// `out.1[j][i] = 0.1*in.0[j - 1][i] + ...`, cut where it is long.
  std::string StatementText(const Operator& op) const {
    constexpr std::size_t kMost = 600;
    std::string text = versions_[op.result.index];
    for (const graph::Index& index : op.target) {
      text += "[" + graph::IndexText(graph_, parameters_, index) + "]";
    }
    text += " = ";
    const graph::ExprPrinter printer(graph_, op, parameters_, versions_);
    if (op.reduction) text += std::string(graph::ToString(op.reduction->op)) + " of ";
    text += printer.Print(op.value);
    if (text.size() > kMost) text = text.substr(0, kMost) + " ...";
    return text;
  }

  std::string DomainText(const Operator& op) const {
    std::string text;
    for (std::size_t n = 0; n < op.iterators.size(); ++n) {
      const graph::Range range = graph::Evaluate(op.domain.intervals[n], sizes_);
      if (!text.empty()) text += ", ";
      text += graph_.iterators[static_cast<std::size_t>(op.iterators[n])];
      text += range.size() == 0
                  ? " nowhere"
                  : " = " + std::to_string(range.lo) + " to " + std::to_string(range.hi);
    }
    return text;
  }

  Json Lines(Span span) const {
    if (span.end == 0) return nullptr;
    const std::uint32_t last = std::max(span.begin, span.end - 1);
    return Json::array(
        {explained_.source.Locate(span.begin).line, explained_.source.Locate(last).line});
  }

  Json Arrays() const {
    Json arrays = Json::array();
    for (const graph::Array& array : graph_.arrays) {
      Json extents = Json::array();
      Json sizes = Json::array();
      for (const graph::LinearForm& extent : array.extents) {
        extents.push_back(graph::ToString(extent, parameters_));
        sizes.push_back(graph::Evaluate(extent, sizes_));
      }
      arrays.push_back({{"name", array.name},
                        {"type", std::string(ElementName(array))},
                        {"element_bytes", ElementBytes(array)},
                        {"extents", std::move(extents)},
                        {"sizes", std::move(sizes)},
                        {"in", array.copy_in},
                        {"out", array.copy_out},
                        {"local", array.local}});
    }
    return arrays;
  }

  /// Those that some node or output has.
  Json Versions() const {
    Json versions = Json::array();
    for (const graph::VersionId id : used_) {
      const plan::BufferId buffer = plan_.buffer_of[id.index];
      versions.push_back({{"id", id.index},
                          {"name", versions_[id.index]},
                          {"array", graph_.versions[id].array.index},
                          {"memory", buffer.Valid() ? Json(plan_.buffers[buffer].name) : Json()}});
    }
    return versions;
  }

  const Explained& explained_;
  const plan::Plan& plan_;
  const Graph& graph_;
  const graph::ParameterValues& sizes_;
  const std::vector<std::string> parameters_;
  const std::vector<std::string> versions_;
  std::map<graph::NodeId, std::uint32_t> kernel_of_;
  std::set<graph::VersionId> used_;
};

}  // namespace

Json OffsetsJson(const graph::Graph& graph, const graph::Operator& op, graph::VersionId version) {
  std::set<std::string> seen;
  Json offsets = Json::array();
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (access.version != version) continue;
    const auto offset = OffsetOf(op, access);
    if (offset && seen.insert(offset->dump()).second) offsets.push_back(*offset);
  }
  return offsets;
}

Json GraphReport(const Explained& explained) {
  return GraphReporter(explained).Run();
}

}  // namespace stencilgen::driver
