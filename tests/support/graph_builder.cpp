#include "support/graph_builder.h"

#include <utility>

#include <fmt/format.h>

#include "support/check.h"

namespace stencilgen::testing {

using graph::Bound;
using graph::Index;
using graph::LinearForm;
using graph::NodeId;
using graph::VersionId;

Index At(int iterator, std::int64_t offset, std::int64_t coefficient) {
  return {iterator, coefficient, LinearForm::Constant(offset)};
}

Index Fixed(LinearForm position) {
  return {-1, 0, std::move(position)};
}

ArrayHandle ArrayHandle::CopyIn() const {
  builder_->graph_.arrays[id_].copy_in = true;
  return *this;
}

ArrayHandle ArrayHandle::CopyOut() const {
  builder_->graph_.arrays[id_].copy_out = true;
  return *this;
}

ArrayHandle ArrayHandle::Local() const {
  builder_->graph_.arrays[id_].local = true;
  builder_->present_[id_.index] = VersionId{};
  return *this;
}

Ex ArrayHandle::ReadAt(const std::vector<std::int64_t>& offsets) const {
  const graph::Graph& graph = builder_->graph_;
  STENCILGEN_CHECK(offsets.size() == graph.arrays[id_].rank());
  const auto first = static_cast<int>(graph.iterators.size() - offsets.size());
  std::vector<Index> indices;
  for (const std::int64_t offset : offsets) {
    indices.push_back(At(first + static_cast<int>(indices.size()), offset));
  }
  return builder_->Read(*this, std::move(indices));
}

GraphBuilder::GraphBuilder(std::vector<std::string> iterators) {
  graph_.name = "test";
  graph_.unroll_wishes.assign(iterators.size(), 1);
  graph_.iterators = std::move(iterators);
  graph_.root = region_ = graph_.regions.Add({});
}

LinearForm GraphBuilder::Parameter(const std::string& name) {
  return LinearForm::Parameter(graph_.parameters.Add({name, {}, {}, {}}));
}

ArrayHandle GraphBuilder::Array(const std::string& name, const std::vector<Size>& extents,
                                ScalarType type) {
  graph::Array array;
  array.name = name;
  array.type = type;
  array.copy_in = extents.empty();
  for (const Size& extent : extents) array.extents.push_back(extent.form);
  const graph::ArrayId id = graph_.arrays.Add(std::move(array));
  present_.push_back(graph_.versions.Add({id, graph::DefKind::Initial, {}}));
  return {this, id};
}

ArrayHandle GraphBuilder::Scalar(const std::string& name, ScalarType type) {
  return Array(name, std::vector<Size>{}, type);
}

Ex GraphBuilder::Node(graph::Expr expr) {
  return {this, graph_.exprs.Add(std::move(expr))};
}

Ex GraphBuilder::Number(double value, ScalarType type) {
  const graph::Literal literal = IsFloating(type)
                                     ? graph::Literal{value, 0}
                                     : graph::Literal{0, static_cast<std::int64_t>(value)};
  return Node({literal, type, {}});
}

Ex GraphBuilder::ParameterValue(const LinearForm& parameter) {
  return Node({graph::ParameterRef{parameter.terms.front().first}, ScalarType::Int, {}});
}

Ex GraphBuilder::Iterator(int iterator) {
  return Node({graph::IteratorRef{iterator}, ScalarType::Int, {}});
}

Ex GraphBuilder::Read(const ArrayHandle& array, std::vector<Index> indices,
                      std::vector<graph::Boundary> boundary) {
  const ScalarType type = graph_.arrays[array.id()].type;
  return Node({graph::Access{Present(array), std::move(indices), std::move(boundary)}, type, {}});
}

Ex GraphBuilder::Binary(BinaryOp op, Ex lhs, Ex rhs) {
  const bool test = IsComparison(op) || IsLogical(op);
  const ScalarType type = test ? ScalarType::Bool : graph_.exprs[lhs.id].type;
  return Node({graph::Binary{op, lhs.id, rhs.id}, type, {}});
}

Ex GraphBuilder::Unary(UnaryOp op, Ex operand) {
  const ScalarType type = op == UnaryOp::Not ? ScalarType::Bool : graph_.exprs[operand.id].type;
  return Node({graph::Unary{op, operand.id}, type, {}});
}

Ex GraphBuilder::Convert(Ex operand, ScalarType type) {
  return Node({graph::Convert{operand.id}, type, {}});
}

Ex GraphBuilder::Choose(Ex condition, Ex then_value, Ex else_value) {
  const ScalarType type = graph_.exprs[then_value.id].type;
  return Node({graph::Conditional{condition.id, then_value.id, else_value.id}, type, {}});
}

Ex GraphBuilder::Call(Function function, const std::vector<Ex>& arguments) {
  graph::Call call{function, {}};
  for (const Ex& argument : arguments) call.arguments.push_back(argument.id);
  return Node({std::move(call), graph_.exprs[arguments.front().id].type, {}});
}

Ex GraphBuilder::Let(const std::string& name, Ex value) {
  const ScalarType type = graph_.exprs[value.id].type;
  lets_.push_back({name, type, value.id, {}});
  return Node({graph::LetRef{static_cast<int>(lets_.size()) - 1}, type, {}});
}

NodeId GraphBuilder::Assign(const ArrayHandle& array, const std::vector<Bounds>& domain, Ex value) {
  const std::size_t rank = graph_.arrays[array.id()].rank();
  std::vector<int> iterators;
  std::vector<Index> target;
  for (std::size_t d = 0; d < rank; ++d) {
    iterators.push_back(static_cast<int>(graph_.iterators.size() - rank + d));
    target.push_back(At(iterators.back()));
  }
  return AssignTo(array, std::move(iterators), domain, std::move(target), value);
}

NodeId GraphBuilder::AssignTo(const ArrayHandle& array, std::vector<int> iterators,
                              const std::vector<Bounds>& domain, std::vector<Index> target,
                              Ex value) {
  graph::Operator op;
  op.stencil = fmt::format("s{}", operators_);
  op.call = op.group = operators_++;
  op.background = Present(array);
  op.iterators = std::move(iterators);
  for (const Bounds& bounds : domain) {
    graph::Interval interval;
    AddLower(interval, Bound{bounds.lo.form, 1});
    AddUpper(interval, Bound{bounds.hi.form, 1});
    op.domain.intervals.push_back(std::move(interval));
  }
  op.target = std::move(target);
  op.lets = std::exchange(lets_, {});
  op.value = value.id;
  const VersionId result = graph_.versions.Add({array.id(), graph::DefKind::Operator, {}});
  op.result = present_[array.id().index] = result;
  const NodeId node = graph_.nodes.Add(std::move(op));
  graph_.versions[result].node = node;
  graph_.regions[region_].nodes.push_back(node);
  return node;
}

NodeId GraphBuilder::Repeat(const LinearForm& count, const std::vector<ArrayHandle>& carried,
                            const std::function<void()>& body) {
  graph::Loop loop;
  loop.turns.count = count;
  loop.body = graph_.regions.Add({});
  const NodeId node = graph_.nodes.Add(graph::Loop{});
  for (const ArrayHandle& array : carried) {
    const VersionId entry = graph_.versions.Add({array.id(), graph::DefKind::LoopEntry, node});
    loop.carried.push_back({array.id(), Present(array), entry, {}, {}});
    present_[array.id().index] = entry;
  }
  const graph::RegionId outer = std::exchange(region_, loop.body);
  body();
  region_ = outer;
  for (graph::Carried& one : loop.carried) {
    one.next = present_[one.array.index];
    one.result = graph_.versions.Add({one.array, graph::DefKind::LoopResult, node});
    present_[one.array.index] = one.result;
  }
  graph_.nodes[node] = std::move(loop);
  graph_.regions[region_].nodes.push_back(node);
  return node;
}

void GraphBuilder::Swap(const ArrayHandle& a, const ArrayHandle& b) {
  std::swap(present_[a.id().index], present_[b.id().index]);
}

graph::Graph GraphBuilder::Finish() {
  for (const graph::ArrayId id : graph_.arrays.Ids()) {
    if (graph_.arrays[id].copy_out) graph_.outputs.push_back({id, present_[id.index]});
  }
  return graph_;
}

const graph::Operator& GraphBuilder::OperatorOf(NodeId node) const {
  return std::get<graph::Operator>(graph_.nodes[node]);
}

Ex operator+(Ex a, Ex b) {
  return a.builder->Binary(BinaryOp::Add, a, b);
}
Ex operator-(Ex a, Ex b) {
  return a.builder->Binary(BinaryOp::Sub, a, b);
}
Ex operator*(Ex a, Ex b) {
  return a.builder->Binary(BinaryOp::Mul, a, b);
}
Ex operator/(Ex a, Ex b) {
  return a.builder->Binary(BinaryOp::Div, a, b);
}

namespace {
Ex NumberLike(double value, Ex other) {
  return other.builder->Number(value, other.builder->graph().exprs[other.id].type);
}
}  // namespace

Ex operator*(double a, Ex b) {
  return NumberLike(a, b) * b;
}
Ex operator+(Ex a, double b) {
  return a + NumberLike(b, a);
}

}  // namespace stencilgen::testing
