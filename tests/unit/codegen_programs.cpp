#include "codegen_programs.h"

#include "support/graph_builder.h"

namespace stencilgen::testing {
namespace {

using graph::Boundary;
using graph::BoundaryKind;
using graph::Graph;
using graph::LinearForm;

LinearForm Constant(std::int64_t value) {
  return LinearForm::Constant(value);
}

Graph FivePoint() {
  GraphBuilder b({"j", "i"});
  const LinearForm m = b.Parameter("M");
  const LinearForm n = b.Parameter("N");
  const ArrayHandle in = b.Array("in", {m, n}).CopyIn();
  const ArrayHandle out = b.Array("out", {m, n}).CopyIn().CopyOut();
  b.Assign(out, {{1, m - 2}, {1, n - 2}},
           0.2 * (in(-1, 0) + in(0, -1) + in(0, 0) + in(0, 1) + in(1, 0)));
  return b.Finish();
}

/// Jacobi steps that rotate pointers, and a swap whose results end in each other's homes.
Graph Heat() {
  GraphBuilder b({"k", "j", "i"});
  const LinearForm n = b.Parameter("N");
  const LinearForm t = b.Parameter("T");
  const ArrayHandle u = b.Array("u", {n, n + 1, n + 2}, ScalarType::Float).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {n, n + 1, n + 2}, ScalarType::Float).CopyIn().CopyOut();
  const Ex alpha = b.Scalar("alpha", ScalarType::Float)();
  b.Repeat(t - 2, {u}, [&] {
    b.Assign(u, {{1, n - 2}, {1, n - 1}, {1, n}},
             u(0, 0, 0) + alpha * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) +
                                   u(0, 0, -1) + u(0, 0, 1) - 6.0 * u(0, 0, 0)));
  });
  b.Swap(u, v);
  return b.Finish();
}

/// Outputs that no statement writes: they get each other's contents.
Graph HandedOn() {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n}).CopyIn().CopyOut();
  const ArrayHandle v = b.Array("v", {n}).CopyIn().CopyOut();
  const ArrayHandle w = b.Array("w", {n}).CopyIn().CopyOut();
  b.Assign(w, {{1, n - 1}}, u(-1) + v(0));
  b.Swap(u, v);
  return b.Finish();
}

Graph Boundaries() {
  GraphBuilder b({"j", "i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle u = b.Array("u", {n, n + 2}).CopyIn();
  const ArrayHandle v = b.Array("v", {n, n + 2}).CopyOut();
  const auto read = [&](Boundary outer, Boundary inner, std::int64_t dj, std::int64_t di) {
    return b.Read(u, {At(0, dj), At(1, di)}, {outer, inner});
  };
  const Boundary clamp{BoundaryKind::Clamp, 0};
  const Boundary mirror{BoundaryKind::Mirror, 0};
  const Boundary wrap{BoundaryKind::Wrap, 0};
  const Boundary half{BoundaryKind::Constant, 0.5};
  const Boundary third{BoundaryKind::Constant, 0.25};
  b.Assign(v, {{0, n - 1}, {0, n + 1}},
           read(clamp, mirror, -2, 3) + 2.0 * read(wrap, clamp, 7, -1) +
               3.0 * read(mirror, wrap, -5, -9) + 4.0 * read(half, half, 1, 1) +
               5.0 * read(half, third, -1, -2) + 7.0 * read(half, wrap, 2, 1));
  return b.Finish();
}

Graph Integers() {
  GraphBuilder b({"i"});
  const LinearForm n = b.Parameter("N");
  const ArrayHandle x = b.Array("x", {n}, ScalarType::Int).CopyIn();
  const ArrayHandle y = b.Array("y", {n}, ScalarType::Int).CopyIn();
  const ArrayHandle r = b.Array("r", {n}, ScalarType::Int).CopyOut();
  const ArrayHandle flag = b.Array("flag", {n}, ScalarType::Bool).CopyOut();
  const auto number = [&](double value) { return b.Number(value, ScalarType::Int); };
  const Ex small = b.Let("small", b.Binary(BinaryOp::Mod, x(0), number(10)));
  const Ex divisor = b.Let("new", b.Binary(BinaryOp::Mod, y(0), number(4)));
  Ex sum = x(0) / divisor + b.Binary(BinaryOp::Mod, x(0), divisor) + x(0) / number(7);
  sum = sum + b.Binary(BinaryOp::Power, small, number(5)) + b.Iterator(0) + b.ParameterValue(n);
  sum = sum + b.Call(Function::Min, {small, divisor}) - b.Call(Function::Abs, {divisor});
  sum = sum + b.Binary(BinaryOp::BitAnd, x(0), b.Binary(BinaryOp::BitOr, y(0), number(5)));
  sum = sum - b.Unary(UnaryOp::Negate, b.Unary(UnaryOp::Negate, small));
  sum = sum + b.Convert(b.Convert(small, ScalarType::Float) / b.Number(3, ScalarType::Float),
                        ScalarType::Int);
  b.Assign(r, {{0, n - 1}}, sum);
  const Ex less = b.Binary(BinaryOp::Less, x(0), y(0));
  const Ex equal = b.Binary(BinaryOp::Equal, less, b.Unary(UnaryOp::Not, x(0)));
  const Ex either = b.Binary(BinaryOp::Or, b.Binary(BinaryOp::And, x(0), y(0)), equal);
  b.Assign(flag, {{0, n - 1}},
           b.Binary(BinaryOp::BitOr, either, b.Convert(r(0), ScalarType::Bool)));
  return b.Finish();
}

/// Scalars of both kinds, functions, conditionals, known sizes, constant memory, other ranks.
Graph Mixed() {
  GraphBuilder b({"j", "i"});
  const ArrayHandle w = b.Array("w", {2, 3}).CopyIn();
  b.graph().arrays[w.id()].constant = true;
  const ArrayHandle row = b.Array("row", {11}).CopyIn();
  const ArrayHandle column = b.Array("column", {9}).CopyIn();
  const ArrayHandle u = b.Array("u", {9, 11}).CopyIn();
  const ArrayHandle turned = b.Array("turned", {11, 9}).CopyOut();
  const ArrayHandle every = b.Array("every", {20, 30}).CopyIn().CopyOut();
  const ArrayHandle scale = b.Scalar("scale");
  b.AssignTo(scale, {}, {}, {},
             scale() * b.Number(3) + b.Read(w, {Fixed(Constant(1)), Fixed(Constant(2))}));
  const Ex uniform = b.Let("uniform", b.Read(w, {Fixed(Constant(0)), Fixed(Constant(1))}) *
                                          b.Call(Function::Sqrt, {b.Number(2)}));
  const Ex local = b.Let("local", uniform * u(0, 0) + b.Read(row, {At(1, -1)}));
  const Ex bent = b.Choose(b.Binary(BinaryOp::Less, local, b.Number(0)), b.Number(0) - local,
                           b.Call(Function::Hypot, {local, u(1, 1)}));
  b.AssignTo(turned, {0, 1}, {{0, 7}, {1, 9}}, {At(1), At(0)},
             bent * scale() + b.Read(column, {At(0)}) +
                 b.Binary(BinaryOp::Power, local, b.Number(3, ScalarType::Int)) +
                 b.Call(Function::Fma, {local, local, u(0, 0)}));
  b.AssignTo(every, {0, 1}, {{0, 8}, {0, 9}}, {At(0, 1, 2), At(1, 2, 3)},
             b.Read(u, {At(0), At(1)}) - b.Read(u, {Fixed(Constant(8)), At(1)}));
  b.AssignTo(every, {}, {}, {Fixed(Constant(0)), Fixed(Constant(4))}, b.Number(-3.5));
  return b.Finish();
}

}  // namespace

std::vector<CodegenProgram> CodegenPrograms() {
  return {{"five_point", FivePoint(), {{5, 7}, {3, 3}, {2, 9}, {1, 1}, {70, 131}}},
          {"heat", Heat(), {{6, 2}, {6, 3}, {7, 6}, {2, 4}}},
          {"handed_on", HandedOn(), {{6}, {1}, {30}}},
          {"boundaries", Boundaries(), {{1}, {2}, {13}}},
          {"integers", Integers(), {{1}, {100}}},
          {"mixed", Mixed(), {{}}}};
}

std::map<std::string, graph::Values> SomeValues(const Graph& graph,
                                                const graph::ParameterValues& parameters) {
  std::map<std::string, graph::Values> inputs;
  std::uint32_t state = 12345;
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    std::size_t count = 1;
    for (const LinearForm& extent : array.extents) {
      count *= static_cast<std::size_t>(graph::Evaluate(extent, parameters));
    }
    graph::Values values = graph::MakeValues(array.type, count);
    std::visit(
        [&](auto& elements) {
          using T = typename std::decay_t<decltype(elements)>::value_type;
          for (T& element : elements) {
            state = state * 1664525U + 1013904223U;
            const auto number = static_cast<std::int32_t>(state >> 8) % 1000;
            if constexpr (std::is_floating_point_v<T>) {
              element = static_cast<T>(number) / static_cast<T>(500) - static_cast<T>(1);
            } else {
              element = static_cast<T>(sizeof(T) == 1 ? number % 2 : number - 500);
            }
          }
        },
        values);
    inputs.emplace(array.name, std::move(values));
  }
  return inputs;
}

}  // namespace stencilgen::testing
