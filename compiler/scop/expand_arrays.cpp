#include "scop/expand_arrays.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <isl/map.h>

#include "scop/changes.h"
#include "scop/order.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

/// Where all that names an array stands.
struct Place {
  std::vector<StatementId> loops;     ///< around it, outermost first
  std::size_t at = 0;                 ///< of the outermost in the region's body
  std::vector<StatementId> expanded;  ///< of the loops, those whose counters name elements written
};

class Expander {
 public:
  explicit Expander(Region& region) : region_(region) {}

  bool Run() {
    const std::set<VariableId> written = WrittenArrays(region_);
    bool any = false;
    const std::size_t count = region_.variables.size();
    for (std::size_t k = 0; k < count; ++k) {
      any = ExpandScalar(VariableId{static_cast<std::uint32_t>(k)}) || any;
    }
    for (const VariableId array : written) any = Expand(array) || any;
    return any;
  }

 private:
  const Loop& LoopAt(StatementId id) const { return std::get<Loop>(region_.statements[id].node); }

  /// `for (i = 0; i < SIZE; i++)`: SIZE. From a number on that is larger, the first elements are
  /// nobody's.
  std::optional<ExprId> SizeOf(StatementId id) {
    const Loop loop = LoopAt(id);
    const auto* first = std::get_if<Integer>(&region_.exprs[loop.first].node);
    if (first == nullptr || first->value < 0 || loop.step != 1 || loop.bounds.size() != 1 ||
        (loop.bounds[0].comparison != BinaryOp::Less &&
         loop.bounds[0].comparison != BinaryOp::LessEqual)) {
      return std::nullopt;
    }
    bool fixed = true;
    const Changes changes = FindChanges(region_);
    ForEachExpr(region_, loop.bounds[0].value, [&](ExprId each) {
      const auto* use = std::get_if<Use>(&region_.exprs[each].node);
      fixed = fixed && (use == nullptr || changes.assigned.count(use->variable) == 0);
    });
    if (!fixed) return std::nullopt;
    if (loop.bounds[0].comparison == BinaryOp::Less) return loop.bounds[0].value;
    const Span span = region_.exprs[loop.bounds[0].value].span;
    const ExprId one = Add({Integer{1}, CType::Int, span});
    return Add({Binary{BinaryOp::Add, loop.bounds[0].value, one}, CType::Int, span});
  }

  /// The loops around all that names the array, as long as nothing else of a loop's body does.
  std::optional<Place> Find(VariableId array) const {
    Place place;
    const Body* body = &region_.body;
    for (;;) {
      std::optional<StatementId> only;
      std::size_t count = 0;
      for (std::size_t k = 0; k < body->size(); ++k) {
        if (!Mentions(region_, (*body)[k], array)) continue;
        ++count;
        only = (*body)[k];
        if (body == &region_.body) place.at = k;
      }
      if (count != 1 || !std::holds_alternative<Loop>(region_.statements[*only].node)) break;
      place.loops.push_back(*only);
      body = &LoopAt(*only).body;
    }
    if (place.loops.empty()) return std::nullopt;
    for (const StatementId loop : place.loops) {
      if (NamesWritten(*body, LoopAt(loop).iterator, array)) place.expanded.push_back(loop);
    }
    if (place.expanded.empty()) return std::nullopt;
    return place;
  }

  /// True where the counter says which element of another array is written.
  bool NamesWritten(const Body& body, VariableId counter, VariableId array) const {
    return std::any_of(body.begin(), body.end(), [&](StatementId id) {
      return Match(
          region_.statements[id].node,
          [&](const Assign& n) {
            const auto* element = std::get_if<Element>(&region_.exprs[n.target].node);
            return element != nullptr && element->variable != array &&
                   MentionsIn(region_, n.target, counter);
          },
          [&](const Loop& n) { return NamesWritten(n.body, counter, array); },
          [&](const If& n) {
            return NamesWritten(n.then_body, counter, array) ||
                   NamesWritten(n.else_body, counter, array);
          },
          [](const auto&) { return false; });
    });
  }

  /// The loops from the innermost of the place to the first statement that writes the array, and
  /// that statement; each subscript of what it writes is the counter of one of them.
  struct Writer {
    std::vector<StatementId> loops;
    ExprId target;
  };
  std::optional<Writer> FirstWriter(const Body& body, VariableId array) const {
    for (const StatementId id : body) {
      if (!Mentions(region_, id, array)) continue;
      const Statement& statement = region_.statements[id];
      if (const auto* assign = std::get_if<Assign>(&statement.node)) {
        const auto* element = std::get_if<Element>(&region_.exprs[assign->target].node);
        if (element == nullptr || element->variable != array) return std::nullopt;
        return Writer{{}, assign->target};
      }
      const auto* loop = std::get_if<Loop>(&statement.node);
      auto inner = loop == nullptr ? std::nullopt : FirstWriter(loop->body, array);
      if (!inner) return std::nullopt;
      inner->loops.insert(inner->loops.begin(), id);
      return inner;
    }
    return std::nullopt;
  }

  std::optional<std::vector<ExprId>> SizesOf(const Place& place) {
    std::vector<ExprId> sizes;
    for (const StatementId loop : place.expanded) {
      const auto size = SizeOf(loop);
      if (!size) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

  /// A scalar that a loop in the place sets, and others read: those set and read at one point are
  /// no arrays.
  bool ExpandScalar(VariableId scalar) {
    const Variable variable = region_.variables[scalar];
    const bool typed =
        variable.type == CType::Int || IsFloating(variable.type) || IsComplex(variable.type);
    if (!variable.extents.empty() || !typed || variable.used_after || !IsChanged(scalar)) {
      return false;
    }
    const auto place = Find(scalar);
    if (!place) return false;
    const Body body = LoopAt(place->loops.back()).body;
    if (!SetsBeforeReading(region_, body, scalar) || !IsSetInLoop(body, scalar)) return false;
    const auto sizes = SizesOf(*place);
    if (!sizes) return false;
    std::vector<std::optional<ExprId>> extents(sizes->begin(), sizes->end());
    const VariableId expanded = AddScratch(scalar, std::move(extents));
    for (const StatementId id : region_.statements.Ids()) {
      auto* assign = std::get_if<Assign>(&region_.statements[id].node);
      // An element is set to what the expression says.
      if (assign != nullptr && IsUse(assign->target, scalar)) assign->extremum.reset();
      const auto* define = std::get_if<Define>(&region_.statements[id].node);
      if (define == nullptr || define->variable != scalar || !define->value) continue;
      const ExprId value = *define->value;
      const ExprId target = Add({Use{scalar}, variable.type, region_.statements[id].span});
      region_.statements[id].node = Assign{target, std::nullopt, value};
    }
    for (const ExprId id : region_.exprs.Ids()) {
      const auto* use = std::get_if<Use>(&region_.exprs[id].node);
      if (use == nullptr || use->variable != scalar) continue;
      std::vector<ExprId> subscripts = CountersOf(*place, region_.exprs[id].span);
      region_.exprs[id].node = Element{expanded, std::move(subscripts)};
    }
    return true;
  }

  bool IsUse(ExprId id, VariableId scalar) const {
    const auto* use = std::get_if<Use>(&region_.exprs[id].node);
    return use != nullptr && use->variable == scalar;
  }

  /// True where statements set it, and no loop counts by it.
  bool IsChanged(VariableId scalar) const {
    bool changed = false;
    for (const Statement& statement : region_.statements) {
      const auto* loop = std::get_if<Loop>(&statement.node);
      if (loop != nullptr &&
          (loop->iterator == scalar || MentionsIn(region_, loop->first, scalar) ||
           std::any_of(loop->bounds.begin(), loop->bounds.end(), [&](const Bound& bound) {
             return MentionsIn(region_, bound.value, scalar);
           }))) {
        return false;
      }
      const auto* assign = std::get_if<Assign>(&statement.node);
      const auto* define = std::get_if<Define>(&statement.node);
      changed = changed || (assign != nullptr && IsUse(assign->target, scalar)) ||
                (define != nullptr && define->variable == scalar && define->value);
    }
    return changed;
  }

  bool IsSetInLoop(const Body& body, VariableId scalar) const {
    return std::any_of(body.begin(), body.end(), [&](StatementId id) {
      const auto* loop = std::get_if<Loop>(&region_.statements[id].node);
      return loop != nullptr && Mentions(region_, id, scalar);
    });
  }

  std::vector<ExprId> CountersOf(const Place& place, Span span) {
    std::vector<ExprId> counters;
    for (const StatementId loop : place.expanded) {
      counters.push_back(Add({Use{LoopAt(loop).iterator}, CType::Int, span}));
    }
    return counters;
  }

  /// Room for the variable's values of all iterations.
  VariableId AddScratch(VariableId of, std::vector<std::optional<ExprId>> extents) {
    Variable own = region_.variables[of];
    own.name = FreeName(region_, own.name);
    own.text = own.name;
    own.extents = std::move(extents);
    own.is_scratch = true;
    own.is_pointer = own.is_local = own.is_constant = false;
    own.no_alias = true;
    return region_.variables.Add(std::move(own));
  }

  bool Expand(VariableId array) {
    const auto place = Find(array);
    if (!place) return false;
    const auto sizes = SizesOf(*place);
    if (!sizes) return false;
    const auto writer = FirstWriter(LoopAt(place->loops.back()).body, array);
    if (!writer) return false;
    const Element target = std::get<Element>(region_.exprs[writer->target].node);
    std::vector<std::optional<ExprId>> extents(sizes->begin(), sizes->end());
    for (const ExprId subscript : target.subscripts) {
      const auto* use = std::get_if<Use>(&region_.exprs[subscript].node);
      const auto loop = std::find_if(
          writer->loops.begin(), writer->loops.end(),
          [&](StatementId id) { return use != nullptr && LoopAt(id).iterator == use->variable; });
      if (loop == writer->loops.end()) return false;
      const auto size = SizeOf(*loop);
      if (!size) return false;
      extents.push_back(size);
    }
    if (!IsSetBeforeRead(array, place->loops.size())) return false;
    Replace(array, *place, *writer, *sizes, std::move(extents));
    return true;
  }

  /// True where each element that is read has been written in the same iteration of the outer
  /// loops, by isl; and where nothing is written that the first statement does not write.
  bool IsSetBeforeRead(VariableId array, std::size_t depth) const {
    DiagnosticSink ignored;
    const auto model = BuildModel(region_, ignored);
    if (!model) return false;
    std::size_t size = 0;
    for (const Step& step : model->steps) size = std::max(size, 2 * step.loops.size() + 1);
    for (const Step& read : model->steps) {
      const isl::map read_times = OldTimes(*model, read, size).intersect_domain(read.domain);
      for (const Access& access : read.accesses) {
        if (access.variable != array) continue;
        isl::set left = read.domain;
        for (const Step& write : model->steps) {
          const Access& to = write.accesses.back();
          if (to.variable != array || !to.write) continue;
          const bool first = &write == FirstWrite(*model, array);
          if (access.write && !first) continue;
          const isl::map times = OldTimes(*model, write, size).intersect_domain(write.domain);
          isl::map pairs = to.place.apply_range(access.place.reverse());
          pairs = isl::manage(isl_map_intersect(
              pairs.release(), access.write && &write == &read
                                   ? isl_map_lex_le_map(times.copy(), read_times.copy())
                                   : isl_map_lex_lt_map(times.copy(), read_times.copy())));
          for (unsigned d = 0; d < depth; ++d) {
            pairs = isl::manage(isl_map_equate(pairs.release(), isl_dim_in, static_cast<int>(d),
                                               isl_dim_out, static_cast<int>(d)));
          }
          left = left.subtract(pairs.range());
        }
        if (!left.is_empty()) return false;
      }
    }
    return true;
  }

  static const Step* FirstWrite(const Model& model, VariableId array) {
    for (const Step& step : model.steps) {
      if (step.accesses.back().write && step.accesses.back().variable == array) return &step;
    }
    return nullptr;
  }

  ExprId Add(Expr expr) { return AddExpr(region_, std::move(expr)); }

  void Replace(VariableId array, const Place& place, const Writer& writer,
               const std::vector<ExprId>& sizes, std::vector<std::optional<ExprId>> extents) {
    const VariableId expanded = AddScratch(array, std::move(extents));
    const Element target = std::get<Element>(region_.exprs[writer.target].node);
    const Expr shape = region_.exprs[writer.target];
    for (const ExprId id : region_.exprs.Ids()) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element == nullptr || element->variable != array) continue;
      std::vector<ExprId> subscripts = CountersOf(place, region_.exprs[id].span);
      auto& changed = std::get<Element>(region_.exprs[id].node);
      subscripts.insert(subscripts.end(), changed.subscripts.begin(), changed.subscripts.end());
      changed.subscripts = std::move(subscripts);
      changed.variable = expanded;
    }
    // What the last iteration leaves.
    std::vector<ExprId> last;
    for (const ExprId size : sizes) {
      const ExprId one = Add({Integer{1}, CType::Int, shape.span});
      last.push_back(Add({Binary{BinaryOp::Sub, size, one}, CType::Int, shape.span}));
    }
    last.insert(last.end(), target.subscripts.begin(), target.subscripts.end());
    const ExprId to = Add({target, shape.type, shape.span});
    const ExprId from = Add({Element{expanded, std::move(last)}, shape.type, shape.span});
    StatementId copy =
        region_.statements.Add({Assign{to, std::nullopt, from}, region_.exprs[to].span});
    for (std::size_t k = writer.loops.size(); k-- > 0;) {
      Statement loop = region_.statements[writer.loops[k]];
      std::get<Loop>(loop.node).body = {copy};
      copy = region_.statements.Add(std::move(loop));
    }
    region_.body.insert(region_.body.begin() + static_cast<std::ptrdiff_t>(place.at) + 1, copy);
  }

  Region& region_;
};

}  // namespace

bool ExpandArrays(Region& region) {
  return Expander(region).Run();
}

}  // namespace stencilgen::scop
