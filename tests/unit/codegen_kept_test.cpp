// What the code of an object keeps from run to run.
#include "codegen/codegen.h"
#include "lower/lasting_copies.h"
#include "lower/lower.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"
#include "support/emit.h"
#include "support/graph_builder.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using testing::ArrayHandle;
using testing::GraphBuilder;

/// One array, and what each step of a loop does.
struct Program {
  GraphBuilder b{{"i"}};
  LinearForm n = b.Parameter("N");
  ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();

  template <typename Body>
  plan::Plan Repeat(Body body) {
    b.Repeat(n, {u}, body);
    return plan::PlanKernels(b.Finish(), {});
  }
  void Inside() { b.Assign(u, {{1, n - 2}}, u(-1) + u(1)); }
};

std::string Emit(const plan::Plan& plan, bool resident, bool cuda = false) {
  driver::CodegenOptions options;
  options.function = "smooth";
  options.standalone = false;
  options.resident = resident;
  return cuda ? testing::EmitCuda(plan, options) : testing::EmitCpp(plan, options);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a border that no step changes is copied once", "[codegen]") {
  Program program;
  const plan::Plan plan = program.Repeat([&] { program.Inside(); });
  REQUIRE(LastingCopies(plan).size() == 1);
  CHECK(plan.buffers[LastingCopies(plan)[0].src].name == "u");
  const std::string text = Emit(plan, true);
  CHECK(Contains(text, "    if (!has_border.u_alt) {\n      CopyOutside("));
  CHECK(Contains(text, "      has_border.u_alt = true;"));
  CHECK(Contains(text,
                 "program.has_border.u_alt = program.has_border.u_alt && "
                 "arrays->memory.IsAsLeft(0);"));
  CHECK(Contains(text, "arrays->program.has_border.u_alt = program.has_border.u_alt;"));
  // Nothing is kept where there is no object, or on a GPU.
  CHECK(!Contains(Emit(plan, false), "has_border"));
  CHECK(!Contains(Emit(plan, true, true), "has_border"));
}

TEST_CASE("a border that some step changes is copied in each run", "[codegen]") {
  SECTION("in the same step") {
    Program program;
    const plan::Plan plan = program.Repeat([&] {
      program.b.Assign(program.u, {{0, 0}}, 0.5 * program.u(0));
      program.Inside();
    });
    CHECK(LastingCopies(plan).empty());
    CHECK(!Contains(Emit(plan, true), "has_border"));
  }
  SECTION("before the loop") {
    Program program;
    program.b.Assign(program.u, {{0, 0}}, 0.5 * program.u(0));
    CHECK(LastingCopies(program.Repeat([&] { program.Inside(); })).empty());
  }
  SECTION("after the loop") {
    Program program;
    program.b.Repeat(program.n, {program.u}, [&] { program.Inside(); });
    program.b.Assign(program.u, {{0, 0}}, 0.5 * program.u(0));
    CHECK(LastingCopies(plan::PlanKernels(program.b.Finish(), {})).empty());
  }
  SECTION("on fewer points") {
    Program program;
    CHECK(LastingCopies(program.Repeat([&] {
            program.Inside();
            program.b.Assign(program.u, {{2, program.n - 3}}, program.u(-1) + program.u(1));
          })).empty());
  }
}

TEST_CASE("borders of arrays that nobody outside knows are copied in each run", "[codegen]") {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle in = b.Array("in", {n}).CopyIn();
  const ArrayHandle u = b.Array("u", {n});
  const ArrayHandle out = b.Array("out", {n}).CopyOut();
  b.Assign(u, {{0, n - 1}}, 2.0 * in(0));
  b.Repeat(n, {u}, [&] { b.Assign(u, {{1, n - 2}}, u(-1) + u(1)); });
  b.Assign(out, {{0, n - 1}}, u(0) + u(0));
  CHECK(LastingCopies(plan::PlanKernels(b.Finish(), {})).empty());
}

TEST_CASE("results that may end elsewhere take over its memory, or come home by copies",
          "[codegen]") {
  Program program;
  const std::string text = Emit(program.Repeat([&] { program.Inside(); }), true);
  CHECK(Contains(text,
                 "const int homes[] = {0, 1};\n  arrays->memory.TakeOver(moves, 1, homes, 2);"));
  CHECK(Contains(text, "if (!MoveHome(moves, 1, copy, allocate)) return error.status();"));
}

TEST_CASE("an output that is not written everywhere can be given contents", "[codegen]") {
  const auto header = [](std::int64_t border) {
    GraphBuilder b({"i"});
    const LinearForm n = b.Parameter("N");
    const ArrayHandle u = b.Array("u", {n}).CopyIn();
    const ArrayHandle v = b.Array("v", {n}).CopyOut();
    b.Assign(v, {{border, n - 1 - border}}, 2.0 * u(0));
    driver::CodegenOptions options;
    options.function = "twice";
    options.resident = true;
    const plan::Plan plan = plan::PlanKernels(b.Finish(), {});
    return codegen::EmitHeader(lower::Lower(plan, options, kernel::Target::Host), options);
  };
  CHECK(Contains(header(1), "void upload_v("));
  CHECK_FALSE(Contains(header(0), "void upload_v("));
}

}  // namespace
}  // namespace stencilgen::lower
