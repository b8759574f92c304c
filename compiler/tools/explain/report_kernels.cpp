#include <cmath>

#include "driver/explain.h"
#include "graph/nodes.h"
#include "graph/reduction.h"
#include "plan/matrix_tiles.h"
#include "plan/operator_facts.h"
#include "support/match.h"
#include "tools/explain/report_parts.h"
#include "tools/explain/totals.h"

namespace stencilgen::driver {
namespace {

std::string_view LimitName(plan::OccupancyLimit limit) {
  switch (limit) {
    case plan::OccupancyLimit::Blocks:
      return "blocks of a multiprocessor";
    case plan::OccupancyLimit::Warps:
      return "warps";
    case plan::OccupancyLimit::Registers:
      return "registers";
    case plan::OccupancyLimit::SharedMemory:
      break;
  }
  return "shared memory";
}

Json TrafficJson(const plan::Traffic& traffic) {
  return {{"blocks", traffic.blocks},
          {"threads", traffic.threads},
          {"steps", traffic.steps},
          {"chunks", traffic.chunks},
          {"loads", traffic.loads},
          {"stores", traffic.stores},
          {"load_bytes", traffic.load_bytes},
          {"store_bytes", traffic.store_bytes},
          {"shared_loads", traffic.shared_loads},
          {"shared_stores", traffic.shared_stores},
          {"shuffles", traffic.shuffles},
          {"barriers", traffic.barriers},
          {"divisions", traffic.divisions},
          {"cache_bytes", traffic.cache_bytes}};
}

/// One launch as a point of the roofline. Times and rates are null where it cannot run.
Json PointJson(double points, double flops, double bytes, double least_bytes, double seconds) {
  return {{"points", points},
          {"flops", flops},
          {"bytes", bytes},
          {"least_bytes", least_bytes},
          {"intensity", bytes > 0 ? Json(flops / bytes) : Json()},
          {"flops_per_second", seconds > 0 ? Json(flops / seconds) : Json()},
          {"bytes_per_second", seconds > 0 ? Json(bytes / seconds) : Json()}};
}

/// What the model of the GPU says of a launch.
void AddCost(const plan::KernelCost& cost, const machine::Gpu& device, Json& report) {
  const plan::Traffic& traffic = cost.traffic;
  report["seconds"] = cost.seconds;
  report["limit"] = std::string(plan::ToString(cost.limit));
  Json units = Json::array();
  for (std::size_t u = 0; u < kUnits.size(); ++u) {
    units.push_back({{"name", std::string(kUnits[u])}, {"seconds", cost.alone[u]}});
  }
  report["units"] = std::move(units);
  report["roofline"] =
      PointJson(static_cast<double>(traffic.points), static_cast<double>(traffic.flops),
                traffic.memory_bytes, traffic.compulsory_bytes, cost.seconds);
  report["traffic"] = TrafficJson(traffic);
  report["occupancy"] = {{"blocks", cost.occupancy.blocks},
                         {"warps", cost.occupancy.warps},
                         {"most_warps", device.warps_per_sm()},
                         {"limit", std::string(LimitName(cost.occupancy.limit))},
                         {"registers", cost.registers}};
}

/// The same for a loop nest.
void AddChoice(const plan::Plan& plan, const plan::Kernel& kernel, const choose::NestReport& choice,
               Json& report) {
  double flops = 0;
  for (const graph::NodeId node : kernel.ops) {
    flops +=
        static_cast<double>(graph::FlopsPerPoint(plan.graph, graph::OperatorOf(plan.graph, node)));
  }
  report["seconds"] = choice.seconds;
  report["limit"] = choice.by_memory ? "what is moved" : "arithmetic and loads";
  const double bytes = choice.bytes * choice.points;
  report["roofline"] =
      PointJson(choice.points, flops * choice.points, bytes, bytes, choice.seconds);
}

Json ScheduleJson(const plan::Schedule& schedule) {
  return {{"block", schedule.block},
          {"unroll", schedule.unroll},
          {"shared_memory", schedule.shared_memory},
          {"shuffle", schedule.shuffle}};
}

class LaunchCounter {
 public:
  /// `by_turn`: a kernel that runs all turns of a loop counts for each of them.
  LaunchCounter(const plan::Plan& plan, const graph::ParameterValues& sizes, bool by_turn)
      : plan_(plan), sizes_(sizes), by_turn_(by_turn), counts_(plan.kernels.size(), 0) {}

  void Visit(const std::vector<plan::Step>& steps, double times) {
    for (const plan::Step& step : steps) {
      if (const auto* launch = std::get_if<plan::Launch>(&step)) {
        counts_[launch->kernel.index] += times;
      } else if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
        if (repeat->band && repeat->band->hexagon && !by_turn_) continue;  // none of them is
        const bool whole = !by_turn_ && plan::RunsInKernel(plan_, *repeat);
        const auto turns = static_cast<double>(graph::Evaluate(repeat->turns, sizes_));
        Visit(repeat->body, whole ? times : times * turns);
      }
    }
  }
  std::vector<double> Take() && { return std::move(counts_); }

 private:
  const plan::Plan& plan_;
  const graph::ParameterValues& sizes_;
  bool by_turn_;
  std::vector<double> counts_;
};

Json KernelReport(const Explained& explained, plan::KernelId id) {
  const plan::Plan& plan = explained.chosen.plan;
  const plan::Kernel& kernel = plan.kernels[id];
  const graph::Operator* reduction = plan::FindReduction(plan.graph, kernel.ops);
  const auto& sizes = explained.chosen.sizes;
  Json report;
  if (kernel.matrix) {
    report["mapping"] = "matrix";
    report["matrix"] = MatrixReport(plan, kernel, sizes);
  } else if (kernel.nest) {
    report["mapping"] = reduction != nullptr ? "reduction" : "nest";
    report["nest"] = NestReport(explained, id);
  } else if (reduction != nullptr) {
    report["mapping"] = "reduction";
    report["lanes"] = reduction->reduction->lanes;
  } else if (kernel.tile) {
    report["mapping"] = "tile";
    report["tile"] = TileReport(plan, *kernel.tile, sizes);
  } else {
    report["mapping"] = kernel.schedule.stream ? "stream" : "points";
    report["threads"] = PointsReport(plan, kernel, sizes);
  }
  return report;
}

}  // namespace

std::vector<double> CountLaunches(const plan::Plan& plan, const graph::ParameterValues& sizes) {
  LaunchCounter counter(plan, sizes, false);
  counter.Visit(plan.steps, 1);
  return std::move(counter).Take();
}

std::vector<double> CountTurns(const plan::Plan& plan, const graph::ParameterValues& sizes) {
  LaunchCounter counter(plan, sizes, true);
  counter.Visit(plan.steps, 1);
  return std::move(counter).Take();
}

Json KernelsReport(const Explained& explained, const plan::PlanCost& cost) {
  const plan::Plan& plan = explained.chosen.plan;
  const std::vector<double> launches = CountLaunches(plan, explained.chosen.sizes);
  Json kernels = Json::array();
  for (const plan::KernelId id : plan.kernels.Ids()) {
    const plan::Kernel& kernel = plan.kernels[id];
    Json operators = Json::array();
    for (const graph::NodeId node : kernel.ops) operators.push_back(node.index);
    Json stored = Json::array();
    for (const graph::VersionId version : plan::StoredVersions(plan, kernel)) {
      stored.push_back(version.index);
    }
    Json report = {{"name", kernel.name},
                   {"computes", OperatorsText(plan, kernel)},
                   {"operators", std::move(operators)},
                   {"stores", std::move(stored)},
                   {"launches", launches[id.index]},
                   {"seconds", nullptr},
                   {"limit", nullptr}};
    if (!kernel.nest && !kernel.matrix) report["schedule"] = ScheduleJson(kernel.schedule);
    report.update(KernelReport(explained, id));
    const bool runs = launches[id.index] > 0;
    if (runs && !cost.kernels.empty()) {
      AddCost(cost.kernels[id.index], explained.gpu, report);
    } else if (runs && kernel.nest && !kernel.matrix &&
               explained.chosen.nests[id.index].points > 0) {
      AddChoice(plan, kernel, explained.chosen.nests[id.index], report);
    }
    kernels.push_back(std::move(report));
  }
  return kernels;
}

}  // namespace stencilgen::driver
