#include "driver/split_plans.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/schedule_notes.h"
#include "graph/nodes.h"
#include "support/count_text.h"

namespace stencilgen::driver {
namespace {

/// The kernel of each operator that has one.
std::map<graph::NodeId, const plan::Kernel*> KernelsOf(const plan::Plan& plan) {
  std::map<graph::NodeId, const plan::Kernel*> kernel_of;
  for (const plan::Kernel& kernel : plan.kernels) {
    for (const graph::NodeId node : kernel.ops) kernel_of[node] = &kernel;
  }
  return kernel_of;
}

}  // namespace

passes::CrossingRule CrossingRuleFor(const machine::Gpu& device, const graph::Graph& graph,
                                     passes::Crossing crossing) {
  const bool doubles =
      std::any_of(graph.arrays.begin(), graph.arrays.end(),
                  [](const graph::Array& array) { return array.type == ScalarType::Double; });
  const double peak = doubles ? device.fp64_peak : device.fp32_peak;
  return {crossing, peak / device.memory_achieved};
}

std::vector<std::vector<graph::NodeId>> PartsOf(const passes::FissionReport& report) {
  std::vector<std::vector<graph::NodeId>> parts;
  for (const passes::Stretch& stretch : report.stretches) {
    parts.insert(parts.end(), stretch.parts.begin(), stretch.parts.end());
  }
  return parts;
}

int MostParts(const graph::Graph& graph) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kPieces = 4;  ///< of a statement
  std::size_t longest = 1;
  for (const graph::Region& region : graph.regions) {
    longest = std::max(longest, region.nodes.size());
  }
  return static_cast<int>(std::min(kMost, longest * kPieces));
}

int CountBroken(const plan::Plan& plan, const passes::FissionReport& report) {
  const std::map<graph::NodeId, const plan::Kernel*> kernel_of = KernelsOf(plan);
  int broken = 0;
  for (const passes::Stretch& stretch : report.stretches) {
    for (const std::vector<graph::NodeId>& part : stretch.parts) {
      for (std::size_t k = 1; k < part.size(); ++k) {
        if (kernel_of.at(part[k]) != kernel_of.at(part[k - 1])) ++broken;
      }
    }
  }
  return broken;
}

bool AreAlike(const passes::FissionReport& a, const passes::FissionReport& b) {
  return std::equal(a.crossings.begin(), a.crossings.end(), b.crossings.begin(), b.crossings.end(),
                    [](const passes::CrossingValue& x, const passes::CrossingValue& y) {
                      return x.name == y.name && x.stored == y.stored;
                    });
}

std::vector<std::string> FindSplitNotes(const ChosenPlan& chosen, const SplitOptions& options) {
  constexpr std::size_t kMostNotes = 3;
  std::vector<std::string> notes;
  if (options.parts > 0) notes = chosen.fission.refusals;
  const plan::Plan& plan = chosen.plan;
  const std::map<graph::NodeId, const plan::Kernel*> kernel_of = KernelsOf(plan);
  for (const passes::Stretch& stretch : chosen.fission.stretches) {
    for (const std::vector<graph::NodeId>& part : stretch.parts) {
      for (std::size_t k = 1; k < part.size(); ++k) {
        const plan::Kernel& first = *kernel_of.at(part[k - 1]);
        const plan::Kernel& second = *kernel_of.at(part[k]);
        if (&first == &second) continue;
        const std::string reason = RefusalBetween(plan, first, second);
        notes.push_back(fmt::format("{} and {} are two kernels of one part{}{}", first.name,
                                    second.name, reason.empty() ? "" : ": ", reason));
        break;
      }
    }
  }
  if (notes.size() > kMostNotes) notes.resize(kMostNotes);
  const std::string value = options.parts > 0 ? std::to_string(options.parts) : "auto";
  for (std::string& note : notes) note = fmt::format("--split {}: {}", value, note);
  return notes;
}

namespace {

/// `a, b and 3 more`
std::string NamesText(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

}  // namespace

std::string ExplainSplit(const ChosenPlan& chosen) {
  std::string text;
  for (const passes::Stretch& stretch : chosen.fission.stretches) {
    std::vector<std::int64_t> flops;
    for (const std::vector<graph::NodeId>& part : stretch.parts) {
      flops.push_back(0);
      for (const graph::NodeId node : part) {
        const auto& op = graph::OperatorOf(chosen.plan.graph, node);
        flops.back() += graph::FlopsPerPoint(chosen.plan.graph, op);
      }
    }
    const auto& first = graph::OperatorOf(chosen.plan.graph, stretch.parts.front().front());
    text += fmt::format("  {} is split into {}, of {} flops a point\n", first.stencil,
                        CountText(flops.size(), "part"), fmt::join(flops, ", "));
  }
  for (const bool stored : {false, true}) {
    std::vector<std::string> names;
    for (const passes::CrossingValue& crossing : chosen.fission.crossings) {
      if (crossing.stored == stored) names.push_back(crossing.name);
    }
    if (names.empty()) continue;
    text += fmt::format("    {}: {}\n",
                        stored ? "stored by the part that computes it" : "computed in each part",
                        NamesText(names));
  }
  return text;
}

}  // namespace stencilgen::driver
