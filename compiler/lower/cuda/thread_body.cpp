#include "lower/cuda/thread_body.h"

#include <algorithm>
#include <utility>

#include "kernel/liveness.h"
#include "kernel/lower_body.h"

namespace stencilgen::lower::cuda {

std::vector<std::vector<std::int64_t>> PointsOfThread(const ProgramModel& model,
                                                      plan::KernelId kernel) {
  const plan::Schedule& schedule = model.plan().kernels[kernel].schedule;
  const std::size_t count = model.OperatorOf(kernel).iterators.size();
  std::vector<std::vector<std::int64_t>> points(count);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t place = count - 1 - n;  // x is 0
    const int parts = schedule.stream ? 1 : schedule.unroll[place];
    for (int part = 0; part < parts; ++part) {
      points[n].push_back(std::int64_t{part} * (place == 0 ? schedule.block[place] : 1));
    }
  }
  return points;
}

OrderedBody OrderPoints(const ProgramModel& model, plan::KernelId kernel,
                        const std::vector<std::vector<std::int64_t>>& points) {
  const Options& options = model.options();
  OrderedBody body;
  body.written = kernel::LowerBody(
      model.graph(), {&model.OperatorOf(kernel)}, kernel::StatementsAt(1, points),
      options.distribute ? kernel::Distribute::Always : kernel::Distribute::WhereFree);
  body.ordered = passes::ReorderBody(body.written, OrderOf(options, kernel));
  return body;
}

ThreadBody LowerThread(const ProgramModel& model, plan::KernelId kernel, OperatorCode& code,
                       const std::vector<std::vector<std::int64_t>>& points) {
  const OrderedBody body = OrderPoints(model, kernel, points);
  ThreadBody lowered;
  lowered.live_as_written = kernel::MaxLive(body.written);
  lowered.live = kernel::MaxLive(body.ordered);
  lowered.points = body.ordered.statements.size();
  lowered.code = LowerBodyCode(model.graph(), body.ordered, {{&model.OperatorOf(kernel), &code}});
  return lowered;
}

bool HasShortCoordinates(const ProgramModel& model, plan::KernelId kernel) {
  if (!passes::Reorders(OrderOf(model.options(), kernel).how) || model.FitsIntIndex() ||
      model.plan().kernels[kernel].schedule.stream) {
    return false;
  }
  const std::vector<graph::ExprId> accesses =
      graph::Accesses(model.graph(), model.OperatorOf(kernel));
  return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<graph::Access>(model.graph().exprs[id].node);
    return std::all_of(access.indices.begin(), access.indices.end(), [](const graph::Index& each) {
      return each.iterator < 0 || each.coefficient == 1;
    });
  });
}

}  // namespace stencilgen::lower::cuda
