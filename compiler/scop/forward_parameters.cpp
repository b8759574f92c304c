#include "scop/forward_parameters.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

class Forwarder {
 public:
  explicit Forwarder(Region& region) : region_(region) {}

  void Run() {
    for (const Statement& statement : region_.statements) FindAssigned(statement);
    for (const Statement& statement : region_.statements) {
      const auto* define = std::get_if<Define>(&statement.node);
      if (define == nullptr || !region_.variables[define->variable].is_parameter) continue;
      if (define->value && assigned_.count(define->variable) == 0 && Lasts(*define->value)) {
        values_[define->variable] = *define->value;
      }
    }
    FindElements(region_.body);
    if (values_.empty()) return;
    region_.body = Without(region_.body);
    const auto count = static_cast<std::uint32_t>(region_.exprs.size());
    for (std::uint32_t k = 0; k < count; ++k) Replace(ExprId{k});
  }

 private:
  /// Scalars that a statement sets, and arrays that it changes, or that it gives to other pointers.
  void FindAssigned(const Statement& statement) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      const auto& target = region_.exprs[assign->target].node;
      if (const auto* use = std::get_if<Use>(&target)) assigned_.insert(use->variable);
      if (const auto* element = std::get_if<Element>(&target)) assigned_.insert(element->variable);
    }
    if (const auto* swap = std::get_if<Swap>(&statement.node)) {
      assigned_.insert(swap->first);
      assigned_.insert(swap->second);
    }
  }

  /// Scalars that stand for elements in loops behind their definition, in this body or in others in
  /// it. Those that are read where they are defined are scalars of the point.
  void FindElements(const std::vector<StatementId>& body) {
    for (std::size_t k = 0; k < body.size(); ++k) {
      const auto* define = std::get_if<Define>(&region_.statements[body[k]].node);
      if (define != nullptr && IsMadeOfElements(*define)) {
        const bool in_loops = std::any_of(
            body.begin() + static_cast<std::ptrdiff_t>(k) + 1, body.end(), [&](StatementId id) {
              return std::holds_alternative<Loop>(region_.statements[id].node) &&
                     Mentions(region_, id, define->variable);
            });
        if (in_loops) values_[define->variable] = *define->value;
      }
      for (const std::vector<StatementId>* inner : PartsOf(region_, body[k]).bodies) {
        FindElements(*inner);
      }
    }
  }
  /// The scalar is never set again, and its value is sums and products of elements that nothing
  /// changes, which are no more to compute than to keep.
  bool IsMadeOfElements(const Define& define) const {
    const Variable& variable = region_.variables[define.variable];
    if (!define.value || !variable.extents.empty() || assigned_.count(define.variable) > 0 ||
        variable.holds != ElementFormat::Plain ||
        region_.exprs[*define.value].type != variable.type) {
      return false;
    }
    bool has_elements = false;
    bool simple = true;
    ForEachExpr(region_, *define.value, [&](ExprId id) {
      Match(
          region_.exprs[id].node,
          [&](const Element& element) {
            has_elements = true;
            simple = simple && assigned_.count(element.variable) == 0;
          },
          [&](const Use& use) {
            has_elements = has_elements || values_.count(use.variable) > 0;
            simple = simple && assigned_.count(use.variable) == 0;
          },
          [&](const Call&) { simple = false; }, [&](const Conditional&) { simple = false; },
          [](const auto&) {});
    });
    return has_elements && simple;
  }

  /// True where the value is the same until the function ends.
  bool Lasts(ExprId value) const {
    bool lasts = true;
    ForEachExpr(region_, value, [&](ExprId id) {
      const auto& node = region_.exprs[id].node;
      const auto* use = std::get_if<Use>(&node);
      lasts = lasts && !std::holds_alternative<Element>(node) &&
              (use == nullptr || assigned_.count(use->variable) == 0);
    });
    return lasts;
  }

  /// The body without the parameters' definitions.
  std::vector<StatementId> Without(const std::vector<StatementId>& body) {
    std::vector<StatementId> kept;
    for (const StatementId id : body) {
      const auto* define = std::get_if<Define>(&region_.statements[id].node);
      if (define != nullptr && values_.count(define->variable) > 0) continue;
      Statement statement = region_.statements[id];
      if (auto* loop = std::get_if<Loop>(&statement.node)) loop->body = Without(loop->body);
      if (auto* branch = std::get_if<If>(&statement.node)) {
        branch->then_body = Without(branch->then_body);
        branch->else_body = Without(branch->else_body);
      }
      region_.statements[id] = std::move(statement);
      kept.push_back(id);
    }
    return kept;
  }

  void Replace(ExprId id) {
    const auto* use = std::get_if<Use>(&region_.exprs[id].node);
    const auto found = use == nullptr ? values_.end() : values_.find(use->variable);
    if (found == values_.end()) return;
    const ExprId copy = Copied(found->second);
    region_.exprs[id] = region_.exprs[copy];
  }
  /// A parameter's value may be made of other parameters.
  ExprId Copied(ExprId id) {
    Expr expr = region_.exprs[id];
    const auto* use = std::get_if<Use>(&expr.node);
    const auto found = use == nullptr ? values_.end() : values_.find(use->variable);
    if (found != values_.end()) return Copied(found->second);
    ReplaceOperands(expr, [&](ExprId part) { return Copied(part); });
    return AddExpr(region_, std::move(expr));
  }

  Region& region_;
  std::set<VariableId> assigned_;
  std::map<VariableId, ExprId> values_;
};

}  // namespace

void ForwardParameters(Region& region) {
  Forwarder(region).Run();
}

}  // namespace stencilgen::scop
