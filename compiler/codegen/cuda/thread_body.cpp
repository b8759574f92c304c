#include "codegen/cuda/thread_body.h"

#include <algorithm>
#include <utility>

#include "kernel/liveness.h"
#include "kernel/lower_body.h"

namespace stencilgen::codegen::cuda {

ThreadBody LowerThread(const ProgramModel& model, const graph::Operator& op, OperatorCode& code,
                       const std::vector<std::vector<std::int64_t>>& points) {
  const std::vector<kernel::Statement> statements = kernel::StatementsAt(1, points);
  const kernel::Body written = kernel::LowerBody(
      model.graph(), {&op}, statements,
      model.options().distribute ? kernel::Distribute::Always : kernel::Distribute::WhereFree);
  const kernel::Body body = passes::ReorderBody(written, model.options().reorder);
  ThreadBody lowered;
  lowered.live_as_written = kernel::MaxLive(written);
  lowered.live = kernel::MaxLive(body);
  lowered.points = statements.size();
  lowered.code = PrintBody(model.graph(), body, {{&op, &code}});
  return lowered;
}

bool HasShortCoordinates(const ProgramModel& model, plan::KernelId kernel) {
  if (!passes::Reorders(model.options().reorder.how) || model.FitsIntIndex() ||
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

}  // namespace stencilgen::codegen::cuda
