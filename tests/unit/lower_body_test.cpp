#include "kernel/lower_body.h"

#include "driver/pipeline.h"
#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/verify.h"
#include "support/catch.h"
#include "support/graph_of_text.h"

namespace stencilgen {
namespace {

using testing::GraphOf;

using kernel::Distribute;

/// The statements of a stencil over u, v, w and the scalar s, at the offsets along i.
kernel::Body Lower(const std::string& statements, const std::vector<std::int64_t>& offsets = {0},
                   Distribute distribute = Distribute::WhereFree) {
  const graph::Graph graph = GraphOf(
      "parameter N=8; iterator i; double u[N], v[N], w[N]; double s; copyin u, v, w, s;"
      "stencil f (u, v, w, s) { " +
      statements + " } f (u, v, w, s); copyout v, w;");
  std::vector<const graph::Operator*> ops;
  for (graph::NodeId node : graph.regions[graph.root].nodes) {
    ops.push_back(&std::get<graph::Operator>(graph.nodes[node]));
  }
  kernel::Body body =
      LowerBody(graph, ops, kernel::StatementsAt(ops.size(), {offsets}), distribute);
  CHECK(kernel::Verify(body).empty());
  return body;
}

TEST_CASE("a sum is lowered to contributions, products into multiply-adds") {
  CHECK(kernel::Print(Lower("v[i] = 0.1*u[i-1] - s*u[i]*w[i] + u[i+1];")) ==
        "t0 = u.0[i - 1] * 0.1\n"
        "t1 = u.0[i] * w.0[i]\n"
        "t0 -= t1 * s.0\n"
        "t0 += u.0[i + 1]\n"
        "store t0\n");
}

TEST_CASE("a uniform factor is distributed over a sum where that is free") {
  const std::string statement = "v[i] = w[i] + 0.2*(u[i-1] + u[i] - 3.0*u[i+1]);";
  CHECK(kernel::Print(Lower(statement)) ==
        "t0 = w.0[i]\n"
        "t0 += u.0[i - 1] * 0.2\n"
        "t0 += u.0[i] * 0.2\n"
        "t0 -= u.0[i + 1] * 0.6000000000000001\n"
        "store t0\n");
  CHECK(kernel::Print(Lower(statement, {0}, Distribute::Never)) ==
        "t0 = w.0[i]\n"
        "t1 = u.0[i - 1]\n"
        "t1 += u.0[i]\n"
        "t1 -= u.0[i + 1] * 3\n"
        "t0 += t1 * 0.2\n"
        "store t0\n");
  // Operation by operation, for the bits that these give.
  CHECK(kernel::Print(Lower(statement, {0}, Distribute::AsWritten)) ==
        "t0 = u.0[i - 1] + u.0[i]\n"
        "t1 = 3 * u.0[i + 1]\n"
        "t2 = t0 - t1\n"
        "t3 = 0.2 * t2\n"
        "t4 = w.0[i] + t3\n"
        "store t4\n");
  // Here it would take a product a term.
  CHECK(kernel::Print(Lower("v[i] = 0.2*(u[i-1]*w[i] + u[i]*w[i+1]);")) ==
        "t0 = u.0[i - 1] * w.0[i]\n"
        "t0 += u.0[i] * w.0[i + 1]\n"
        "t1 = t0 * 0.2\n"
        "store t1\n");
}

TEST_CASE("any factor is distributed on request") {
  CHECK(kernel::Print(Lower("v[i] = w[i]*(u[i-1] - u[i+1]);", {0}, Distribute::Always)) ==
        "t0 = w.0[i] * u.0[i - 1]\n"
        "t0 -= w.0[i] * u.0[i + 1]\n"
        "store t0\n");
}

TEST_CASE("equal values are computed once, across points and statements") {
  CHECK(kernel::Print(Lower("v[i] = sqrt(u[i-1]) * sqrt(u[i]);", {0, 1})) ==
        "t0 = sqrt(u.0[i - 1])\n"
        "t1 = sqrt(u.0[i])\n"
        "t2 = t0 * t1\n"
        "store t2\n"
        "t3 = sqrt(u.0[i + 1])\n"
        "t4 = t1 * t3\n"
        "store t4\n");
  // The second statement reads the first one's result, at a point of the body.
  CHECK(kernel::Print(Lower("v[i] = u[i]*u[i]; w[i] = 2.0*v[i];")) ==
        "t0 = u.0[i] * u.0[i]\n"
        "store t0\n"
        "t1 = t0 * 2\n"
        "store t1\n");
  CHECK(kernel::Print(Lower("v[i] = u[i]; w[i] = v[i];")) ==
        "t0 = u.0[i]\n"
        "store t0\n"
        "t1 = u.0[i]\n"
        "store t1\n");
}

TEST_CASE("uniform values, conditions and lets") {
  CHECK(kernel::Print(Lower("double t = 2.0*s; double d = u[i] - u[i-1];"
                            "v[i] = d > 0.0 ? t*s*d : -d;")) ==
        "t0 = u.0[i] - u.0[i - 1]\n"
        "t1 = t0 > 0\n"
        "t2 = t0 * {0: t*s.0}\n"
        "t3 = -t0\n"
        "t4 = t1 ? t2 : t3\n"
        "store t4\n");
}

TEST_CASE("an unrolled box has the registers of its natural order") {
  const kernel::Body body = Lower("v[i] = 0.1*u[i-1] + 0.2*u[i] + 0.3*u[i+1];", {0, 1, 2, 3});
  CHECK(body.instructions.size() == 12);
  CHECK(body.results.size() == 4);
  CHECK(kernel::MaxLive(body) == 3);
}

}  // namespace
}  // namespace stencilgen
