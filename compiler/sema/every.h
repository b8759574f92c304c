#pragma once

#include <vector>

#include "sema/context.h"

namespace stencilgen::sema {

/// `every 10 : film (movie, u);` in loops: which parts they have, and how often those run.
class EveryParts {
 public:
  explicit EveryParts(Context& context) : context_(context) {}

  /// A loop's body begins, and ends: with its parts, none or more. Their loop is to be set.
  void Enter(const ast::Iterate& iterate, graph::ParameterId turn, const graph::LinearForm& count);
  graph::PeriodicParts Leave();

  /// A part begins: the last of Context::every is its own. False where it cannot stand there
  /// (reported).
  bool Begin(const ast::Every& every);
  /// It ends, as this node.
  void End(graph::NodeId part);

 private:
  struct OpenLoop {
    const ast::Iterate* iterate = nullptr;
    graph::LinearForm count;
    graph::ParameterId turn;
    graph::PeriodicParts parts;
    Span first;            ///< of the number of the first part
    bool in_part = false;  ///< which is not in a loop further in
  };

  std::optional<std::int64_t> NumberOf(const ast::Every& every);
  void Name(OpenLoop& loop);

  Context& context_;
  std::vector<OpenLoop> loops_;
};

}  // namespace stencilgen::sema
