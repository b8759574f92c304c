#include "passes/latencies.h"

#include "support/match.h"

namespace stencilgen::passes {

int LatencyOf(const Latencies& latencies, const kernel::Operation& operation) {
  return Match(
      operation, [&](kernel::Copy) { return latencies.move; },
      [&](UnaryOp) { return latencies.move; },
      [&](BinaryOp op) {
        switch (op) {
          case BinaryOp::Add:
          case BinaryOp::Sub:
          case BinaryOp::Mul:
            return latencies.arithmetic;
          case BinaryOp::Div:
          case BinaryOp::Mod:
            return latencies.division;
          case BinaryOp::Power:
            return latencies.function;
          default:
            return latencies.move;
        }
      },
      [&](Function function) {
        switch (function) {
          case Function::Min:
          case Function::Max:
          case Function::Abs:
          case Function::Fabs:
          case Function::Fma:
            return latencies.arithmetic;
          case Function::RoundHalf:
          case Function::RoundBFloat16:
            return latencies.conversion;
          case Function::Sqrt:
          case Function::Cbrt:
            return latencies.root;
          default:
            return latencies.function;
        }
      },
      [&](kernel::Select) { return latencies.move; },
      [&](kernel::Convert) { return latencies.conversion; });
}

}  // namespace stencilgen::passes
