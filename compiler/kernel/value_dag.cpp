#include "kernel/value_dag.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/print.h"
#include "graph/print_expr.h"
#include "graph/walk.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::kernel {

using graph::Access;
using graph::Binary;
using graph::ExprId;

namespace {

std::string OperationKey(const Operation& operation) {
  const std::size_t which = Match(
      operation, [](UnaryOp op) { return static_cast<std::size_t>(op); },
      [](BinaryOp op) { return static_cast<std::size_t>(op); },
      [](stencilgen::Function function) { return static_cast<std::size_t>(function); },
      [](auto) { return std::size_t{0}; });
  return fmt::format("{}:{}", operation.index(), which);
}

bool Commutes(const Operation& operation) {
  const auto* binary = std::get_if<BinaryOp>(&operation);
  return binary != nullptr && (*binary == BinaryOp::Add || *binary == BinaryOp::Mul);
}

/// Operations that a contribution of so many factors takes: a multiply-add takes two.
std::size_t CostOf(std::size_t factors) {
  return factors > 2 ? factors - 1 : 1;
}

}  // namespace

std::vector<graph::Index> Shifted(std::vector<graph::Index> indices, const graph::Operator& op,
                                  const std::vector<std::int64_t>& offset) {
  for (graph::Index& index : indices) {
    if (index.iterator < 0) continue;
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
    STENCILGEN_CHECK(at != op.iterators.end());
    const auto place = static_cast<std::size_t>(at - op.iterators.begin());
    index.offset = index.offset + index.coefficient * offset[place];
  }
  return indices;
}

ValueDag::ValueDag(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
                   Distribute distribute, Store<ValueId, Value>& values)
    : graph_(graph),
      ops_(ops),
      distribute_(distribute),
      values_(values),
      parameter_names_(graph::ParameterNames(graph)) {
  for (const graph::Operator* op : ops) {
    STENCILGEN_CHECK(!op->target.empty());
    std::vector<bool> lets;
    auto& uniform = uniform_.emplace_back();
    for (const graph::Let& let : op->lets) {
      FindUniform(let.value, lets, uniform);
      lets.push_back(uniform.at(let.value));
    }
    FindUniform(op->value, lets, uniform);
  }
}

bool ValueDag::IsUniformLeaf(const graph::Expr& expr, const std::vector<bool>& uniform_lets) const {
  if (std::holds_alternative<graph::IteratorRef>(expr.node)) return false;
  if (const auto* let = std::get_if<graph::LetRef>(&expr.node)) {
    return uniform_lets[static_cast<std::size_t>(let->let)];
  }
  const auto* access = std::get_if<Access>(&expr.node);
  if (access == nullptr || access->indices.empty()) return true;
  // An element that the body may write is read where it stands.
  const graph::ArrayId array = graph_.versions[access->version].array;
  return std::none_of(access->indices.begin(), access->indices.end(),
                      [](const graph::Index& index) { return index.iterator >= 0; }) &&
         std::none_of(ops_.begin(), ops_.end(), [&](const graph::Operator* op) {
           return graph_.versions[op->result].array == array;
         });
}

void ValueDag::FindUniform(ExprId root, const std::vector<bool>& uniform_lets,
                           std::map<ExprId, bool>& uniform) const {
  std::vector<ExprId> parents_first;
  graph::Walk(graph_, root, [&](ExprId id) { parents_first.push_back(id); });
  std::reverse(parents_first.begin(), parents_first.end());
  for (ExprId id : parents_first) {
    const std::vector<ExprId> operands = graph::Operands(graph_.exprs[id]);
    const bool leaf = operands.empty() || std::holds_alternative<Access>(graph_.exprs[id].node);
    uniform[id] = (!leaf || IsUniformLeaf(graph_.exprs[id], uniform_lets)) &&
                  std::all_of(operands.begin(), operands.end(),
                              [&](ExprId operand) { return uniform.at(operand); });
  }
}

ValueDag::NodeId ValueDag::Add(const Statement& statement) {
  statement_ = &statement;
  op_ = ops_[static_cast<std::size_t>(statement.op)];
  STENCILGEN_CHECK(statement.offset.size() == op_->iterators.size());
  lets_.clear();
  const NodeId value = Number(op_->value);
  Access result;
  result.version = op_->result;
  result.indices = op_->target;
  results_[Key(Shifted(std::move(result)))] = value;
  return value;
}

bool ValueDag::IsUniform(ExprId expr) const {
  return uniform_[static_cast<std::size_t>(statement_->op)].at(expr);
}

bool ValueDag::IsSum(ExprId expr) const {
  const auto* binary = std::get_if<Binary>(&graph_.exprs[expr].node);
  return binary != nullptr && IsFloating(graph_.exprs[expr].type) &&
         (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
}

Access ValueDag::Shifted(Access access) const {
  access.indices = kernel::Shifted(std::move(access.indices), *op_, statement_->offset);
  return access;
}

std::string ValueDag::Key(const Access& access) const {
  std::string key = graph::VersionName(graph_, access.version);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    key += '[';
    if (d < access.boundary.size() && access.boundary[d].kind != graph::BoundaryKind::None) {
      key += fmt::format("{}({}): ", static_cast<int>(access.boundary[d].kind),
                         access.boundary[d].value);
    }
    const graph::Index& index = access.indices[d];
    // A place is a value of the operator's own point.
    key += index.place.Valid() ? fmt::format("at {} of {}{}]", index.place.index, statement_->op,
                                             fmt::join(statement_->offset, ","))
                               : graph::IndexText(graph_, parameter_names_, index) + "]";
  }
  return key;
}

ValueDag::NodeId ValueDag::Leaf(const std::string& key, Value value) {
  const auto [at, is_new] = leaves_.try_emplace(key);
  if (is_new) {
    Node node;
    node.type = value.type;
    value.name = key;
    node.leaf = values_.Add(std::move(value));
    at->second = nodes_.Add(std::move(node));
  }
  return at->second;
}

ValueDag::NodeId ValueDag::LiteralLeaf(ScalarType type, graph::Literal literal) {
  const std::string key =
      IsFloating(type) ? fmt::format("{}", literal.value) : fmt::format("{}", literal.integer);
  const std::string_view mark = type == ScalarType::Double  ? ""
                                : type == ScalarType::Float ? "f"
                                                            : "i";
  return Leaf(fmt::format("{}{}", key, mark), {literal, type, {}});
}

ValueDag::NodeId ValueDag::Operate(ScalarType type, Operation operation,
                                   std::vector<NodeId> operands) {
  std::vector<NodeId> sorted = operands;
  if (Commutes(operation)) std::sort(sorted.begin(), sorted.end());
  std::string key = fmt::format("{} {}", static_cast<int>(type), OperationKey(operation));
  for (NodeId operand : sorted) key += fmt::format(" {}", operand.index);
  const auto [at, is_new] = operations_.try_emplace(key);
  if (is_new) {
    Node node;
    node.type = type;
    node.operation = operation;
    node.operands = std::move(operands);
    at->second = nodes_.Add(std::move(node));
  }
  return at->second;
}

ValueDag::NodeId ValueDag::Sum(ScalarType type, std::vector<Term> terms) {
  std::vector<Term> sorted = terms;
  for (Term& term : sorted) std::sort(term.factors.begin(), term.factors.end());
  std::sort(sorted.begin(), sorted.end());
  const auto [at, is_new] = sums_.try_emplace({type, std::move(sorted)});
  if (is_new) {
    Node node;
    node.type = type;
    node.sum = std::move(terms);
    at->second = nodes_.Add(std::move(node));
  }
  return at->second;
}

ValueDag::NodeId ValueDag::Let(int let) {
  const auto found = lets_.find(let);
  if (found != lets_.end()) return found->second;
  const NodeId value = Number(op_->lets[static_cast<std::size_t>(let)].value);
  return lets_[let] = value;
}

ValueDag::NodeId ValueDag::NumberAccess(const Access& access, ScalarType type) {
  Access shifted = Shifted(access);
  const std::string key = Key(shifted);
  const auto computed = results_.find(key);
  if (computed != results_.end()) return computed->second;
  return Leaf(key, {Element{std::move(shifted)}, type, {}});
}

ValueDag::NodeId ValueDag::Number(ExprId id) {
  const graph::Expr& expr = graph_.exprs[id];
  if (const auto* literal = std::get_if<graph::Literal>(&expr.node)) {
    return LiteralLeaf(expr.type, *literal);
  }
  if (const auto* access = std::get_if<Access>(&expr.node)) {
    return NumberAccess(*access, expr.type);
  }
  if (const auto* parameter = std::get_if<graph::ParameterRef>(&expr.node)) {
    return Leaf(parameter_names_[parameter->parameter.index], {*parameter, expr.type, {}});
  }
  if (IsUniform(id)) {
    const std::vector<std::string> versions = graph::VersionNames(graph_);
    const graph::ExprPrinter printer(graph_, *op_, parameter_names_, versions);
    return Leaf(fmt::format("{{{}: {}}}", statement_->op, printer.Print(id)),
                {Uniform{statement_->op, id}, expr.type, {}});
  }
  if (const auto* let = std::get_if<graph::LetRef>(&expr.node)) return Let(let->let);
  if (const auto* iterator = std::get_if<graph::IteratorRef>(&expr.node)) {
    const auto at = std::find(op_->iterators.begin(), op_->iterators.end(), iterator->iterator);
    const std::int64_t offset =
        statement_->offset[static_cast<std::size_t>(at - op_->iterators.begin())];
    const std::string& name = graph_.iterators[static_cast<std::size_t>(iterator->iterator)];
    return Leaf(fmt::format("{}{:+}", name, offset),
                {Position{iterator->iterator, offset}, expr.type, {}});
  }
  const auto* binary = std::get_if<Binary>(&expr.node);
  const auto* unary = std::get_if<graph::Unary>(&expr.node);
  const bool sum_or_product = distribute_ != Distribute::AsWritten && IsFloating(expr.type) &&
                              (IsSum(id) || (binary != nullptr && binary->op == BinaryOp::Mul) ||
                               (unary != nullptr && unary->op != UnaryOp::Not));
  return sum_or_product ? NumberSum(id) : NumberOperation(expr);
}

ValueDag::NodeId ValueDag::NumberOperation(const graph::Expr& expr) {
  const auto numbers = [&](const std::vector<ExprId>& ids) {
    std::vector<NodeId> operands;
    operands.reserve(ids.size());
    for (ExprId id : ids) operands.push_back(Number(id));
    return operands;
  };
  const auto operate = [&](Operation operation, const std::vector<ExprId>& ids) {
    return Operate(expr.type, operation, numbers(ids));
  };
  return Match(
      expr.node, [&](const graph::Unary& unary) { return operate(unary.op, {unary.operand}); },
      [&](const Binary& binary) {
        return operate(binary.op, {binary.lhs, binary.rhs});
      },
      [&](const graph::Conditional& each) {
        return operate(Select{}, {each.condition, each.then_value, each.else_value});
      },
      [&](const graph::Call& call) { return operate(call.function, call.arguments); },
      [&](const graph::Convert& convert) {
        const bool same = graph_.exprs[convert.operand].type == expr.type;
        return same ? Number(convert.operand) : operate(Convert{}, {convert.operand});
      },
      [&](const auto&) {
        STENCILGEN_CHECK(!"a leaf is no operation");
        return NodeId{};
      });
}

ValueDag::Factors ValueDag::SplitProduct(ExprId root) const {
  Factors factors;
  std::vector<ExprId> left = {root};
  while (!left.empty()) {
    const ExprId id = left.back();
    left.pop_back();
    const graph::Expr& expr = graph_.exprs[id];
    const auto* binary = std::get_if<Binary>(&expr.node);
    const auto* unary = std::get_if<graph::Unary>(&expr.node);
    const auto* literal = std::get_if<graph::Literal>(&expr.node);
    if (literal != nullptr) {
      factors.literal *= literal->value;
      if (expr.type == ScalarType::Float) {
        factors.literal = static_cast<double>(static_cast<float>(factors.literal));
      }
      factors.has_literal = true;
    } else if (binary != nullptr && binary->op == BinaryOp::Mul && !IsUniform(id)) {
      left.push_back(binary->rhs);
      left.push_back(binary->lhs);
    } else if (unary != nullptr && unary->op != UnaryOp::Not) {
      factors.negative = factors.negative != (unary->op == UnaryOp::Negate);
      left.push_back(unary->operand);
    } else {
      factors.exprs.push_back(id);
    }
  }
  return factors;
}

/// True where multiplying `outer` into each of the terms takes no more operations than multiplying
/// their sum by it.
bool ValueDag::Distributes(const Factors& outer, const std::vector<Factors>& inner) const {
  if (distribute_ == Distribute::Never) return false;
  constexpr std::size_t kMostTerms = 256;
  if (distribute_ == Distribute::Always) return inner.size() <= kMostTerms;
  const bool uniform = std::all_of(outer.exprs.begin(), outer.exprs.end(),
                                   [&](ExprId each) { return IsUniform(each); });
  if (!uniform) return false;
  std::size_t together = CostOf(outer.Count() + 1);
  std::size_t apart = 0;
  for (const Factors& term : inner) {
    together += CostOf(term.Count());
    const bool literal = term.has_literal || outer.has_literal;
    apart += CostOf(term.exprs.size() + outer.exprs.size() + (literal ? 1 : 0));
  }
  return apart <= together;
}

void ValueDag::AddProduct(ExprId expr, bool negative, std::vector<Factors>& terms) const {
  Factors product = SplitProduct(expr);
  product.negative = product.negative != negative;
  const auto sum = std::find_if(product.exprs.begin(), product.exprs.end(),
                                [&](ExprId each) { return IsSum(each) && !IsUniform(each); });
  if (sum != product.exprs.end()) {
    const std::vector<Factors> parts = TermsOf(*sum);
    Factors rest = product;
    rest.exprs.erase(rest.exprs.begin() + (sum - product.exprs.begin()));
    // A sum with no factor but a sign is part of this one.
    if (rest.Count() == 0 || Distributes(rest, parts)) {
      for (const Factors& part : parts) {
        Factors term = rest;
        term.negative = term.negative != part.negative;
        term.literal *= part.literal;
        term.has_literal = term.has_literal || part.has_literal;
        term.exprs.insert(term.exprs.end(), part.exprs.begin(), part.exprs.end());
        terms.push_back(std::move(term));
      }
      return;
    }
  }
  terms.push_back(std::move(product));
}

/// Sums of thousands of terms must not recurse once a term.
std::vector<ValueDag::Factors> ValueDag::TermsOf(ExprId sum) const {
  std::vector<Factors> terms;
  std::vector<std::pair<ExprId, bool>> left = {{sum, false}};
  while (!left.empty()) {
    const auto [id, negative] = left.back();
    left.pop_back();
    if (IsSum(id) && !IsUniform(id)) {
      const auto& binary = std::get<Binary>(graph_.exprs[id].node);
      left.emplace_back(binary.rhs, negative != (binary.op == BinaryOp::Sub));
      left.emplace_back(binary.lhs, negative);
    } else {
      AddProduct(id, negative, terms);
    }
  }
  return terms;
}

ValueDag::NodeId ValueDag::NumberSum(ExprId id) {
  const ScalarType type = graph_.exprs[id].type;
  std::vector<Term> terms;
  for (const Factors& part : TermsOf(id)) {
    Term term;
    term.negative = part.negative;
    std::vector<NodeId> uniform;
    for (ExprId factor : part.exprs) {
      (IsUniform(factor) ? uniform : term.factors).push_back(Number(factor));
    }
    // What takes no register comes last: it is multiplied in as it is added.
    term.factors.insert(term.factors.end(), uniform.begin(), uniform.end());
    const bool needed = part.literal != 1 || term.factors.empty();
    if (part.has_literal && needed) {
      if (part.literal == -1 && !term.factors.empty()) {
        term.negative = !term.negative;
      } else {
        term.factors.push_back(LiteralLeaf(type, {part.literal, 0}));
      }
    }
    terms.push_back(std::move(term));
  }
  if (terms.size() == 1 && !terms[0].negative && terms[0].factors.size() == 1) {
    return terms[0].factors[0];
  }
  return Sum(type, std::move(terms));
}

}  // namespace stencilgen::kernel
