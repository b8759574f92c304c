#include "sema/reductions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "support/match.h"

namespace stencilgen::sema {
namespace {

/// Calls `visit` with the name of each value that the expression reads, and with an empty one for
/// each reduction.
void VisitReads(const ast::Program& program, ast::ExprId root,
                const std::function<void(const std::string&)>& visit) {
  std::vector<ast::ExprId> pending = {root};
  while (!pending.empty()) {
    const ast::ExprId id = pending.back();
    pending.pop_back();
    Match(
        program.exprs[id].node, [](const ast::IntLiteral&) {}, [](const ast::FloatLiteral&) {},
        [&](const ast::NameRef& n) { visit(n.name); }, [](const ast::Access&) {},
        [&](const ast::Unary& n) { pending.push_back(n.operand); },
        [&](const ast::Binary& n) {
          pending.insert(pending.end(), {n.lhs, n.rhs});
        },
        [&](const ast::Conditional& n) {
          pending.insert(pending.end(), {n.condition, n.then_value, n.else_value});
        },
        [&](const ast::Call& n) {
          if (FindReduction(n.function.text, n.arguments.size())) visit("");
          pending.insert(pending.end(), n.arguments.begin(), n.arguments.end());
        });
  }
}

class ScalarFinder {
 public:
  explicit ScalarFinder(const ast::Program& program) : program_(program) {
    for (const ast::Declaration& declaration : program.declarations) {
      for (const ast::Declarator& declarator : declaration.declarators) {
        if (declarator.extents.empty()) scalars_.insert(declarator.name.text);
      }
    }
    for (const ast::Stencil& stencil : program.stencils) {
      stencils_.try_emplace(stencil.name.text, &stencil);
    }
  }

  std::set<std::string> Run() {
    std::size_t before = 0;
    do {
      before = found_.size();
      Visit(program_.calls);
    } while (found_.size() != before);
    return std::move(found_);
  }

 private:
  void Visit(const std::vector<ast::CallItem>& items) {
    for (const ast::CallItem& item : items) {
      Match(
          item, [&](const ast::StencilCall& call) { Visit(call); }, [](const ast::Swap&) {},
          [&](const ast::Every& every) { Visit(every.body); },
          [&](const ast::Iterate& iterate) { Visit(iterate.body); });
    }
  }

  /// In a body, names of locals hide those of the program, and formals stand for what is passed.
  void Visit(const ast::StencilCall& call) {
    const auto stencil = stencils_.find(call.stencil.text);
    if (stencil == stencils_.end()) return;
    std::map<std::string, std::string> actuals;
    for (std::size_t k = 0; k < stencil->second->formals.size() && k < call.actuals.size(); ++k) {
      const auto* name = std::get_if<ast::NameRef>(&program_.exprs[call.actuals[k]].node);
      actuals[stencil->second->formals[k].name.text] = name == nullptr ? "" : name->name;
    }
    std::set<std::string> locals;        // of the body
    std::set<std::string> found_locals;  // that depend on a reduction
    for (const ast::StencilItem& item : stencil->second->items) {
      const auto* declaration = std::get_if<ast::Declaration>(&item);
      if (declaration == nullptr) continue;
      for (const ast::Declarator& declarator : declaration->declarators) {
        locals.insert(declarator.name.text);
      }
    }
    const auto depends = [&](ast::ExprId value) {
      bool yes = false;
      VisitReads(program_, value, [&](const std::string& name) {
        if (locals.count(name) > 0) {
          yes = yes || found_locals.count(name) > 0;
        } else {
          const auto actual = actuals.find(name);
          yes = yes || name.empty() ||
                found_.count(actual == actuals.end() ? name : actual->second) > 0;
        }
      });
      return yes;
    };
    for (std::size_t before = 1, now = 0; before != now;) {
      before = found_.size() + found_locals.size();
      for (const ast::StencilItem& item : stencil->second->items) {
        if (const auto* declaration = std::get_if<ast::Declaration>(&item)) {
          for (const ast::Declarator& each : declaration->declarators) {
            if (each.init && depends(*each.init)) found_locals.insert(each.name.text);
          }
        }
        const auto* assignment = std::get_if<ast::Assignment>(&item);
        if (assignment == nullptr) continue;
        const auto* target = std::get_if<ast::NameRef>(&program_.exprs[assignment->target].node);
        if (target == nullptr || !depends(assignment->value)) continue;
        if (locals.count(target->name) > 0) {
          found_locals.insert(target->name);
          continue;
        }
        const auto actual = actuals.find(target->name);
        const std::string& name = actual == actuals.end() ? target->name : actual->second;
        if (scalars_.count(name) > 0) found_.insert(name);
      }
      now = found_.size() + found_locals.size();
    }
  }

  const ast::Program& program_;
  std::set<std::string> scalars_;  // of the program
  std::map<std::string, const ast::Stencil*> stencils_;
  std::set<std::string> found_;
};

}  // namespace

std::optional<ReductionName> FindReduction(std::string_view name, std::size_t arguments) {
  using graph::ReduceOp;
  if (name == "sum") return ReductionName{ReduceOp::Sum};
  if (name == "norm2") return ReductionName{ReduceOp::Sum, true};
  if (name == "any") return ReductionName{ReduceOp::Any};
  if (name == "all") return ReductionName{ReduceOp::All};
  if (name == "min" && arguments == 1) return ReductionName{ReduceOp::Min};
  if (name == "max" && arguments == 1) return ReductionName{ReduceOp::Max};
  return std::nullopt;
}

std::set<std::string> ReducedScalars(const ast::Program& program) {
  return ScalarFinder(program).Run();
}

}  // namespace stencilgen::sema
