#include "driver/ranks_progress.h"

#include <algorithm>
#include <vector>

#include "kernel/parts.h"
#include "support/check.h"

namespace stencilgen::driver {

namespace {

using kernel::Block;
using kernel::ForStmt;
using kernel::Stmt;

/// Does something for each outermost loop of the block.
template <typename Action>
void ForEachLoop(Block& block, const Action& action) {
  for (Stmt& stmt : block.stmts) {
    if (auto* loop = std::get_if<ForStmt>(&stmt.what)) {
      action(*loop);
      continue;
    }
    for (Block* const inner : kernel::BlocksOf(stmt)) ForEachLoop(*inner, action);
  }
}

bool HasCall(const Block& block) {
  return std::any_of(block.stmts.begin(), block.stmts.end(), [](const Stmt& stmt) {
    const std::vector<const Block*> inner = kernel::BlocksOf(stmt);
    return std::holds_alternative<kernel::CallStmt>(stmt.what) ||
           std::any_of(inner.begin(), inner.end(),
                       [](const Block* each) { return HasCall(*each); });
  });
}

void AddTo(ForStmt& loop) {
  bool further_in = false;
  ForEachLoop(loop.body, [&](ForStmt& inner) {
    if (!HasCall(inner.body)) return;
    AddTo(inner);
    further_in = true;
  });
  if (further_in) return;
  loop.body.stmts.insert(loop.body.stmts.begin(), Stmt{kernel::ProgressStmt{}});
}

void AddToParallelLoops(Block& block) {
  ForEachLoop(block, [](ForStmt& loop) {
    if (loop.kind == kernel::LoopKind::Parallel) {
      AddTo(loop);
    } else {
      AddToParallelLoops(loop.body);
    }
  });
}

}  // namespace

void LetMessagesGoOn(kernel::Module& module) {
  STENCILGEN_CHECK(module.target == kernel::Target::Host);
  for (kernel::Function& function : module.functions) AddToParallelLoops(function.body);
}

}  // namespace stencilgen::driver
