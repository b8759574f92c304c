#include "tools/explain/explain_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/explain.h"
#include "plan/cost.h"
#include "plan/print_fusion.h"
#include "tools/explain/changes.h"
#include "tools/explain/metrics.h"
#include "tools/explain/roofline.h"
#include "tools/explain/totals.h"

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

  void PrintWork() {
    const Work work = CountWork(graph_, chosen_.sizes);
    const Totals totals = FindTotals(cost_);
    const double ends = EndToEndBytes(graph_, chosen_.sizes);
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
         Scaled(totals.moved, "B"));
    Line("  without fusion    {}: what each statement reads and writes, once", memory(work.bytes));
    Line("  arithmetic        {}, {} at {}; with what halos repeat {}", Scaled(work.flops, "flop"),
         TimeText(roof.arithmetic), Scaled(roof.peak, "flop/s"), Scaled(totals.flops, "flop"));
    Line("  roofline          {} for these kernels, by {}; predicted {}, {:.0f}% of it",
         TimeText(roof.seconds()), roof.limit(), TimeText(cost_.seconds),
         100 * roof.seconds() / cost_.seconds);
  }

  void PrintUnits() {
    const Totals totals = FindTotals(cost_);
    Line("\nwhat each would take alone");
    for (std::size_t u = 0; u < kUnits.size(); ++u) {
      Line("  {:<18} {}", kUnits[u], TimeText(totals.seconds[u]));
    }
  }

  void PrintChanges() {
    Line("\nwhat would change it");
    std::vector<Change> changes = FindOtherOptions(graph_, chosen_, cost_, options_, device_);
    const std::vector<Change> faster = FindFasterParts(chosen_, device_);
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
