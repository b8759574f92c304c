#include "driver/ranks_progress.h"

#include <vector>

#include "support/check.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

using kernel::Block;
using kernel::ForStmt;
using kernel::Stmt;

/// Blocks that the statement has, but for loops'.
std::vector<Block*> BlocksOf(Stmt& stmt) {
  if (auto* choice = std::get_if<kernel::IfStmt>(&stmt.what)) {
    return {&choice->then_block, &choice->else_block};
  }
  if (auto* scope = std::get_if<kernel::ScopeStmt>(&stmt.what)) return {&scope->body};
  if (auto* loop = std::get_if<kernel::WhileStmt>(&stmt.what)) return {&loop->body};
  return {};
}

/// Does something for each outermost loop of the block.
template <typename Action>
void ForEachLoop(Block& block, const Action& action) {
  for (Stmt& stmt : block.stmts) {
    if (auto* loop = std::get_if<ForStmt>(&stmt.what)) action(*loop);
    for (Block* const inner : BlocksOf(stmt)) ForEachLoop(*inner, action);
  }
}

bool HasCall(Block& block) {
  for (Stmt& stmt : block.stmts) {
    if (std::holds_alternative<kernel::CallStmt>(stmt.what)) return true;
    auto* loop = std::get_if<ForStmt>(&stmt.what);
    if (loop != nullptr && HasCall(loop->body)) return true;
    for (Block* const inner : BlocksOf(stmt)) {
      if (HasCall(*inner)) return true;
    }
  }
  return false;
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
