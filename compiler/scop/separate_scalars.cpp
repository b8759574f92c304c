#include "scop/separate_scalars.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scop/affine.h"
#include "scop/changes.h"
#include "scop/model.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

/// What follows a condition is copied no further where a region would have more statements.
constexpr std::size_t kLargestRegion = 400;

using Body = std::vector<StatementId>;

/// Copies of statements with expressions of their own.
class Copier {
 public:
  explicit Copier(Region& region) : region_(region) {}

  Body Copy(const Body& body) {
    Body out;
    for (const StatementId id : body) out.push_back(Copy(id));
    return out;
  }

 private:
  StatementId Copy(StatementId id) {
    Statement statement = region_.statements[id];
    Match(
        statement.node,
        [&](Assign& n) {
          n.target = Copy(n.target);
          n.value = Copy(n.value);
          n.extremum.reset();  // it stands in a branch
        },
        [&](Define& n) {
          if (n.value) n.value = Copy(*n.value);
        },
        [&](Loop& n) { n.body = Copy(n.body); },
        [&](If& n) {
          n.condition = Copy(n.condition);
          n.then_body = Copy(n.then_body);
          n.else_body = Copy(n.else_body);
        },
        [](Swap&) {});
    return region_.statements.Add(std::move(statement));
  }

  ExprId Copy(ExprId id) {
    Expr expr = region_.exprs[id];
    ReplaceOperands(expr, [&](ExprId part) { return Copy(part); });
    return AddExpr(region_, std::move(expr));
  }

  Region& region_;
};

/// Moves what stands around a condition on counters into its branches, where they set a scalar that
/// it names.
class PathSplitter {
 public:
  explicit PathSplitter(Region& region) : region_(region), changes_(FindChanges(region)) {}

  bool Run() {
    region_.body = Split(region_.body);
    return found_;
  }

 private:
  Body Split(Body body) {
    for (std::size_t k = 0; k < body.size(); ++k) {
      const auto* branch = std::get_if<If>(&region_.statements[body[k]].node);
      if (branch == nullptr || !OneCounterEach(branch->condition)) continue;
      const auto first = FirstOfPath(body, k);
      if (!first) continue;
      const auto from = body.begin() + static_cast<std::ptrdiff_t>(*first);
      const auto at = body.begin() + static_cast<std::ptrdiff_t>(k);
      const auto around = [&](const Body& inner) {
        Body path(from, at);
        path.insert(path.end(), inner.begin(), inner.end());
        path.insert(path.end(), at + 1, body.end());
        return path;
      };
      const Body then_path = around(branch->then_body);
      const Body else_path = Copier(region_).Copy(around(branch->else_body));
      auto& both = std::get<If>(region_.statements[body[k]].node);
      both.then_body = then_path;
      both.else_body = else_path;
      found_ = true;
      const StatementId kept = body[k];
      body.resize(*first);
      body.push_back(kept);
      break;
    }
    for (const StatementId id : body) SplitInside(id);
    return body;
  }

  void SplitInside(StatementId id) {
    const Statement statement = region_.statements[id];
    if (const auto* loop = std::get_if<Loop>(&statement.node)) {
      loops_.push_back(id);
      Body body = Split(loop->body);
      std::get<Loop>(region_.statements[id].node).body = std::move(body);
      loops_.pop_back();
    } else if (const auto* branch = std::get_if<If>(&statement.node)) {
      Body then_body = Split(branch->then_body);
      Body else_body = Split(branch->else_body);
      auto& both = std::get<If>(region_.statements[id].node);
      both.then_body = std::move(then_body);
      both.else_body = std::move(else_body);
    }
  }

  /// Comparisons of one counter each: what they cut off is a box, or nearly.
  bool OneCounterEach(ExprId condition) {
    AffineReader reader(region_, changes_.assigned, changes_.inlined);
    if (!reader.Condition(condition, ScopeOf(region_, loops_))) return false;
    bool simple = true, any = false;
    ForEachExpr(region_, condition, [&](ExprId id) {
      const auto* binary = std::get_if<Binary>(&region_.exprs[id].node);
      if (binary == nullptr) return;
      if (binary->op == BinaryOp::Mod || binary->op == BinaryOp::Div) simple = false;
      if (!IsComparison(binary->op)) return;
      const std::size_t counters = CountersIn(id).size();
      simple = simple && counters <= 1;
      any = any || counters == 1;
    });
    return simple && any;
  }

  std::set<VariableId> CountersIn(ExprId root) const {
    std::set<VariableId> counters;
    ForEachExpr(region_, root, [&](ExprId id) {
      const auto* use = std::get_if<Use>(&region_.exprs[id].node);
      if (use == nullptr) return;
      const auto inlined = changes_.inlined.find(use->variable);
      if (inlined != changes_.inlined.end()) counters.merge(CountersIn(inlined->second));
      for (const StatementId loop : loops_) {
        const auto& head = std::get<Loop>(region_.statements[loop].node);
        if (head.iterator == use->variable) counters.insert(use->variable);
      }
    });
    return counters;
  }

  /// Where the statements begin that belong to the paths through the condition number k; empty
  /// where it need not, or cannot, be split.
  std::optional<std::size_t> FirstOfPath(const Body& body, std::size_t k) const {
    std::size_t first = k;
    bool follows = false;
    for (const VariableId scalar : SetIn(body[k])) {
      for (std::size_t other = k + 1; other < body.size(); ++other) {
        follows = follows || Mentions(region_, body[other], scalar);
      }
    }
    // All scalars of the path begin in it.
    for (std::size_t other = body.size(); other-- > first;) {
      for (const VariableId scalar : SetIn(body[other])) {
        for (std::size_t before = 0; before < first; ++before) {
          if (Mentions(region_, body[before], scalar)) first = before;
        }
      }
    }
    if (!follows) return std::nullopt;
    std::size_t size = region_.statements.size();
    for (std::size_t other = first; other < body.size(); ++other) size += SizeOf(body[other]);
    if (size > kLargestRegion) return std::nullopt;
    for (std::size_t other = first; other < body.size(); ++other) {
      if (HasLoop(body[other])) return std::nullopt;
    }
    return first;
  }

  std::set<VariableId> SetIn(StatementId id) const {
    std::set<VariableId> scalars;
    const auto all = [&](const Body& body) {
      for (const StatementId inner : body) scalars.merge(SetIn(inner));
    };
    Match(
        region_.statements[id].node,
        [&](const Assign& n) {
          const auto* use = std::get_if<Use>(&region_.exprs[n.target].node);
          if (use != nullptr) scalars.insert(use->variable);
        },
        [&](const Define& n) {
          if (n.value && changes_.inlined.count(n.variable) == 0) scalars.insert(n.variable);
        },
        [&](const If& n) {
          all(n.then_body);
          all(n.else_body);
        },
        [](const auto&) {});
    return scalars;
  }

  std::size_t SizeOf(StatementId id) const {
    const auto* branch = std::get_if<If>(&region_.statements[id].node);
    if (branch == nullptr) return 1;
    std::size_t size = 1;
    for (const StatementId inner : branch->then_body) size += SizeOf(inner);
    for (const StatementId inner : branch->else_body) size += SizeOf(inner);
    return size;
  }

  bool HasLoop(StatementId id) const {
    const auto& node = region_.statements[id].node;
    const auto* branch = std::get_if<If>(&node);
    const auto has = [&](StatementId inner) { return HasLoop(inner); };
    if (branch == nullptr) {
      return std::holds_alternative<Loop>(node) || std::holds_alternative<Swap>(node);
    }
    return std::any_of(branch->then_body.begin(), branch->then_body.end(), has) ||
           std::any_of(branch->else_body.begin(), branch->else_body.end(), has);
  }

  Region& region_;
  Changes changes_;
  Body loops_;
  bool found_ = false;
};

/// Gives each body that sets a scalar before it reads it a scalar of its own.
class Renamer {
 public:
  explicit Renamer(Region& region) : region_(region) {}

  void Run() {
    const Changes changes = FindChanges(region_);
    for (const VariableId id : region_.variables.Ids()) {
      const Variable& variable = region_.variables[id];
      if (!variable.extents.empty() || variable.used_after || changes.assigned.count(id) == 0) {
        continue;
      }
      std::vector<const Body*> own;
      if (!FindBodies(region_.body, id, 0, own)) continue;
      std::vector<Body> bodies;
      for (const Body* body : own) bodies.push_back(*body);
      for (std::size_t k = 1; k < bodies.size(); ++k) {
        Variable copy = region_.variables[id];
        copy.name = FreeName(region_, copy.name);
        const VariableId to = region_.variables.Add(std::move(copy));
        Rename(bodies[k], id, to);
      }
    }
  }

 private:
  /// The innermost bodies of loops that set the scalar before they read it, and hold all that names
  /// it; false where there are none.
  bool FindBodies(const Body& body, VariableId scalar, std::size_t depth,
                  std::vector<const Body*>& found) const {
    const std::size_t before = found.size();
    if (FindInside(body, scalar, depth, found)) return true;
    found.resize(before);
    if (depth == 0 || !SetsBeforeReading(region_, body, scalar)) return false;
    found.push_back(&body);
    return true;
  }

  bool FindInside(const Body& body, VariableId scalar, std::size_t depth,
                  std::vector<const Body*>& found) const {
    for (const StatementId id : body) {
      if (!Mentions(region_, id, scalar)) continue;
      const auto& node = region_.statements[id].node;
      if (const auto* loop = std::get_if<Loop>(&node)) {
        if (MentionsIn(region_, loop->first, scalar)) return false;
        for (const Bound& bound : loop->bounds) {
          if (MentionsIn(region_, bound.value, scalar)) return false;
        }
        if (!FindBodies(loop->body, scalar, depth + 1, found)) return false;
      } else if (const auto* branch = std::get_if<If>(&node)) {
        if (MentionsIn(region_, branch->condition, scalar)) return false;
        for (const Body* inner : {&branch->then_body, &branch->else_body}) {
          if (MentionsIn(region_, *inner, scalar) && !FindBodies(*inner, scalar, depth, found)) {
            return false;
          }
        }
      } else {
        return false;
      }
    }
    return true;
  }

  void Rename(const Body& body, VariableId from, VariableId to) {
    for (const StatementId id : body) {
      Match(
          region_.statements[id].node,
          [&](const Assign& n) {
            Rename(n.target, from, to);
            Rename(n.value, from, to);
          },
          [&](Define& n) {
            if (n.variable == from) n.variable = to;
            if (n.value) Rename(*n.value, from, to);
          },
          [&](const Loop& n) {
            Rename(n.first, from, to);
            for (const Bound& bound : n.bounds) Rename(bound.value, from, to);
            Rename(n.body, from, to);
          },
          [&](const If& n) {
            Rename(n.condition, from, to);
            Rename(n.then_body, from, to);
            Rename(n.else_body, from, to);
          },
          [](const Swap&) {});
    }
  }

  void Rename(ExprId root, VariableId from, VariableId to) {
    std::vector<ExprId> uses;
    ForEachExpr(region_, root, [&](ExprId id) {
      const auto* use = std::get_if<Use>(&region_.exprs[id].node);
      if (use != nullptr && use->variable == from) uses.push_back(id);
    });
    for (const ExprId id : uses) std::get<Use>(region_.exprs[id].node).variable = to;
  }

  Region& region_;
};

}  // namespace

bool SplitPaths(Region& region) {
  return PathSplitter(region).Run();
}

void SeparateScalars(Region& region) {
  Renamer(region).Run();
}

}  // namespace stencilgen::scop
