#include "scop/spread_diagonals.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"

namespace stencilgen::scop {
namespace {

class Spreader {
 public:
  explicit Spreader(Region& region) : region_(region) {
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  bool Run() {
    Visit(region_.body);
    return any_;
  }

 private:
  void Visit(std::vector<StatementId>& body) {
    for (StatementId& id : body) {
      Statement statement = region_.statements[id];
      if (auto* loop = std::get_if<Loop>(&statement.node)) Visit(loop->body);
      if (auto* branch = std::get_if<If>(&statement.node)) {
        Visit(branch->then_body);
        Visit(branch->else_body);
      }
      if (auto* assign = std::get_if<Assign>(&statement.node)) {
        id = Spread(id, *assign, statement.span);
      } else {
        region_.statements[id] = std::move(statement);
      }
    }
  }

  /// The statement, inside of a loop for each subscript whose counter another one has.
  StatementId Spread(StatementId id, Assign assign, Span span) {
    const Expr written = region_.exprs[assign.target];
    const auto* element = std::get_if<Element>(&written.node);
    if (element == nullptr) return id;
    Element changed = *element;
    std::set<VariableId> seen;
    std::vector<Loop> loops;
    for (ExprId& subscript : changed.subscripts) {
      if (!Repeats(subscript, seen)) continue;
      loops.push_back(OneTurn(subscript));
      const Use use{loops.back().iterator};
      subscript = AddExpr(region_, {use, CType::Int, region_.exprs[subscript].span});
    }
    if (loops.empty()) return id;
    any_ = true;
    assign.target = AddExpr(region_, {std::move(changed), written.type, written.span});
    StatementId inner = region_.statements.Add({std::move(assign), span});
    for (std::size_t k = loops.size(); k-- > 0;) {
      loops[k].body = {inner};
      inner = region_.statements.Add({std::move(loops[k]), span});
    }
    return inner;
  }

  /// True where the subscript names a counter that one before it names; notes those it names.
  bool Repeats(ExprId subscript, std::set<VariableId>& seen) const {
    bool repeats = false;
    std::set<VariableId> own;
    ForEachExpr(region_, subscript, [&](ExprId part) {
      const auto* use = std::get_if<Use>(&region_.exprs[part].node);
      if (use == nullptr || counters_.count(use->variable) == 0) return;
      repeats = repeats || seen.count(use->variable) > 0;
      own.insert(use->variable);
    });
    seen.insert(own.begin(), own.end());
    return repeats;
  }

  /// A loop over one value.
  Loop OneTurn(ExprId value) {
    Variable counter;
    counter.name = FreeName(region_, "i");
    counter.text = counter.name;
    counter.type = CType::Int;
    counter.is_local = true;
    counter.used = region_.exprs[value].span;
    Loop loop;
    loop.iterator = region_.variables.Add(std::move(counter));
    loop.first = value;
    loop.bounds = {{BinaryOp::LessEqual, value}};
    loop.declares = true;
    return loop;
  }

  Region& region_;
  std::set<VariableId> counters_;
  bool any_ = false;
};

}  // namespace

bool SpreadDiagonals(Region& region) {
  return Spreader(region).Run();
}

}  // namespace stencilgen::scop
