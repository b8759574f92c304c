#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ast/update_groups.h"
#include "graph/regions.h"
#include "sema/array_coverage.h"
#include "sema/empty_domain.h"
#include "sema/statement.h"
#include "sema/turns.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kNotBox{
    "local-domain-not-box", Severity::Error,
    "the points where '{}' has been computed do not form a box"};
constexpr DiagnosticKind<> kCyclic{
    "cyclic-domain", Severity::Error,
    "the domain of this statement depends on itself through its accumulation group"};
constexpr DiagnosticKind<std::string_view> kTurnsWithout{
    "turns-without-points", Severity::Warning, "{}this statement computes nothing in some turns"};
constexpr int kMaxPasses = 8;

class DomainSolver {
 public:
  explicit DomainSolver(const DomainInputs& inputs)
      : inputs_(inputs), iterators_(inputs.context.IteratorCount()) {
    int groups = 0;
    for (const Statement& s : inputs_.statements) groups = std::max(groups, s.group + 1);
    group_domains_.assign(static_cast<std::size_t>(groups), Everywhere(iterators_));
    group_varies_.assign(static_cast<std::size_t>(groups), false);
    for (const Statement& s : inputs_.statements) {
      if (s.kind != TargetKind::LocalScalar || s.group < 0 || DefinitionOf(s).varies == 0) continue;
      group_varies_[static_cast<std::size_t>(s.group)] = true;
    }
  }

  /// False where an error was reported.
  bool Run() {
    const std::size_t errors = inputs_.context.sink.ErrorCount();
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      const std::vector<PointSet> before = group_domains_;
      Pass();
      if (!grouped_ || group_domains_ == before) {
        ShareGroupDomains();
        return inputs_.context.sink.ErrorCount() == errors;
      }
    }
    const auto grouped = std::find_if(inputs_.statements.begin(), inputs_.statements.end(),
                                      [](const Statement& s) { return s.group >= 0; });
    inputs_.context.sink.Report(grouped->source->span, kCyclic);
    return false;
  }

  /// Warns of statements that have no point at the sizes that the program names; of a group's, of
  /// the first one.
  /// Requires: Run has found the domains.
  void WarnEmpty() {
    const NamedSizes sizes(inputs_.context.graph);
    const auto is_empty = [&](const Statement& s) { return sizes.IsEmpty(s.domain); };
    if (std::none_of(inputs_.statements.begin(), inputs_.statements.end(), is_empty)) return;
    scalar_coverage_.clear();
    array_coverage_.clear();
    std::vector<std::pair<Span, std::vector<Limit>>> empty;
    std::map<int, std::size_t> of_group;
    for (const Statement& s : inputs_.statements) {
      if (is_empty(s)) {
        std::size_t place = empty.size();
        if (s.group >= 0) place = of_group.try_emplace(s.group, place).first->second;
        if (place == empty.size()) empty.push_back({s.source->span, {}});
        AddLimits(s, empty[place].second);
      }
      Cover(s);
    }
    for (const auto& [span, limits] : empty) {
      WarnEmptyDomain(inputs_.context, sizes, span, limits);
    }
  }

  /// Warns of reads and targets that do not exist in some turn of a loop, at the sizes that the
  /// program names.
  /// Requires: Run has found the domains.
  void WarnTurns() {
    const NamedSizes sizes(inputs_.context.graph);
    for (const Statement& s : inputs_.statements) {
      for (const graph::LinearForm& guard : s.domain.guards) {
        if (HasTurn(guard) && Least(sizes, guard).value_or(0) < 0) {
          WarnTurns(sizes, s, guard);
          break;
        }
      }
    }
  }

 private:
  /// The least value of the form in any turn, at the sizes that the program names.
  std::optional<std::int64_t> Least(const NamedSizes& sizes, graph::LinearForm form) const {
    for (const EveryScope& every : inputs_.context.every) {
      if (!every.execution.Valid()) continue;
      const auto count = sizes.Value(inputs_.context.turns.at(every.execution));
      if (!count) continue;
      const std::int64_t last = std::max<std::int64_t>(*count / every.turns - 1, 0);
      const bool falls = std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
        return term.first == every.execution && term.second < 0;
      });
      form = Replace(form, every.execution, graph::LinearForm::Constant(falls ? last : 0));
    }
    return sizes.Value(Smallest(inputs_.context, form));
  }

  /// The members' domains are the same set by now; make them the same bounds too. Where one of a
  /// scalar's members is not computed none is: what was before all of them shows there.
  void ShareGroupDomains() {
    std::vector<int> group_of(inputs_.definitions.size(), -1);
    for (Statement& s : inputs_.statements) {
      if (s.group < 0) continue;
      s.domain = group_domains_[static_cast<std::size_t>(s.group)];
      if (s.kind != TargetKind::LocalScalar) continue;
      Definition& definition = DefinitionOf(s);
      group_of[static_cast<std::size_t>(s.definition)] = s.group;
      const int before = definition.background;
      if (before >= 0 && group_of[static_cast<std::size_t>(before)] == s.group) {
        definition.background = inputs_.definitions[static_cast<std::size_t>(before)].background;
      }
      definition.domain.guards = s.domain.guards;
      if (definition.varies != 0) definition.domain = s.domain;
    }
  }

  /// Guards that hold in every turn say nothing.
  void DropImplied(PointSet& domain) const {
    std::erase_if(domain.guards, [&](const graph::LinearForm& guard) {
      return HasTurn(guard) && AlwaysNonNegative(Smallest(inputs_.context, guard));
    });
  }

  void Pass() {
    scalar_coverage_.clear();
    array_coverage_.clear();
    std::vector<PointSet> next(group_domains_.size(), Everywhere(iterators_));
    for (Statement& s : inputs_.statements) {
      PointSet domain = s.bounds;
      for (const graph::ExprId id : s.accesses) ConstrainByAccess(domain, id);
      for (const int d : s.definitions_read) ConstrainByDefinition(domain, s, d);
      if (s.kind == TargetKind::Reduction) ConstrainByExtents(domain, s);
      DropImplied(domain);
      if (s.group >= 0) {
        grouped_ = true;
        auto& group = next[static_cast<std::size_t>(s.group)];
        domain = Intersect(std::move(domain), group_domains_[static_cast<std::size_t>(s.group)]);
        group = Intersect(std::move(group), domain);
      }
      s.domain = std::move(domain);
      Cover(s);
    }
    group_domains_ = std::move(next);
  }

  void WarnTurns(const NamedSizes& sizes, const Statement& s, const graph::LinearForm& guard) {
    const graph::LinearForm least = Smallest(inputs_.context, guard);
    const std::string text = sizes.Text({PointSet{{}, {least}}});
    auto report =
        inputs_.context.sink.Report(s.source->span, kTurnsWithout,
                                    text.empty() ? std::string() : fmt::format("with {} ", text));
    for (const graph::ExprId id : s.accesses) {
      PointSet points = Everywhere(iterators_);
      ConstrainByAccess(points, id);
      if (std::find(points.guards.begin(), points.guards.end(), guard) == points.guards.end()) {
        continue;
      }
      const graph::Expr& expr = inputs_.context.graph.exprs[id];
      const graph::VersionId version = std::get<graph::Access>(expr.node).version;
      const graph::ArrayId array = inputs_.context.graph.versions[version].array;
      const auto turn = std::find_if(guard.terms.begin(), guard.terms.end(),
                                     [](const auto& term) { return term.first.turn; });
      report.Note(expr.span, fmt::format("this element of '{}' does not exist in the {} turn",
                                         inputs_.context.arrays[array.index].source_name,
                                         turn->second > 0 ? "first" : "last"));
      return;
    }
  }

  /// What the statement's own points and each of its reads leave by themselves; of a group, reads
  /// of what it computes take nothing.
  void AddLimits(const Statement& s, std::vector<Limit>& limits) {
    const BodyStatement& source = *s.source;
    limits.push_back({Limit::Kind::Given, "",
                      source.domain != nullptr ? source.domain->span : source.target.span,
                      s.bounds});
    for (const graph::ExprId id : s.accesses) {
      const graph::Expr& expr = inputs_.context.graph.exprs[id];
      const graph::ArrayId array =
          inputs_.context.graph.versions[std::get<graph::Access>(expr.node).version].array;
      const bool local = inputs_.context.graph.arrays[array].local;
      if (s.group >= 0 && local && array == s.array) continue;
      Limit limit{local ? Limit::Kind::Local : Limit::Kind::Read,
                  inputs_.context.arrays[array.index].source_name, expr.span,
                  Everywhere(iterators_)};
      ConstrainByAccess(limit.points, id);
      limits.push_back(std::move(limit));
    }
    for (const int d : s.definitions_read) {
      const Definition& definition = inputs_.definitions[static_cast<std::size_t>(d)];
      const bool own = s.kind == TargetKind::LocalScalar && definition.scalar == s.scalar;
      if (s.group >= 0 && own) continue;
      Limit limit{Limit::Kind::Local, inputs_.locals[definition.scalar].declarator->name.text,
                  definition.span, Everywhere(iterators_)};
      ConstrainByDefinition(limit.points, s, d);
      limits.push_back(std::move(limit));
    }
  }

  void ConstrainByAccess(PointSet& domain, graph::ExprId id) {
    const auto& access = std::get<graph::Access>(inputs_.context.graph.exprs[id].node);
    const graph::ArrayId array_id = inputs_.context.graph.versions[access.version].array;
    const graph::Array& array = inputs_.context.graph.arrays[array_id];
    if (array.local) {
      const Coverage& coverage = array_coverage_[array_id.index].Of(access.indices);
      if (!coverage.is_box) {
        Complain(inputs_.context.graph.exprs[id].span,
                 inputs_.context.arrays[array_id.index].source_name);
        return;  // the coverage has no box to keep to
      }
      for (std::size_t d = 0; coverage.any && d < access.indices.size(); ++d) {
        Constrain(domain, access.indices[d], coverage.box.intervals[d]);
      }
      for (const graph::LinearForm& guard : coverage.box.guards) AddGuard(domain, guard);
      return;
    }
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const bool open =
          !access.boundary.empty() && access.boundary[d].kind != graph::BoundaryKind::None;
      if (!open) Constrain(domain, access.indices[d], graph::WholeExtent(array.extents[d]));
    }
  }

  /// A reduction has no target whose extents would end it: what it reads with a boundary mode does,
  /// by its own points.
  void ConstrainByExtents(PointSet& domain, const Statement& s) {
    std::vector<graph::ExprId> accesses = s.accesses;
    std::vector<int> pending = s.definitions_read;
    std::set<int> seen;
    while (!pending.empty()) {
      const int at = pending.back();
      pending.pop_back();
      if (!seen.insert(at).second) continue;
      const Definition& definition = inputs_.definitions[static_cast<std::size_t>(at)];
      graph::CollectAccesses(inputs_.context.graph, definition.value, accesses);
      pending.insert(pending.end(), definition.reads.begin(), definition.reads.end());
    }
    for (const graph::ExprId id : accesses) {
      const auto& access = std::get<graph::Access>(inputs_.context.graph.exprs[id].node);
      const graph::ArrayId array = inputs_.context.graph.versions[access.version].array;
      const auto& extents = inputs_.context.graph.arrays[array].extents;
      for (std::size_t d = 0; d < access.boundary.size(); ++d) {
        if (access.boundary[d].kind == graph::BoundaryKind::None) continue;
        graph::Index own = access.indices[d];
        own.offset = {};
        if (own.iterator >= 0) Constrain(domain, own, graph::WholeExtent(extents[d]));
      }
    }
  }

  void ConstrainByDefinition(PointSet& domain, const Statement& s, int index) {
    const Definition& definition = inputs_.definitions[static_cast<std::size_t>(index)];
    const Coverage& coverage = scalar_coverage_[definition.scalar];
    if (!coverage.any) return;
    if (!coverage.is_box) {
      Complain(s.source->span, inputs_.locals[definition.scalar].declarator->name.text);
    }
    for (int d = 0; d < iterators_; ++d) {
      const auto at = static_cast<std::size_t>(d);
      Constrain(domain, {d, 1, s.shift[at] * -1}, coverage.box.intervals[at]);
    }
    for (const graph::LinearForm& guard : coverage.box.guards) AddGuard(domain, guard);
  }

  Definition& DefinitionOf(const Statement& s) const {
    return inputs_.definitions[static_cast<std::size_t>(s.definition)];
  }

  void Complain(Span span, const std::string& name) {
    inputs_.context.sink.Report(span, kNotBox, name)
        .Hint(
            "give its assignments domains that together form one box, or use a program-level "
            "array");
  }

  void Cover(const Statement& s) {
    if (s.kind == TargetKind::LocalScalar) {
      Definition& definition = DefinitionOf(s);
      definition.domain = s.domain;
      // A uniform value has no points; whether its elements exist depends on parameters alone.
      if (definition.varies == 0) definition.domain.intervals = Everywhere(iterators_).intervals;
      // That of a sum which takes elements later counts where the sum does.
      const bool has_points = s.group >= 0 && group_varies_[static_cast<std::size_t>(s.group)];
      const PointSet& computed = has_points ? s.domain : definition.domain;
      Coverage& coverage = scalar_coverage_[s.scalar];
      AddBox(coverage, computed);
      // A scalar used again for something else: only its latest value counts.
      if (!coverage.is_box && !s.update && !s.own_domain) coverage = {true, true, computed};
      return;
    }
    if (s.kind != TargetKind::Array || !inputs_.context.graph.arrays[s.array].local) return;
    const graph::Array& array = inputs_.context.graph.arrays[s.array];
    PointSet box{{}, s.domain.guards};  // all that is written lies in it
    bool fills_box = graph::WalksBox(s.target);
    for (std::size_t d = 0; d < s.target.size(); ++d) {
      const graph::Index& index = s.target[d];
      if (index.iterator < 0) {
        box.intervals.push_back({{{index.offset, 1}}, {{index.offset, 1}}});
      } else if (IsPlain(index)) {
        box.intervals.push_back(s.domain.intervals[static_cast<std::size_t>(index.iterator)]);
      } else {
        box.intervals.push_back(graph::WholeExtent(array.extents[d]));
        fills_box = false;
      }
    }
    array_coverage_[s.array.index].Add(s.target, box, fills_box);
  }

  const DomainInputs& inputs_;
  int iterators_;
  bool grouped_ = false;
  std::vector<PointSet> group_domains_;
  std::vector<bool> group_varies_;  ///< by group: some member is a value of each point
  std::unordered_map<std::uint32_t, Coverage> scalar_coverage_;
  std::unordered_map<std::uint32_t, ArrayCoverage> array_coverage_;
};

}  // namespace

void FindGroups(std::vector<Statement>& statements) {
  std::map<std::pair<TargetKind, std::uint32_t>, std::uint32_t> targets;
  std::vector<ast::GroupMember> members;
  for (const Statement& s : statements) {
    const bool alone = s.kind == TargetKind::ProgramScalar || s.kind == TargetKind::Reduction;
    const std::uint32_t id = s.kind == TargetKind::Array ? s.array.index : s.scalar;
    const auto next = static_cast<std::uint32_t>(targets.size() + members.size());
    const std::uint32_t target =
        alone ? next : targets.try_emplace({s.kind, id}, next).first->second;
    members.push_back({target, s.update, !alone && s.with_previous, !alone && s.source->with_next});
  }
  const std::vector<int> groups =
      ast::FindUpdateGroups(members, [&](std::size_t update, std::size_t first) {
        const Statement& s = statements[update];
        return s.target == statements[first].target &&
               (!s.own_domain || s.own_domain == statements[first].own_domain);
      });
  for (std::size_t i = 0; i < groups.size(); ++i) statements[i].group = groups[i];
}

void ComputeDomains(const DomainInputs& inputs) {
  DomainSolver solver(inputs);
  if (!solver.Run()) return;
  solver.WarnEmpty();
  solver.WarnTurns();
}

}  // namespace stencilgen::sema
