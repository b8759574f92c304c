#include "graph/builder.h"

#include <algorithm>

#include "graph/element_format.h"
#include "graph/verify.h"

namespace stencilgen::graph {

namespace {

constexpr DiagnosticKind<std::string> kBuiltWrong{"invalid-graph", Severity::Error,
                                                  "the program was built wrongly: {}"};

BuiltExpr NumberLike(double value, BuiltExpr other) {
  const bool known = other.builder->graph().exprs.Contains(other.id);
  const ScalarType type = known ? other.builder->graph().exprs[other.id].type : ScalarType::Double;
  return other.builder->Number(value, type);
}

}  // namespace

Index At(int iterator, std::int64_t offset, std::int64_t coefficient) {
  return {iterator, coefficient, LinearForm::Constant(offset)};
}

Index Fixed(LinearForm position) {
  return {-1, 0, std::move(position)};
}

BuiltArray BuiltArray::CopyIn() const {
  builder_->graph_.arrays[id_].copy_in = true;
  return *this;
}

BuiltArray BuiltArray::CopyOut() const {
  builder_->graph_.arrays[id_].copy_out = true;
  return *this;
}

BuiltArray BuiltArray::Constant() const {
  builder_->graph_.arrays[id_].constant = true;
  return CopyIn();
}

BuiltArray BuiltArray::Local() const {
  builder_->graph_.arrays[id_].local = true;
  builder_->present_[id_.index] = VersionId{};
  return *this;
}

BuiltExpr BuiltArray::ReadAt(const std::vector<std::int64_t>& offsets) const {
  const auto first = static_cast<int>(builder_->graph_.iterators.size() - offsets.size());
  std::vector<Index> indices;
  for (const std::int64_t offset : offsets) {
    indices.push_back(At(first + static_cast<int>(indices.size()), offset));
  }
  return builder_->Read(*this, std::move(indices));
}

Builder::Builder(std::string name, std::vector<std::string> iterators,
                 std::map<std::string, std::int64_t> fixed)
    : fixed_(std::move(fixed)), nodes_(&root_) {
  graph_.name = std::move(name);
  graph_.unroll_wishes.assign(iterators.size(), 1);
  graph_.iterators = std::move(iterators);
}

LinearForm Builder::Parameter(const std::string& name, std::optional<std::int64_t> default_value) {
  const auto same = [&](const graph::Parameter& other) { return other.name == name; };
  Require(std::none_of(graph_.parameters.begin(), graph_.parameters.end(), same),
          "there are two parameters `{}`", name);
  Require(std::none_of(graph_.parameters.begin(), graph_.parameters.end(),
                       [](const graph::Parameter& other) { return other.turn; }),
          "parameter `{}` is added after a loop with a named turn", name);
  graph::Parameter parameter{name, default_value, {}, {}};
  const auto fixed = fixed_.find(name);
  if (fixed != fixed_.end()) parameter.fixed = fixed->second;
  const ParameterId id = graph_.parameters.Add(parameter);
  return parameter.fixed ? LinearForm::Constant(*parameter.fixed) : LinearForm::Parameter(id);
}

BuiltArray Builder::Array(const std::string& name, const std::vector<Size>& extents,
                          ScalarType type) {
  const auto same = [&](const graph::Array& other) { return other.name == name; };
  Require(std::none_of(graph_.arrays.begin(), graph_.arrays.end(), same),
          "there are two arrays `{}`", name);
  graph::Array array;
  array.name = name;
  array.type = type;
  array.copy_in = extents.empty();
  for (const Size& extent : extents) array.extents.push_back(extent.form);
  const ArrayId id = graph_.arrays.Add(std::move(array));
  present_.push_back(graph_.versions.Add({id, DefKind::Initial, {}}));
  return {this, id};
}

BuiltArray Builder::Array(const std::string& name, const std::vector<Size>& extents,
                          ElementFormat format) {
  Require(!extents.empty(), "`{}` is a scalar: only arrays have narrow elements", name);
  const BuiltArray array = Array(name, extents, ValueTypeOf(format));
  graph_.arrays[array.id()].format = format;
  return array;
}

BuiltArray Builder::Scalar(const std::string& name, ScalarType type) {
  return Array(name, std::vector<Size>{}, type);
}

ExprId Builder::Own(BuiltExpr expr) {
  const bool own = expr.builder == this && graph_.exprs.Contains(expr.id);
  Require(own, "an expression of another builder, or none, is an operand");
  return own ? expr.id : Number(0).id;
}

const std::string& Builder::NameOf(const BuiltArray& array) const {
  return graph_.arrays[array.id()].name;
}

void Builder::RequireOwn(const BuiltArray& array) {
  Require(array.builder_ == this, "an array of another builder is used");
}

void Builder::RequireWritable(const BuiltArray& array) {
  RequireOwn(array);
  Require(!graph_.arrays[array.id()].constant, "`{}` is constant, but is assigned", NameOf(array));
  for (const std::vector<ArrayId>& carried : carried_) {
    Require(std::find(carried.begin(), carried.end(), array.id()) != carried.end() ||
                !present_[array.id().index].Valid() || graph_.arrays[array.id()].local,
            "`{}` is assigned in a loop that does not carry it", NameOf(array));
  }
}

BuiltExpr Builder::Node(Expr expr) {
  return {this, graph_.exprs.Add(std::move(expr))};
}

BuiltExpr Builder::Number(double value, ScalarType type) {
  const Literal literal =
      IsFloating(type) ? Literal{value, 0} : Literal{0, static_cast<std::int64_t>(value)};
  return Node({literal, type, {}});
}

BuiltExpr Builder::ParameterValue(const LinearForm& form) {
  BuiltExpr sum;
  for (const auto& [parameter, factor] : form.terms) {
    BuiltExpr term = Node({ParameterRef{parameter}, ScalarType::Int, {}});
    if (factor != 1) {
      term = Binary(BinaryOp::Mul, Node({Literal{0, factor}, ScalarType::Int, {}}), term);
    }
    sum = sum.builder == nullptr ? term : Binary(BinaryOp::Add, sum, term);
  }
  if (form.constant == 0 && sum.builder != nullptr) return sum;
  const BuiltExpr constant = Node({Literal{0, form.constant}, ScalarType::Int, {}});
  return sum.builder == nullptr ? constant : Binary(BinaryOp::Add, sum, constant);
}

BuiltExpr Builder::Iterator(int iterator) {
  Require(0 <= iterator && iterator < static_cast<int>(graph_.iterators.size()),
          "there is no iterator number {}", iterator);
  return Node({IteratorRef{iterator}, ScalarType::Int, {}});
}

BuiltExpr Builder::Read(const BuiltArray& array, std::vector<Index> indices,
                        std::vector<Boundary> boundary) {
  RequireOwn(array);
  const graph::Array& read = graph_.arrays[array.id()];
  Require(indices.size() == read.rank(), "`{}` has {} dimensions, but is read with {} indices",
          read.name, read.rank(), indices.size());
  Require(Present(array).Valid(), "`{}` is read before it has a value", read.name);
  const ScalarType type = read.type;
  return Node({Access{Present(array), std::move(indices), std::move(boundary)}, type, {}});
}

BuiltExpr Builder::Binary(BinaryOp op, BuiltExpr lhs, BuiltExpr rhs) {
  const ExprId left = Own(lhs);
  const ExprId right = Own(rhs);
  const bool test = IsComparison(op) || IsLogical(op);
  const ScalarType type = test ? ScalarType::Bool : graph_.exprs[left].type;
  return Node({graph::Binary{op, left, right}, type, {}});
}

BuiltExpr Builder::Unary(UnaryOp op, BuiltExpr operand) {
  const ExprId id = Own(operand);
  const ScalarType type = op == UnaryOp::Not ? ScalarType::Bool : graph_.exprs[id].type;
  return Node({graph::Unary{op, id}, type, {}});
}

BuiltExpr Builder::Convert(BuiltExpr operand, ScalarType type) {
  return Node({graph::Convert{Own(operand)}, type, {}});
}

BuiltExpr Builder::Choose(BuiltExpr condition, BuiltExpr then_value, BuiltExpr else_value) {
  const ExprId chosen = Own(then_value);
  const ScalarType type = graph_.exprs[chosen].type;
  return Node({Conditional{Own(condition), chosen, Own(else_value)}, type, {}});
}

BuiltExpr Builder::Call(Function function, const std::vector<BuiltExpr>& arguments) {
  graph::Call call{function, {}};
  for (const BuiltExpr& argument : arguments) call.arguments.push_back(Own(argument));
  Require(!arguments.empty(), "a function is called without arguments");
  const ScalarType type =
      arguments.empty() ? ScalarType::Double : graph_.exprs[call.arguments.front()].type;
  return Node({std::move(call), type, {}});
}

BuiltExpr Builder::Let(const std::string& name, BuiltExpr value) {
  const ExprId id = Own(value);
  const ScalarType type = graph_.exprs[id].type;
  lets_.push_back({name, type, id, {}});
  return Node({LetRef{static_cast<int>(lets_.size()) - 1}, type, {}});
}

NodeId Builder::Assign(const BuiltArray& array, const std::vector<BuiltBounds>& domain,
                       BuiltExpr value) {
  const std::size_t rank = graph_.arrays[array.id()].rank();
  std::vector<int> iterators;
  std::vector<Index> target;
  for (std::size_t d = 0; d < rank; ++d) {
    iterators.push_back(static_cast<int>(graph_.iterators.size() + d) - static_cast<int>(rank));
    target.push_back(At(iterators.back()));
  }
  return AssignTo(array, std::move(iterators), domain, std::move(target), value);
}

NodeId Builder::AssignTo(const BuiltArray& array, std::vector<int> iterators,
                         const std::vector<BuiltBounds>& domain, std::vector<Index> target,
                         BuiltExpr value) {
  RequireWritable(array);
  Require(domain.size() == iterators.size(), "`{}` is assigned with {} bounds for {} iterators",
          NameOf(array), domain.size(), iterators.size());
  Operator op;
  op.stencil = fmt::format("s{}", operators_);
  op.call = op.group = operators_++;
  op.background = Present(array);
  op.iterators = std::move(iterators);
  for (const BuiltBounds& bounds : domain) {
    Interval interval;
    AddLower(interval, Bound{bounds.lo.form, 1});
    AddUpper(interval, Bound{bounds.hi.form, 1});
    op.domain.intervals.push_back(std::move(interval));
  }
  op.target = std::move(target);
  op.lets = std::exchange(lets_, {});
  op.value = FitTo(graph_, Own(value), graph_.arrays[array.id()].format);
  const VersionId result = graph_.versions.Add({array.id(), DefKind::Operator, {}});
  op.result = present_[array.id().index] = result;
  const NodeId node = graph_.nodes.Add(op);
  graph_.versions[result].node = node;
  nodes_->push_back(node);
  return node;
}

NodeId Builder::Repeat(const LinearForm& count, const std::vector<BuiltArray>& carried,
                       const std::function<void()>& body) {
  return AddLoop(LoopBuilder(graph_, count, {}), carried, body);
}

NodeId Builder::Repeat(const std::string& turn, const LinearForm& count,
                       const std::vector<BuiltArray>& carried,
                       const std::function<void(const LinearForm& turn)>& body) {
  const auto same = [&](const graph::Parameter& other) { return other.name == turn; };
  Require(std::none_of(graph_.parameters.begin(), graph_.parameters.end(), same),
          "the turn `{}` has the name of a parameter or of another turn", turn);
  graph::Parameter parameter;
  parameter.name = turn;
  parameter.turn = true;
  const ParameterId id{graph_.parameters.Add(parameter).index, true};
  return AddLoop(LoopBuilder(graph_, count, {}, id), carried,
                 [&] { body(LinearForm::Parameter(id)); });
}

NodeId Builder::AddLoop(LoopBuilder loop, const std::vector<BuiltArray>& carried,
                        const std::function<void()>& body) {
  std::vector<ArrayId> ids;
  for (const BuiltArray& array : carried) {
    RequireWritable(array);
    Require(Present(array).Valid(), "a loop carries `{}` before it has a value", NameOf(array));
    present_[array.id().index] = loop.Carry(array.id(), Present(array));
    ids.push_back(array.id());
  }
  carried_.push_back(std::move(ids));
  std::vector<NodeId> nodes;
  std::vector<NodeId>* outer = std::exchange(nodes_, &nodes);
  body();
  nodes_ = outer;
  carried_.pop_back();
  if (const std::optional<Stop> stop = std::exchange(stop_, std::nullopt)) {
    Require(!nodes.empty() && graph_.versions[stop->condition].node == nodes.back(),
            "a loop goes on after `Until`");
    loop.StopAt(*stop);
  }
  const NodeId node = loop.Close(std::move(nodes), present_);
  nodes_->push_back(node);
  return node;
}

void Builder::Until(BuiltExpr condition, const LinearForm& every) {
  Require(!carried_.empty(), "`Until` is called outside of a loop");
  const auto count = static_cast<int>(graph_.arrays.size());
  const BuiltArray done = Scalar(fmt::format("done_{}", count), ScalarType::Bool).Local();
  Assign(done, {}, condition);
  stop_ = Stop{Present(done), every};
}

void Builder::Swap(const BuiltArray& a, const BuiltArray& b) {
  RequireWritable(a);
  RequireWritable(b);
  const graph::Array& first = graph_.arrays[a.id()];
  const graph::Array& second = graph_.arrays[b.id()];
  Require(SameElements(first, second) && first.extents == second.extents,
          "`{}` and `{}` are swapped, but differ in type or shape", first.name, second.name);
  std::swap(present_[a.id().index], present_[b.id().index]);
}

Graph Builder::Take() {
  graph_.root = graph_.regions.Add({root_});
  for (const ArrayId id : graph_.arrays.Ids()) {
    if (graph_.arrays[id].copy_out) graph_.outputs.push_back({id, present_[id.index]});
  }
  return graph_;
}

std::optional<Graph> Builder::Finish(DiagnosticSink& sink) {
  Require(lets_.empty(), "a let belongs to no operator");
  Graph graph = Take();
  if (errors_.empty()) errors_ = Verify(graph);
  for (const std::string& error : errors_) sink.Report({}, kBuiltWrong, error);
  if (!errors_.empty()) return std::nullopt;
  return graph;
}

BuiltExpr operator+(BuiltExpr a, BuiltExpr b) {
  return a.builder->Binary(BinaryOp::Add, a, b);
}
BuiltExpr operator-(BuiltExpr a, BuiltExpr b) {
  return a.builder->Binary(BinaryOp::Sub, a, b);
}
BuiltExpr operator*(BuiltExpr a, BuiltExpr b) {
  return a.builder->Binary(BinaryOp::Mul, a, b);
}
BuiltExpr operator/(BuiltExpr a, BuiltExpr b) {
  return a.builder->Binary(BinaryOp::Div, a, b);
}
BuiltExpr operator*(double a, BuiltExpr b) {
  return NumberLike(a, b) * b;
}
BuiltExpr operator+(BuiltExpr a, double b) {
  return a + NumberLike(b, a);
}

}  // namespace stencilgen::graph
