#include "plan/print_fusion.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/print.h"
#include "support/count_text.h"

namespace stencilgen::plan {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Operator;
using graph::VersionId;

const Operator& OperatorAt(const Graph& graph, NodeId node) {
  return std::get<Operator>(graph.nodes[node]);
}

std::string Names(const Graph& graph, const std::vector<VersionId>& versions) {
  std::vector<std::string> names;
  names.reserve(versions.size());
  for (const VersionId version : versions) names.push_back(graph::VersionName(graph, version));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What the kernel's operators read that none of them defines, in the order of the reads.
std::vector<VersionId> ReadsOf(const Graph& graph, const Kernel& kernel) {
  std::set<VersionId> known;
  for (const NodeId node : kernel.ops) known.insert(OperatorAt(graph, node).result);
  std::vector<VersionId> reads;
  for (const NodeId node : kernel.ops) {
    for (const graph::ExprId id : graph::Accesses(graph, OperatorAt(graph, node))) {
      const VersionId version = std::get<graph::Access>(graph.exprs[id].node).version;
      if (known.insert(version).second) reads.push_back(version);
    }
  }
  return reads;
}

class LogPrinter {
 public:
  LogPrinter(const Graph& graph, const RegionFusion& region, std::size_t most)
      : graph_(graph), region_(region), most_(most) {}

  std::vector<std::string> Run() && {
    for (std::size_t n = 0; n < region_.steps.size(); ++n) PrintStep(n + 1, region_.steps[n]);
    for (const RefusedCandidate& undone : region_.undone) {
      Line(1, fmt::format("taken apart: {}: {}", Pair(undone.candidate), Reason(undone.refusal)));
    }
    return std::move(lines_);
  }

 private:
  void Line(int depth, const std::string& text) {
    lines_.push_back(fmt::format("{:{}}{}", "", 2 * depth, text));
  }
  std::string Cluster(const std::vector<int>& ops) const {
    std::vector<VersionId> results;
    results.reserve(ops.size());
    for (const int op : ops) {
      const NodeId node = region_.operators[static_cast<std::size_t>(op)];
      results.push_back(OperatorAt(graph_, node).result);
    }
    return fmt::format("{{{}}}", Names(graph_, results));
  }
  std::string Pair(const FusionCandidate& candidate) const {
    return fmt::format("{} + {}", Cluster(candidate.left), Cluster(candidate.right));
  }
  static std::string Tuple(const FusionTuple& tuple) {
    return fmt::format("D_m {}, T_reg {}, T_shm {}, S_reg {}, S_shm {}", tuple.data_movement,
                       tuple.registers, tuple.shared, tuple.saved_registers, tuple.saved_shared);
  }
  static std::string Reason(const FusionRefusal& refusal) {
    return fmt::format("{}: {}", ToString(refusal.constraint), refusal.reason);
  }

  void PrintStep(std::size_t number, const FusionStep& step) {
    if (step.taken) {
      Line(1, fmt::format("step {}: fused {} ({}); T_max {:.3g} us, apart {:.3g} us", number,
                          Pair(*step.taken), Tuple(step.taken->tuple), step.seconds_fused * 1e6,
                          step.seconds_apart * 1e6));
    } else {
      Line(1, fmt::format("step {}: nothing more to fuse", number));
    }
    std::size_t refusals = 0;
    for (const RefusedCandidate& refused : step.refused) {
      if (refusals++ == most_) break;
      Line(2, fmt::format("refused {} ({}): {}", Pair(refused.candidate),
                          Tuple(refused.candidate.tuple), Reason(refused.refusal)));
    }
    std::size_t shown = 0;
    std::size_t more = step.more;
    for (const FusionCandidate& candidate : step.candidates) {
      if (IsDecided(step, candidate)) continue;
      if (shown++ < most_) {
        Line(2, fmt::format("then {} ({})", Pair(candidate), Tuple(candidate.tuple)));
      } else {
        ++more;
      }
    }
    if (step.refused.size() > most_) {
      Line(2, fmt::format("refused {} more", step.refused.size() - most_));
    }
    if (more > 0) Line(2, fmt::format("and {} more candidates", more));
  }
  static bool IsDecided(const FusionStep& step, const FusionCandidate& candidate) {
    const auto same = [&](const FusionCandidate& other) {
      return other.left == candidate.left && other.right == candidate.right;
    };
    return (step.taken && same(*step.taken)) ||
           std::any_of(step.refused.begin(), step.refused.end(),
                       [&](const RefusedCandidate& r) { return same(r.candidate); });
  }

  const Graph& graph_;
  const RegionFusion& region_;
  const std::size_t most_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string PrintFused(const Plan& plan, const FusionResult& fusion) {
  const Graph& graph = plan.graph;
  std::string text = fmt::format("fused {}\n", graph.name);
  for (const Kernel& kernel : plan.kernels) {
    text += fmt::format("kernel {}: {}\n", kernel.name, CountText(kernel.ops.size(), "operator"));
    const std::vector<VersionId> stored = StoredVersions(plan, kernel);
    std::vector<VersionId> kept;
    for (const NodeId node : kernel.ops) {
      const Operator& op = OperatorAt(graph, node);
      text += fmt::format("  {} = {}\n", graph::VersionName(graph, op.result), op.stencil);
      if (std::find(stored.begin(), stored.end(), op.result) == stored.end()) {
        kept.push_back(op.result);
      }
    }
    if (const auto reads = ReadsOf(graph, kernel); !reads.empty()) {
      text += fmt::format("  reads {}\n", Names(graph, reads));
    }
    if (!kept.empty()) text += fmt::format("  keeps {}\n", Names(graph, kept));
    text += fmt::format("  stores {}\n", Names(graph, stored));
  }
  for (const std::string& line : FusionLines(graph, fusion)) text += fmt::format("{}\n", line);
  return text;
}

std::string PrintDot(const Plan& plan) {
  std::vector<graph::DotCluster> clusters;
  for (const Kernel& kernel : plan.kernels) {
    if (kernel.ops.size() > 1) clusters.push_back({kernel.name, kernel.ops});
  }
  return graph::PrintDot(plan.graph, clusters);
}

std::vector<std::string> FusionLines(const Graph& graph, const FusionResult& fusion,
                                     std::size_t most) {
  std::vector<std::string> lines;
  for (const RegionFusion& region : fusion.regions) {
    if (region.steps.empty()) continue;
    lines.push_back(fmt::format("fusion of {} statements into {}, region {}",
                                region.operators.size(), region.clusters.size(),
                                region.region.index));
    const std::vector<std::string> steps = LogPrinter(graph, region, most).Run();
    lines.insert(lines.end(), steps.begin(), steps.end());
  }
  return lines;
}

}  // namespace stencilgen::plan
