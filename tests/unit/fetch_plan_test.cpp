// When bodies of the C++ target load what they do not compute, and what is counted of assembly.
#include "lower/cpp/fetch_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cpu/inner_loop.h"
#include "kernel/liveness.h"
#include "kernel/uses.h"
#include "support/catch.h"
#include "support/parse_body.h"
#include "support/prng.h"
#include "support/random_body.h"

namespace stencilgen {
namespace {

using kernel::Body;
using kernel::ValueId;
using lower::cpp::FetchPlan;
using lower::cpp::IsUniform;
using lower::cpp::PlanFetches;

/// Elements that are needed again after instruction k without being fetched for that.
int HeldAfter(const Body& body, const FetchPlan& plan, const kernel::Uses& uses, std::size_t k) {
  int held = 0;
  for (ValueId id : body.values.Ids()) {
    const auto& all = uses.uses[id.index];
    const auto next = std::upper_bound(all.begin(), all.end(), k);
    const bool resident =
        std::find(plan.resident.begin(), plan.resident.end(), id) != plan.resident.end();
    if (kernel::IsTemporary(body.values[id]) || resident) continue;
    if (next == all.begin() || next == all.end()) continue;
    const auto& fetches = plan.fetches[*next];
    if (std::find(fetches.begin(), fetches.end(), id) == fetches.end()) ++held;
  }
  return held;
}

int ComputedAfter(const Body& body, std::size_t k) {
  Body computed = body;
  // Literals take no registers for kernel::Pressures.
  for (kernel::Value& value : computed.values) {
    if (!kernel::IsTemporary(value)) value.what = graph::Literal{};
  }
  return kernel::Pressures(computed)[k].after;
}

TEST_CASE("each operand is there when an instruction needs it, in the registers there are",
          "[fetch_plan]") {
  testing::Prng random(7);
  for (int n = 0; n < 60; ++n) {
    const Body body = RandomBody(random, 40);
    const kernel::Uses uses = kernel::FindUses(body);
    for (int registers : {4, 6, 9, 16}) {
      const FetchPlan plan = PlanFetches(body, registers);
      REQUIRE(plan.fetches.size() == body.instructions.size());
      int loads = 0;
      std::set<ValueId> known(plan.resident.begin(), plan.resident.end());
      for (std::size_t k = 0; k < body.instructions.size(); ++k) {
        loads += static_cast<int>(plan.fetches[k].size());
        known.insert(plan.fetches[k].begin(), plan.fetches[k].end());
        for (ValueId operand : body.instructions[k].operands) {
          CHECK((kernel::IsTemporary(body.values[operand]) || known.count(operand) == 1));
        }
        if (plan.overflow > 0) continue;
        CHECK(HeldAfter(body, plan, uses, k) + ComputedAfter(body, k) +
                  static_cast<int>(plan.resident.size()) <=
              registers);
      }
      CHECK(loads == plan.loads);
      for (ValueId id : plan.resident) CHECK(IsUniform(body.values[id]));
    }
  }
}

TEST_CASE("what is needed last is loaded again", "[fetch_plan]") {
  // At the third instruction a, b, c, e and the sum are one too many: b is needed last.
  const Body body = ParseBody(
      "s = a * b\n"
      "t = a * c\n"
      "t += a * e\n"
      "u = c * c\n"
      "u += b * e\n"
      "store s\nstore t\nstore u\n");
  CHECK(PlanFetches(body, 16).loads == 4);
  const FetchPlan plan = PlanFetches(body, 4);
  CHECK(plan.overflow == 0);
  CHECK(plan.loads == 5);
  REQUIRE(plan.fetches[4].size() == 1);
  CHECK(body.values[plan.fetches[4][0]].name == "b");
}

TEST_CASE("literals that fit stay in registers", "[fetch_plan]") {
  const Body body = ParseBody("s = 0.5 * a\ns += 0.25 * b\ns += 0.125 * c\nstore s\n");
  CHECK(PlanFetches(body, 16).loads == 3);
  CHECK(PlanFetches(body, 16).resident.size() == 3);
  CHECK(PlanFetches(body, 4).loads == 5);
}

TEST_CASE("the inner loop's accesses are counted", "[inner_loop]") {
  const std::string text =
      "other:\n\tvmovupd (%rax), %ymm1\n\t.cfi_endproc\n"
      "f:\n"
      ".L2:\n"
      "\tmovq 8(%rsp), %rax\n"
      ".L3:\n"
      "\tvmovupd -8(%rax), %zmm1\n"
      "\tvfmadd231pd (%rbx){1to8}, %zmm1, %zmm2  # (comment)\n"
      "\tvmovapd %zmm1, %zmm3\n"
      "\tvmovapd %zmm3, 64(%rsp)\n"
      "\taddq (%rdx), %rcx\n"
      "\tjne .L3\n"
      "\tjl .L2\n"
      ".L4:\n"
      "\tvmovsd (%rax), %xmm1\n"
      "\tjne .L4\n"
      "\t.cfi_endproc\n";
  const tables::LoopCount count = tables::CountInnerLoop(text, "f");
  CHECK(count.accesses == 3);
  CHECK(count.on_stack == 1);
  CHECK(count.instructions == 4);
  CHECK(count.vectors);
  CHECK(tables::CountInnerLoop(text, "other").accesses == 0);
}

}  // namespace
}  // namespace stencilgen
