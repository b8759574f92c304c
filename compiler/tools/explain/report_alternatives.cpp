#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/schedule_notes.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "plan/operator_facts.h"
#include "tools/explain/changes.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {
namespace {

Json ChangesJson(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    list.push_back({{"what", change.what}, {"seconds", change.seconds}, {"limit", change.limit}});
  }
  return list;
}

/// What was priced, the best first; the chosen one is marked.
Json SchedulesJson(const ChosenPlan& chosen) {
  constexpr std::size_t kMost = 60;
  Json list = Json::array();
  const std::string taken = ToString(chosen.chosen, chosen.plan.graph);
  std::vector<std::string> seen;
  for (const Candidate& candidate : chosen.ranked) {
    std::string text = ToString(candidate, chosen.plan.graph);
    if (list.size() == kMost) break;
    if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
    list.push_back({{"schedule", text}, {"seconds", candidate.seconds}, {"taken", text == taken}});
    seen.push_back(std::move(text));
  }
  return list;
}

/// Pairs of clusters that greedy fusion left apart.
class FusionReporter {
 public:
  FusionReporter(const plan::Plan& plan, const plan::FusionResult& fusion)
      : fusion_(fusion), plan_(plan), names_(graph::VersionNames(plan.graph)) {}

  Json Run() const {
    Json list = Json::array();
    for (const plan::RegionFusion& region : fusion_.regions) {
      for (const plan::FusionStep& step : region.steps) {
        for (const plan::RefusedCandidate& refused : step.refused) {
          list.push_back(RefusedJson(region, refused));
        }
      }
      for (const plan::RefusedCandidate& undone : region.undone) {
        list.push_back(RefusedJson(region, undone));
      }
    }
    return list;
  }

 private:
  std::string Names(const plan::RegionFusion& region, const std::vector<int>& places) const {
    std::vector<std::string> names;
    for (const int place : places) {
      const graph::NodeId node = region.operators[static_cast<std::size_t>(place)];
      const auto* op = std::get_if<graph::Operator>(&plan_.graph.nodes[node]);
      names.push_back(op == nullptr ? "a loop" : names_[op->result.index]);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }
  Json RefusedJson(const plan::RegionFusion& region, const plan::RefusedCandidate& refused) const {
    return {{"first", Names(region, refused.candidate.left)},
            {"second", Names(region, refused.candidate.right)},
            {"constraint", std::string(plan::ToString(refused.refusal.constraint))},
            {"reason", refused.refusal.reason}};
  }

  const plan::FusionResult& fusion_;
  const plan::Plan& plan_;
  const std::vector<std::string> names_;
};

/// Kernels that follow each other, and why they are not one.
class NeighbourReporter {
 public:
  explicit NeighbourReporter(const Explained& explained)
      : plan_(explained.chosen.plan), options_(explained.options) {}

  Json Run() {
    Visit(plan_.steps);
    return std::move(list_);
  }

 private:
  void Visit(const std::vector<plan::Step>& steps) {
    constexpr std::size_t kMost = 40;
    const plan::Kernel* previous = nullptr;
    for (const plan::Step& step : steps) {
      if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
        Visit(repeat->body);
        previous = nullptr;
      }
      const auto* launch = std::get_if<plan::Launch>(&step);
      if (launch == nullptr) continue;
      const plan::Kernel& kernel = plan_.kernels[launch->kernel];
      if (previous != nullptr && list_.size() < kMost) {
        list_.push_back({{"first", previous->name},
                         {"second", kernel.name},
                         {"reason", Reason(*previous, kernel)}});
      }
      previous = &kernel;
    }
  }

  bool Reduces(const plan::Kernel& kernel) const {
    return plan::FindReduction(plan_.graph, kernel.ops) != nullptr;
  }

  std::string Reason(const plan::Kernel& first, const plan::Kernel& second) const {
    if (Reduces(first) || Reduces(second)) {
      return "a reduction needs all points of what it reads";
    }
    if (options_.target == Target::Cpp) {
      return "they read each other's results at other points, have other points, or gain nothing "
             "by one loop nest";
    }
    const plan::Schedule& schedule = first.schedule;
    if (options_.given.fusion && schedule.fusion == plan::Fusion::None) {
      return "--fusion none keeps statements apart";
    }
    if (!schedule.shared_memory && !schedule.shuffle && options_.given.shared_memory) {
      return "without shared memory there are no tiles";
    }
    std::string reason;
    if (schedule.shared_memory || schedule.shuffle) reason = RefusalBetween(plan_, first, second);
    return reason.empty() ? "one kernel is predicted to take longer" : reason;
  }

  const plan::Plan& plan_;
  const PipelineOptions& options_;
  Json list_ = Json::array();
};

}  // namespace

Json AlternativesReport(const Explained& explained, const plan::PlanCost& cost) {
  const ChosenPlan& chosen = explained.chosen;
  Json report = {{"tried", chosen.tried},
                 {"schedules", SchedulesJson(chosen)},
                 {"fusion", FusionReporter(chosen.plan, chosen.fusion).Run()},
                 {"kernels_apart", NeighbourReporter(explained).Run()}};
  const bool predicted = !cost.kernels.empty();
  report["options"] = ChangesJson(
      predicted ? FindOtherOptions(explained.graph, chosen, cost, explained.options, explained.gpu)
                : std::vector<Change>{});
  report["faster_parts"] =
      ChangesJson(predicted ? FindFasterParts(chosen, explained.gpu) : std::vector<Change>{});
  return report;
}

}  // namespace stencilgen::driver
