#include "sema/emit_operators.h"

#include <algorithm>
#include <map>
#include <set>

#include "sema/emit_reduction.h"
#include "sema/messages.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::ExprId;
using graph::LinearForm;

constexpr DiagnosticKind<std::string_view> kUnbounded{
    "unbounded-reduction", Severity::Error, "nothing says where the points along '{}' end"};

/// Rebuilds expressions of definitions for one operator: shifts iterators to the operator's and
/// renumbers reads of definitions to its lets.
class Cloner {
 public:
  Cloner(Context& context, const std::array<LinearForm, kMostIterators>& shift,
         const std::map<int, int>& lets)
      : context_(context), shift_(shift), lets_(lets) {}

  ExprId Clone(ExprId id) {
    graph::Expr expr = context_.graph.exprs[id];
    Match(
        expr.node, [](graph::Literal&) {}, [](graph::ParameterRef&) {}, [](graph::IteratorRef&) {},
        [&](graph::Access& n) {
          for (graph::Index& index : n.indices) {
            Shift(index);
            if (index.place.Valid()) index.place = Clone(index.place);
          }
        },
        [&](graph::LetRef& n) { n.let = lets_.at(n.let); },
        [&](graph::Unary& n) { n.operand = Clone(n.operand); },
        [&](graph::Binary& n) {
          n.lhs = Clone(n.lhs);
          n.rhs = Clone(n.rhs);
        },
        [&](graph::Conditional& n) {
          n.condition = Clone(n.condition);
          n.then_value = Clone(n.then_value);
          n.else_value = Clone(n.else_value);
        },
        [&](graph::Call& n) {
          for (ExprId& argument : n.arguments) argument = Clone(argument);
        },
        [&](graph::Convert& n) { n.operand = Clone(n.operand); });
    const auto* iterator = std::get_if<graph::IteratorRef>(&expr.node);
    const int moved = iterator != nullptr ? iterator->iterator : -1;
    const Span span = expr.span;
    const ExprId copy = context_.AddExpr(std::move(expr));
    if (moved < 0 || shift_[static_cast<std::size_t>(moved)] == LinearForm{}) return copy;
    const ExprId offset = context_.AddLinear(shift_[static_cast<std::size_t>(moved)], span);
    return Int(graph::Binary{BinaryOp::Sub, copy, offset}, span);
  }

  /// Points of `domain` (source coordinates) as a condition on the operator's iterators; invalid
  /// where it always holds.
  ExprId Inside(const PointSet& domain, Span span) {
    ExprId all;
    const auto require = [&](ExprId lhs, BinaryOp op, ExprId rhs) {
      const ExprId test = context_.AddExpr({graph::Binary{op, lhs, rhs}, ScalarType::Bool, span});
      all =
          all.Valid()
              ? context_.AddExpr({graph::Binary{BinaryOp::And, all, test}, ScalarType::Bool, span})
              : test;
    };
    for (std::size_t d = 0; d < domain.intervals.size(); ++d) {
      const auto scaled = [&](std::int64_t divisor) {
        const ExprId it = Clone(Int(graph::IteratorRef{static_cast<int>(d)}, span));
        if (divisor == 1) return it;
        return Int(graph::Binary{BinaryOp::Mul, Int(graph::Literal{0, divisor}, span), it}, span);
      };
      for (const graph::Bound& bound : domain.intervals[d].lower) {
        require(scaled(bound.divisor), BinaryOp::GreaterEqual,
                context_.AddLinear(bound.numerator, span));
      }
      for (const graph::Bound& bound : domain.intervals[d].upper) {
        require(scaled(bound.divisor), BinaryOp::LessEqual,
                context_.AddLinear(bound.numerator, span));
      }
    }
    for (const LinearForm& guard : domain.guards) {
      require(context_.AddLinear(guard, span), BinaryOp::GreaterEqual,
              Int(graph::Literal{0, 0}, span));
    }
    return all;
  }

 private:
  void Shift(graph::Index& index) {
    if (index.iterator < 0) return;
    const LinearForm& shift = shift_[static_cast<std::size_t>(index.iterator)];
    index.offset = index.offset - shift * index.coefficient;
  }
  template <typename Node>
  ExprId Int(Node node, Span span) {
    return context_.AddExpr({std::move(node), ScalarType::Int, span});
  }

  Context& context_;
  const std::array<LinearForm, kMostIterators>& shift_;
  const std::map<int, int>& lets_;
};

class Emitter {
 public:
  Emitter(const DomainInputs& inputs, const std::string& stencil, int call_index)
      : inputs_(inputs), context_(inputs.context), stencil_(stencil), call_index_(call_index) {}

  std::vector<graph::NodeId> Emit(const Statement& s) {
    if (s.kind == TargetKind::LocalScalar) return {};
    if (s.kind == TargetKind::Reduction) return EmitReduction(s);
    graph::Operator op = Begin(s);
    op.result = s.result;
    // Of one element nothing is left.
    if (!context_.arrays[s.array.index].reduced) op.background = s.background;
    op.op = s.source->op;
    op.target = s.target;
    std::set<int> iterators;
    for (const graph::Index& index : s.target) {
      if (index.iterator >= 0) iterators.insert(index.iterator);
    }
    op.iterators.assign(iterators.begin(), iterators.end());
    for (const int it : op.iterators) {
      op.domain.intervals.push_back(s.domain.intervals[static_cast<std::size_t>(it)]);
    }
    if (s.kind == TargetKind::Array) op.domain.guards = s.domain.guards;
    op.group = GroupOf(s);
    AddLets(op, s);
    const graph::NodeId node = context_.graph.nodes.Add(std::move(op));
    context_.graph.versions[s.result].node = node;
    return {node};
  }

 private:
  graph::Operator Begin(const Statement& s) const {
    graph::Operator op;
    op.stencil = stencil_;
    op.call = call_index_;
    op.span = s.source->span;
    return op;
  }

  std::vector<graph::NodeId> EmitReduction(const Statement& s) {
    graph::Operator op = Begin(s);
    op.iterators = s.iterators;
    for (const int it : op.iterators) {
      op.domain.intervals.push_back(s.domain.intervals[static_cast<std::size_t>(it)]);
      const graph::Interval& points = op.domain.intervals.back();
      if (!points.lower.empty() && !points.upper.empty()) continue;
      context_.sink
          .Report(op.span, kUnbounded, context_.graph.iterators[static_cast<std::size_t>(it)])
          .Hint("give the call or the statement a domain: `[0:M-1][0:N-1] : ...`");
      return {};
    }
    op.domain.guards = s.domain.guards;
    op.group = GroupOf(s);
    AddLets(op, s);
    if (s.reduction.norm) Square(op);
    return AddRounds(context_, std::move(op), s.reduction.op, s.result);
  }

  void Square(graph::Operator& op) {
    const Span span = context_.graph.exprs[op.value].span;
    const ScalarType type = context_.graph.exprs[op.value].type;
    const auto let = static_cast<int>(op.lets.size());
    op.lets.push_back({context_.UniqueName("value"), type, op.value, span});
    const ExprId value = context_.AddExpr({graph::LetRef{let}, type, span});
    op.value = context_.AddExpr({graph::Binary{BinaryOp::Mul, value, value}, type, span});
  }

  int GroupOf(const Statement& s) {
    if (s.group < 0) return context_.next_group++;
    const auto [place, fresh] = groups_.try_emplace(s.group, context_.next_group);
    if (fresh) ++context_.next_group;
    return place->second;
  }

  /// The definitions an operator needs: those read, what they read, and the older values of a
  /// scalar that was not computed everywhere.
  std::set<int> Closure(const Statement& s) {
    std::set<int> needed;
    std::vector<int> work = s.definitions_read;
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (!needed.insert(at).second) continue;
      const Definition& definition = inputs_.definitions[static_cast<std::size_t>(at)];
      work.insert(work.end(), definition.reads.begin(), definition.reads.end());
      if (definition.background >= 0 && !CoversOperator(definition, s)) {
        work.push_back(definition.background);
      }
    }
    return needed;
  }

  bool CoversOperator(const Definition& definition, const Statement& s) {
    PointSet source = s.domain;  // the operator's points in source coordinates
    for (std::size_t d = 0; d < source.intervals.size(); ++d) {
      PointSet moved = Everywhere(context_.IteratorCount());
      Constrain(moved, {static_cast<int>(d), 1, s.shift[d]}, source.intervals[d]);
      source.intervals[d] = moved.intervals[d];
    }
    return AlwaysContains(definition.domain, source);
  }

  void AddLets(graph::Operator& op, const Statement& s) {
    if (s.definitions_read.empty()) {
      op.value = s.value;
      return;
    }
    std::map<int, int> lets;
    for (const int at : Closure(s)) lets.emplace(at, static_cast<int>(lets.size()));
    Cloner cloner(context_, s.shift, lets);
    for (const auto& [at, let] : lets) {
      const Definition& definition = inputs_.definitions[static_cast<std::size_t>(at)];
      ExprId value = cloner.Clone(definition.value);
      if (!CoversOperator(definition, s)) {
        CheckChoice(definition, op, s);
        value = Choose(definition, value, cloner, lets);
      }
      op.lets.push_back({definition.name, definition.type, value, definition.span});
    }
    // The statement's own expression is already in the operator's iterators.
    const std::array<LinearForm, kMostIterators> no_shift;
    op.value = Cloner(context_, no_shift, lets).Clone(s.value);
  }

  /// Where a definition was computed can only be asked along iterators that the target has.
  void CheckChoice(const Definition& definition, const graph::Operator& op, const Statement& s) {
    for (int d = 0; d < context_.IteratorCount(); ++d) {
      const graph::Interval& interval = definition.domain.intervals[static_cast<std::size_t>(d)];
      const bool bounded = !interval.lower.empty() || !interval.upper.empty();
      const bool has = std::find(op.iterators.begin(), op.iterators.end(), d) != op.iterators.end();
      if (!bounded || has) continue;
      context_.sink.Report(s.source->span, kMissingIterator, s.source->target.text,
                           context_.graph.iterators[static_cast<std::size_t>(d)]);
      return;
    }
  }

  /// value where the definition was computed, the scalar's older value (or 0) elsewhere.
  ExprId Choose(const Definition& definition, ExprId value, Cloner& cloner,
                const std::map<int, int>& lets) {
    const ExprId inside = cloner.Inside(definition.domain, definition.span);
    if (!inside.Valid()) return value;
    const ExprId other =
        definition.background >= 0
            ? context_.AddExpr(
                  {graph::LetRef{lets.at(definition.background)}, definition.type, definition.span})
            : context_.AddExpr({graph::Literal{0, 0}, definition.type, definition.span});
    return context_.AddExpr(
        {graph::Conditional{inside, value, other}, definition.type, definition.span});
  }

  const DomainInputs& inputs_;
  Context& context_;
  const std::string& stencil_;
  int call_index_;
  std::map<int, int> groups_;
};

}  // namespace

void EmitOperators(const DomainInputs& inputs, const std::string& stencil, int call_index,
                   std::vector<graph::NodeId>& nodes) {
  Emitter emitter(inputs, stencil, call_index);
  for (const Statement& s : inputs.statements) {
    const std::vector<graph::NodeId> emitted = emitter.Emit(s);
    nodes.insert(nodes.end(), emitted.begin(), emitted.end());
  }
}

}  // namespace stencilgen::sema
