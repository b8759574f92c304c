#include "tools/explain/changes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "support/parallel.h"

namespace stencilgen::driver {
namespace {

/// What limits the kernel that takes most of the time; empty where nothing is launched.
std::string MainLimit(const plan::PlanCost& cost) {
  const auto total = [](const plan::KernelCost& kernel) {
    return kernel.launches * kernel.seconds;
  };
  const auto longest = std::max_element(
      cost.kernels.begin(), cost.kernels.end(),
      [&](const plan::KernelCost& a, const plan::KernelCost& b) { return total(a) < total(b); });
  if (longest == cost.kernels.end() || longest->launches == 0) return "";
  return std::string(plan::ToString(longest->limit));
}

std::size_t CountStatements(const plan::Plan& plan) {
  std::size_t count = 0;
  for (const plan::Kernel& kernel : plan.kernels) count += kernel.ops.size();
  return count;
}

/// Forces one choice after the other.
class OptionChanger {
 public:
  OptionChanger(const graph::Graph& graph, const ChosenPlan& chosen, const plan::PlanCost& cost,
                const PipelineOptions& options, const machine::Gpu& device)
      : graph_(graph), chosen_(chosen), cost_(cost), options_(options), device_(device) {}

  std::vector<Change> Run() && {
    if (!options_.choose) return {};
    ChangeFusion();
    ChangeSharing();
    ChangeTimeTile();
    ChangeSharedMemory();
    ChangeStream();
    changes_.resize(wishes_.size());
    // Who counts spills runs compilers, one at a time.
    const std::size_t jobs = options_.count_spills || options_.choose_orders ? 1 : Cores();
    ForEachInParallel(wishes_.size(), jobs,
                      [&](std::size_t k) { changes_[k] = PriceOf(wishes_[k]); });
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.seconds < b.seconds; });
    return std::move(changes_);
  }

 private:
  struct Wish {
    std::string what;
    std::function<void(PipelineOptions&)> set;
  };

  void Add(std::string what, std::function<void(PipelineOptions&)> set) {
    wishes_.push_back({std::move(what), std::move(set)});
  }
  Change PriceOf(const Wish& wish) const {
    PipelineOptions changed = options_;
    changed.choose = true;
    changed.sharing = chosen_.shared.empty() ? passes::Sharing::Never : passes::Sharing::Always;
    changed.fusion_check = nullptr;
    wish.set(changed);
    const ChosenPlan other = CompileToChosenPlan(graph_, changed);
    // Who asks for time tiles may get more turns: the plan is compared at the same sizes.
    const double now =
        plan::EstimateCost(chosen_.plan, device_, other.sizes, chosen_.register_limit).seconds;
    const plan::PlanCost cost =
        plan::EstimateCost(other.plan, device_, other.sizes, other.register_limit);
    return {wish.what, other.chosen.seconds / now * cost_.seconds, MainLimit(cost)};
  }

  void ChangeFusion() {
    if (options_.given.fusion || CountStatements(chosen_.plan) < 2) return;
    const std::array<std::pair<const char*, plan::Fusion>, 3> choices = {
        {{"none", plan::Fusion::None},
         {"max", plan::Fusion::Max},
         {"greedy", plan::Fusion::Greedy}}};
    for (const auto& [name, fusion] : choices) {
      Add(fmt::format("--fusion {}", name), [value = fusion](PipelineOptions& changed) {
        changed.given.fusion = true;
        changed.schedule.fusion = value;
      });
    }
  }
  void ChangeSharing() {
    if (chosen_.shared.empty()) return;
    Add("--share-values never",
        [](PipelineOptions& changed) { changed.sharing = passes::Sharing::Never; });
  }
  void ChangeTimeTile() {
    if (options_.given.time_tile || !graph::HasLoop(graph_)) return;
    for (const int steps : {1, 2, 4, 8}) {
      Add(fmt::format("--time-tile {}", steps), [steps](PipelineOptions& changed) {
        changed.given.time_tile = true;
        changed.time_tile = steps;
      });
    }
  }
  void ChangeSharedMemory() {
    if (options_.given.shared_memory) return;
    for (const bool shared : {false, true}) {
      Add(fmt::format("--shared-mem {}", shared), [shared](PipelineOptions& changed) {
        changed.given.shared_memory = true;
        changed.schedule.shared_memory = shared;
      });
    }
  }
  void ChangeStream() {
    if (options_.given.stream) return;
    for (std::size_t it = 0; it + 1 < graph_.iterators.size(); ++it) {
      Add(fmt::format("--stream {}", graph_.iterators[it]), [it](PipelineOptions& changed) {
        changed.given.stream = true;
        changed.schedule.stream = plan::Stream{static_cast<int>(it), 0};
      });
    }
  }

  const graph::Graph& graph_;
  const ChosenPlan& chosen_;
  const plan::PlanCost& cost_;
  const PipelineOptions& options_;
  const machine::Gpu& device_;
  std::vector<Wish> wishes_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> FindOtherOptions(const graph::Graph& graph, const ChosenPlan& chosen,
                                     const plan::PlanCost& cost, const PipelineOptions& options,
                                     const machine::Gpu& device) {
  return OptionChanger(graph, chosen, cost, options, device).Run();
}

std::vector<Change> FindFasterParts(const ChosenPlan& chosen, const machine::Gpu& device) {
  std::vector<Change> changes;
  const auto add = [&](const char* what, const std::function<void(machine::Gpu&)>& set) {
    machine::Gpu faster = device;
    set(faster);
    const plan::PlanCost cost =
        plan::EstimateCost(chosen.plan, faster, chosen.sizes, chosen.register_limit);
    changes.push_back({what, cost.seconds, MainLimit(cost)});
  };
  add("twice the memory bandwidth", [](machine::Gpu& d) { d.memory_achieved *= 2; });
  add("twice the arithmetic rate", [](machine::Gpu& d) {
    d.fp32_peak *= 2;
    d.fp64_peak *= 2;
  });
  add("twice the clock", [](machine::Gpu& d) {
    d.clock *= 2;
    d.fp32_peak *= 2;
    d.fp64_peak *= 2;
  });
  return changes;
}

}  // namespace stencilgen::driver
