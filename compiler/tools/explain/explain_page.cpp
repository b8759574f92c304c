#include "tools/explain/explain_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/explain.h"
#include "plan/cost.h"
#include "plan/print_fusion.h"
#include "tools/explain/metrics.h"
#include "tools/explain/roofline.h"

namespace stencilgen::driver {
namespace {

/// `1.25 GB`, `40 kB`
std::string Scaled(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, const char*>, 4> kScales = {
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [scale, prefix] : kScales) {
    if (value >= scale) return fmt::format("{:.3g} {}{}", value / scale, prefix, unit);
  }
  return fmt::format("{:.3g} {}", value, unit);
}

bool HasLoop(const graph::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
    return std::holds_alternative<graph::Loop>(node);
  });
}

class Page {
 public:
  Page(const graph::Graph& graph, const ChosenPlan& chosen, const PipelineOptions& options,
       const machine::Gpu& device)
      : graph_(graph),
        chosen_(chosen),
        options_(options),
        device_(device),
        cost_(plan::EstimateCost(chosen.plan, device, chosen.sizes, chosen.register_limit)) {}

  std::string Run() && {
    text_ = Explain(chosen_, &device_);
    if (!cost_.kernels.empty()) {
      PrintWork();
      PrintUnits();
      PrintChanges();
    }
    constexpr std::size_t kListed = 2;  // candidates of a step: this is a page
    const auto fusion = plan::FusionLines(chosen_.plan.graph, chosen_.fusion, kListed);
    if (!fusion.empty()) text_ += fmt::format("\n{}\n", fmt::join(fusion, "\n"));
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  /// Bytes of the arrays that the program gets and reads, and of those that it gives.
  double EndToEndBytes() const {
    std::set<graph::ArrayId> read;
    for (const graph::Expr& expr : graph_.exprs) {
      const auto* access = std::get_if<graph::Access>(&expr.node);
      if (access == nullptr || access->indices.empty()) continue;
      read.insert(graph_.versions[access->version].array);
    }
    double bytes = 0;
    for (const graph::ArrayId id : graph_.arrays.Ids()) {
      const graph::Array& array = graph_.arrays[id];
      if (array.local || array.rank() == 0) continue;
      double size = SizeInBytes(array.type);
      for (const graph::LinearForm& extent : array.extents) {
        size *= static_cast<double>(graph::Evaluate(extent, chosen_.sizes));
      }
      if (array.copy_in && read.count(id) > 0) bytes += size;
      if (array.copy_out) bytes += size;
    }
    return bytes;
  }

  void PrintWork() {
    const Work work = CountWork(graph_, chosen_.sizes);
    double moved = 0;
    double flops = 0;
    for (const plan::KernelCost& kernel : cost_.kernels) {
      const plan::Traffic& traffic = kernel.traffic;
      moved += kernel.launches * static_cast<double>(traffic.load_bytes + traffic.store_bytes);
      flops += kernel.launches * static_cast<double>(traffic.flops);
    }
    const double ends = EndToEndBytes();
    const Roofline roof = FindRoofline(graph_, chosen_.sizes, cost_, device_);
    const auto memory = [&](double bytes) {
      return fmt::format("{}, {} at {}", Scaled(bytes, "B"),
                         TimeText(bytes / device_.memory_achieved),
                         Scaled(device_.memory_achieved, "B/s"));
    };
    Line("\nwork");
    Line("  points computed   {}, {} flop a point", Scaled(work.points, "points"),
         fmt::format("{:.3g}", work.flops / std::max(work.points, 1.0)));
    Line("  bytes at least    {}: every input and every output once", memory(ends));
    Line("  of these kernels  {}: what each reads and writes, once a launch", memory(roof.bytes));
    Line("  as planned        {}, asked for by threads (halos twice, some from caches)",
         Scaled(moved, "B"));
    Line("  without fusion    {}: what each statement reads and writes, once", memory(work.bytes));
    Line("  arithmetic        {}, {} at {}; with what halos repeat {}", Scaled(work.flops, "flop"),
         TimeText(roof.arithmetic), Scaled(roof.peak, "flop/s"), Scaled(flops, "flop"));
    Line("  roofline          {} for these kernels, by {}; predicted {}, {:.0f}% of it",
         TimeText(roof.seconds()), roof.limit(), TimeText(cost_.seconds),
         100 * roof.seconds() / cost_.seconds);
  }

  void PrintUnits() {
    constexpr std::array<const char*, 6> kNames = {
        "memory", "second-level cache", "arithmetic", "instructions", "shared memory", "latency"};
    std::array<double, 6> seconds = {};
    for (const plan::KernelCost& kernel : cost_.kernels) {
      if (kernel.launches == 0) continue;
      for (std::size_t u = 0; u < seconds.size(); ++u) {
        seconds[u] += kernel.launches * kernel.alone[u];
      }
    }
    Line("\nwhat each would take alone");
    for (std::size_t u = 0; u < seconds.size(); ++u) {
      Line("  {:<18} {}", kNames[u], TimeText(seconds[u]));
    }
  }

  struct Change {
    std::string what;
    double seconds = 0;
  };
  void Add(std::vector<Change>& changes, const std::string& what,
           const std::function<void(PipelineOptions&)>& set) const {
    PipelineOptions changed = options_;
    changed.choose = true;
    changed.fusion_check = nullptr;
    set(changed);
    const ChosenPlan other = CompileToChosenPlan(graph_, changed);
    // Who asks for time tiles may get more turns: the plan is compared at the same sizes.
    const double now =
        plan::EstimateCost(chosen_.plan, device_, other.sizes, chosen_.register_limit).seconds;
    changes.push_back({what, other.chosen.seconds / now * cost_.seconds});
  }

  /// What the command line leaves open, each choice forced in turn.
  std::vector<Change> OtherOptions() const {
    std::vector<Change> changes;
    if (!options_.choose) return changes;
    if (!options_.given.fusion && chosen_.plan.kernels.size() > 0 && Operators() > 1) {
      const std::array<std::pair<const char*, plan::Fusion>, 3> choices = {
          {{"none", plan::Fusion::None},
           {"max", plan::Fusion::Max},
           {"greedy", plan::Fusion::Greedy}}};
      for (const auto& [name, fusion] : choices) {
        Add(changes, fmt::format("--fusion {}", name), [value = fusion](PipelineOptions& changed) {
          changed.given.fusion = true;
          changed.schedule.fusion = value;
        });
      }
    }
    if (!options_.given.time_tile && HasLoop(graph_)) {
      for (const int steps : {1, 2, 4, 8}) {
        Add(changes, fmt::format("--time-tile {}", steps), [steps](PipelineOptions& changed) {
          changed.given.time_tile = true;
          changed.time_tile = steps;
        });
      }
    }
    if (!options_.given.shared_memory) {
      for (const bool shared : {false, true}) {
        Add(changes, fmt::format("--shared-mem {}", shared), [shared](PipelineOptions& changed) {
          changed.given.shared_memory = true;
          changed.schedule.shared_memory = shared;
        });
      }
    }
    if (!options_.given.stream) {
      for (std::size_t it = 0; it + 1 < graph_.iterators.size(); ++it) {
        Add(changes, fmt::format("--stream {}", graph_.iterators[it]),
            [it](PipelineOptions& changed) {
              changed.given.stream = true;
              changed.schedule.stream = plan::Stream{static_cast<int>(it), 0};
            });
      }
    }
    return changes;
  }
  std::size_t Operators() const {
    std::size_t count = 0;
    for (const plan::Kernel& kernel : chosen_.plan.kernels) count += kernel.ops.size();
    return count;
  }

  /// The same plan on a device with one part twice as fast.
  std::vector<Change> FasterParts() const {
    std::vector<Change> changes;
    const auto add = [&](const char* what, const std::function<void(machine::Gpu&)>& set) {
      machine::Gpu faster = device_;
      set(faster);
      const double seconds =
          plan::EstimateCost(chosen_.plan, faster, chosen_.sizes, chosen_.register_limit).seconds;
      changes.push_back({what, seconds});
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

  void PrintChanges() {
    Line("\nwhat would change it");
    std::vector<Change> changes = OtherOptions();
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.seconds < b.seconds; });
    const std::vector<Change> faster = FasterParts();
    changes.insert(changes.end(), faster.begin(), faster.end());
    for (const Change& change : changes) {
      if (!std::isfinite(change.seconds)) {
        Line("  {:<28} cannot run: too many registers or too much shared memory", change.what);
        continue;
      }
      Line("  {:<28} {}, {:+.0f}%", change.what, TimeText(change.seconds),
           100 * (change.seconds / cost_.seconds - 1));
    }
  }

  const graph::Graph& graph_;
  const ChosenPlan& chosen_;
  const PipelineOptions& options_;
  const machine::Gpu& device_;
  const plan::PlanCost cost_;
  std::string text_;
};

}  // namespace

std::string ExplainPage(const graph::Graph& graph, const ChosenPlan& chosen,
                        const PipelineOptions& options, const machine::Gpu& device) {
  return Page(graph, chosen, options, device).Run();
}

}  // namespace stencilgen::driver
