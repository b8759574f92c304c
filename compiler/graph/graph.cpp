#include "graph/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/extrapolated.h"
#include "graph/walk.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

std::int64_t Flops(const Graph& graph, const Expr& expr) {
  if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    if (!IsFloating(graph.exprs[binary->lhs].type)) return 0;
    if (binary->op != BinaryOp::Power) return IsLogical(binary->op) ? 0 : 1;
    const Expr& exponent = graph.exprs[binary->rhs];
    if (exponent.type != ScalarType::Int) return 1;
    const auto* literal = std::get_if<Literal>(&exponent.node);
    return literal == nullptr ? 1 : std::max<std::int64_t>(literal->integer - 1, 0);
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    if (!IsFloating(expr.type)) return 0;
    const bool rounds =
        call->function == Function::RoundHalf || call->function == Function::RoundBFloat16;
    return rounds ? 0 : call->function == Function::Fma ? 2 : 1;
  }
  return 0;
}

}  // namespace

Graph::Graph() = default;
Graph::Graph(const Graph&) = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(const Graph&) = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

std::vector<ExprId> Operands(const Expr& expr) {
  std::vector<ExprId> operands;
  VisitOperands(expr, [&](ExprId operand) { operands.push_back(operand); });
  return operands;
}

std::vector<std::string> ParameterNames(const Graph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.parameters.size());
  for (const Parameter& parameter : graph.parameters) names.push_back(parameter.name);
  return names;
}

std::vector<ParameterId> SizesOf(const Graph& graph) {
  std::vector<ParameterId> sizes = graph.parameters.Ids();
  std::erase_if(sizes, [&](ParameterId id) { return graph.parameters[id].turn; });
  return sizes;
}

std::string VersionName(const Graph& graph, VersionId version) {
  const ArrayId array = graph.versions[version].array;
  const auto first = graph.versions.begin();
  const auto earlier = std::count_if(first, first + version.index,
                                     [&](const Version& other) { return other.array == array; });
  return fmt::format("{}.{}", graph.arrays[array].name, earlier);
}

void CollectAccesses(const Graph& graph, ExprId expr, std::vector<ExprId>& out) {
  Walk(graph, expr, [&](ExprId id) {
    if (std::holds_alternative<Access>(graph.exprs[id].node)) out.push_back(id);
  });
}

std::vector<ExprId> Accesses(const Graph& graph, const Operator& op) {
  std::vector<ExprId> accesses;
  for (const Let& let : op.lets) CollectAccesses(graph, let.value, accesses);
  CollectAccesses(graph, op.value, accesses);
  return accesses;
}

std::vector<bool> UsedLets(const Graph& graph, const Operator& op) {
  std::vector<bool> used(op.lets.size(), false);
  const auto mark = [&](ExprId root) {
    Walk(graph, root, [&](ExprId id) {
      const auto* ref = std::get_if<LetRef>(&graph.exprs[id].node);
      if (ref != nullptr) used[static_cast<std::size_t>(ref->let)] = true;
    });
  };
  mark(op.value);
  for (std::size_t k = op.lets.size(); k-- > 0;) {
    if (used[k]) mark(op.lets[k].value);
  }
  return used;
}

bool IsUniform(const Graph& graph, ExprId root, const std::vector<bool>& uniform_lets) {
  bool uniform = true;
  Walk(graph, root, [&](ExprId id) {
    const Expr& expr = graph.exprs[id];
    if (std::holds_alternative<IteratorRef>(expr.node)) uniform = false;
    if (const auto* let = std::get_if<LetRef>(&expr.node)) {
      uniform = uniform && uniform_lets[static_cast<std::size_t>(let->let)];
    }
    if (const auto* access = std::get_if<Access>(&expr.node)) {
      uniform = uniform && std::all_of(access->indices.begin(), access->indices.end(),
                                       [](const Index& index) { return index.iterator < 0; });
    }
  });
  return uniform;
}

std::int64_t FlopsPerPoint(const Graph& graph, const Operator& op) {
  std::int64_t flops = 0;
  const auto count = [&](ExprId id) {
    flops += Flops(graph, graph.exprs[id]);
    // Away from ends an element is read as it is.
    const bool line = Extrapolated(graph, id) != nullptr;
    if (line && IsFloating(graph.exprs[id].type)) flops -= 2;
  };
  std::vector<bool> uniform;
  for (const Let& let : op.lets) {
    uniform.push_back(IsUniform(graph, let.value, uniform));
    if (!uniform.back()) Walk(graph, let.value, count);
  }
  Walk(graph, op.value, count);
  const bool folds = op.reduction && IsFloating(graph.exprs[op.value].type);
  return flops + (folds ? 1 : 0);
}

}  // namespace stencilgen::graph
