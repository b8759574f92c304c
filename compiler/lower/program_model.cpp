#include "lower/program_model.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "lower/form.h"
#include "plan/time_band.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using plan::BufferId;
using plan::Step;

/// Calls `visit` on every step, those of loops after their loop.
template <typename Visit>
void VisitSteps(const std::vector<Step>& steps, Visit& visit) {
  for (const Step& step : steps) {
    visit(step);
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) VisitSteps(repeat->body, visit);
  }
}

/// Groups of buffers whose memory may change places.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t Find(BufferId id) {
    std::uint32_t at = id.index;
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void Join(BufferId a, BufferId b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

bool IsSmall(const LinearForm& form) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 29;
  return form.IsConstant() && -kLimit <= form.constant && form.constant <= kLimit;
}

bool IsSmall(const plan::Buffer& buffer) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 29;
  std::int64_t elements = 1;
  for (const LinearForm& extent : buffer.extents) {
    if (!IsSmall(extent)) return false;
    elements *= std::max<std::int64_t>(extent.constant, 1);
    if (elements > kLimit) return false;
  }
  return true;
}

bool IsSmall(const graph::Domain& domain) {
  const auto small = [](const graph::Bound& bound) { return IsSmall(bound.numerator); };
  return std::all_of(domain.intervals.begin(), domain.intervals.end(),
                     [&](const graph::Interval& interval) {
                       return std::all_of(interval.lower.begin(), interval.lower.end(), small) &&
                              std::all_of(interval.upper.begin(), interval.upper.end(), small);
                     });
}

bool HasSmallSteps(const graph::Index& index) {
  using Term = std::pair<graph::ParameterId, std::int64_t>;
  constexpr std::int64_t kMostSteps = 16;
  const std::vector<Term>& terms = index.offset.terms;
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    return !term.first.turn || std::abs(term.second) <= kMostSteps;
  });
}

/// Of a loop: it has few turns where they have a name; of an operator: its indices are small in
/// such a loop.
bool HasSmallTurns(const graph::Graph& graph, const graph::Node& node) {
  constexpr std::int64_t kMostTurns = std::int64_t{1} << 24;
  return Match(
      node,
      [&](const graph::Loop& loop) {
        const LinearForm& count = loop.turns.count;
        return !loop.turn.Valid() || (count.IsConstant() && count.constant <= kMostTurns);
      },
      [&](const graph::Operator& op) {
        const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
        return std::all_of(op.target.begin(), op.target.end(), HasSmallSteps) &&
               std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
                 const auto& indices = std::get<graph::Access>(graph.exprs[id].node).indices;
                 return std::all_of(indices.begin(), indices.end(), HasSmallSteps);
               });
      });
}

}  // namespace

ProgramModel::ProgramModel(const plan::Plan& plan, const Options& options)
    : plan_(plan), options_(options), home_of_(plan.graph.arrays.size()) {
  for (BufferId id : plan_.buffers.Ids()) {
    if (!IsScratch(id)) home_of_[plan_.buffers[id].home.index] = id;
  }
  fits_int_index_ = ProvesIntIndex();
  ClaimNames();
  CollectArguments();
  CollectUse();
  PlaceConstants();
  MakeVars();
  NameParts();
}

void ProgramModel::ClaimNames() {
  for (const graph::Parameter& parameter : graph().parameters) {
    parameters_.push_back(scope_.Claim(parameter.name));
  }
  for (const graph::Array& array : graph().arrays) {
    const bool first = array.component && array.component->number == 0;
    if (first) wholes_.push_back(scope_.Claim(array.component->whole));
  }
  for (const plan::Buffer& buffer : plan_.buffers) buffers_.push_back(scope_.Claim(buffer.name));
  for (const auto& [name, type] : plan_.scalars) scalars_.push_back(scope_.Claim(name));
  for (const plan::Kernel& kernel : plan_.kernels) kernels_.push_back(scope_.Claim(kernel.name));
  for (const std::string& kernel : kernels_) {
    launchers_.push_back(scope_.Claim(fmt::format("launch_{}", kernel)));
  }
}

void ProgramModel::CollectArguments() {
  int next_scalar = 0;
  std::size_t next_whole = 0;
  for (graph::ArrayId id : graph().arrays.Ids()) {
    const graph::Array& array = graph().arrays[id];
    if (array.local) continue;
    if (array.rank() == 0) {
      arguments_.push_back({id, Scalar(next_scalar), {}, next_scalar});
      ++next_scalar;
      continue;
    }
    const BufferId home = home_of_[id.index];
    if (array.component && array.component->number > 0) {
      arguments_.back().buffers.push_back(home);
    } else {
      arguments_.push_back({id, array.component ? wholes_[next_whole++] : Name(home), {home}, -1});
    }
  }
}

void ProgramModel::CollectUse() {
  const std::size_t count = plan_.buffers.size();
  used_.assign(count, false);
  written_.assign(count, false);
  rotated_.assign(count, false);
  Groups groups(count);
  const auto read = [&](const graph::Operator& op) {
    for (graph::ExprId id : graph::Accesses(graph(), op)) {
      const auto& access = std::get<graph::Access>(graph().exprs[id].node);
      const BufferId buffer = plan_.buffer_of[access.version.index];
      if (buffer.Valid()) used_[buffer.index] = true;
    }
  };
  const auto write = [&](BufferId buffer) {
    used_[buffer.index] = true;
    written_[buffer.index] = true;
  };
  auto visit = [&](const Step& step) {
    Match(
        step,
        [&](const plan::Launch& launch) {
          const plan::Kernel& kernel = plan_.kernels[launch.kernel];
          for (graph::NodeId node : kernel.ops) {
            read(OperatorOf(node));
            // A tile may read the background of what it computes.
            const graph::VersionId background = OperatorOf(node).background;
            if (!kernel.tile || !background.Valid()) continue;
            const BufferId source = plan_.buffer_of[background.index];
            if (source.Valid()) used_[source.index] = true;
          }
          for (graph::VersionId version : StoredVersions(plan_, kernel)) {
            write(plan_.buffer_of[version.index]);
          }
          if (kernel.held) write(kernel.held->buffer);
        },
        [&](const plan::AssignScalar& assign) { read(OperatorOf(assign.op)); },
        [&](const plan::CopyOutside& copy) {
          used_[copy.src.index] = true;
          write(copy.dst);
        },
        [&](const plan::CopyAll& copy) {
          used_[copy.src.index] = true;
          write(copy.dst);
        },
        [&](const plan::Repeat& repeat) {
          for (const auto& [to, from] : repeat.rotation) {
            used_[to.index] = true;
            used_[from.index] = true;
            groups.Join(to, from);
            if (to != from) rotated_[to.index] = true;
          }
        });
  };
  VisitSteps(plan_.steps, visit);
  for (std::size_t k = 0; k < plan_.results.size(); ++k) {
    const BufferId result = plan_.results[k];
    if (!result.Valid() || plan_.buffers[result].home == graph().outputs[k].array) continue;
    used_[result.index] = true;
    write(home_of_[graph().outputs[k].array.index]);
  }
  std::vector<bool> group_written(count, false);
  for (BufferId id : plan_.buffers.Ids()) {
    if (written_[id.index]) group_written[groups.Find(id)] = true;
  }
  for (BufferId id : plan_.buffers.Ids()) written_[id.index] = group_written[groups.Find(id)];
}

void ProgramModel::PlaceConstants() {
  constexpr std::int64_t kBytes = std::int64_t{48} * 1024;
  std::int64_t taken = 0;
  for (BufferId id : plan_.buffers.Ids()) {
    constants_.emplace_back();
    const plan::Buffer& buffer = plan_.buffers[id];
    if (!IsUsed(id) || IsWritten(id) || !buffer.home.Valid()) continue;
    if (!graph().arrays[buffer.home].constant || !IsSmall(buffer)) continue;
    std::int64_t bytes = ElementBytes(buffer);
    for (const LinearForm& extent : buffer.extents) {
      bytes *= std::max<std::int64_t>(extent.constant, 1);
    }
    if (taken + bytes > kBytes) continue;
    taken += bytes;
    constants_.back() = scope_.Claim(fmt::format("constant_{}", buffers_[id.index]));
  }
}

void ProgramModel::MakeVars() {
  for (const std::string& name : parameters_) {
    parameter_vars_.push_back(kernel::MakeVar(name, kernel::kIndex));
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    scalar_vars_.push_back(kernel::MakeVar(scalars_[k], kernel::TypeOf(plan_.scalars[k].second)));
  }
  for (const plan::Kernel& kernel : plan_.kernels) {
    const bool pipeline = kernel.tile && kernel.tile->pipeline;
    stages_vars_.push_back(pipeline ? kernel::MakeVar(scope_.Claim("stages"), kernel::kIndex)
                                    : nullptr);
  }
  for (BufferId id : plan_.buffers.Ids()) {
    const kernel::Type type = kernel::TypeOf(plan_.buffers[id].type);
    const ElementFormat format = plan_.buffers[id].format;
    buffer_vars_.push_back(kernel::MakeVar(Name(id), type, kernel::Storage::Global, 0, format));
    device_vars_.push_back(
        ConstantName(id).empty()
            ? buffer_vars_.back()
            : kernel::MakeVar(ConstantName(id), type, kernel::Storage::Constant, 0, format));
  }
}

void ProgramModel::NameParts() {
  boxes_.resize(plan_.kernels.size());
  copies_.resize(plan_.kernels.size());
  in_place_.resize(plan_.kernels.size());
  target_of_ = plan_.buffer_of;
  for (const plan::KernelId id : plan_.kernels.Ids()) {
    const plan::Kernel& kernel = plan_.kernels[id];
    if (!kernel.held) continue;
    boxes_[id.index] = scope_.Claim(fmt::format("{}_box", kernels_[id.index]));
    copies_[id.index] = scope_.Claim(fmt::format("{}_home", kernels_[id.index]));
    target_of_[OperatorOf(kernel.ops.front()).result.index] = kernel.held->buffer;
  }
  for (const plan::Repeat* repeat : plan::LoopsWithBands(plan_)) {
    bands_.push_back(scope_.Claim("band"));
    phase_vars_.push_back(
        repeat->band->hexagon ? kernel::MakeVar(scope_.Claim("phase"), kernel::kIndex) : nullptr);
    for (const plan::KernelId id : repeat->band->launches) {
      std::string& box = boxes_[id.index];
      if (box.empty()) box = scope_.Claim(fmt::format("{}_box", kernels_[id.index]));
    }
    if (!repeat->band->single) continue;
    const std::size_t kernel = repeat->band->launches.front().index;
    if (!in_place_[kernel].empty()) continue;
    copies_[kernel] = scope_.Claim(fmt::format("{}_home", kernels_[kernel]));
    in_place_[kernel] = scope_.Claim(fmt::format("{}_in_place", kernels_[kernel]));
  }
}

kernel::Expr ProgramModel::Form(const LinearForm& form) const {
  return FormOf(form, parameter_vars_);
}

bool ProgramModel::NeedsContents(BufferId id) const {
  const graph::ArrayId home = plan_.buffers[id].home;
  return home.Valid() && plan_.needs_contents[home.index];
}

bool ProgramModel::IsCopiedOut(BufferId id) const {
  const graph::ArrayId home = plan_.buffers[id].home;
  return home.Valid() && graph().arrays[home].copy_out;
}

std::vector<Result> ProgramModel::results() const {
  std::vector<Result> results;
  for (std::size_t k = 0; k < plan_.results.size(); ++k) {
    const BufferId home = home_of_[graph().outputs[k].array.index];
    if (home.Valid() && IsUsed(home)) results.push_back({home, plan_.results[k]});
  }
  return results;
}

std::vector<Result> ProgramModel::Moves() const {
  std::vector<Result> moves;
  for (const Result& result : results()) {
    if (result.home != result.buffer || rotated_[result.home.index]) moves.push_back(result);
  }
  std::stable_partition(moves.begin(), moves.end(), [&](const Result& result) {
    return !graph().arrays[plan_.buffers[result.home].home].component;
  });
  return moves;
}

const graph::Operator& ProgramModel::OperatorOf(graph::NodeId node) const {
  return std::get<graph::Operator>(graph().nodes[node]);
}

const graph::Operator& ProgramModel::OperatorOf(plan::KernelId kernel) const {
  return OperatorOf(plan_.kernels[kernel].ops.front());
}

std::vector<const graph::Operator*> ProgramModel::OperatorsOf(plan::KernelId kernel) const {
  std::vector<const graph::Operator*> ops;
  for (graph::NodeId node : plan_.kernels[kernel].ops) ops.push_back(&OperatorOf(node));
  return ops;
}

bool ProgramModel::ProvesIntIndex() const {
  const bool small_turns =
      std::all_of(graph().nodes.begin(), graph().nodes.end(),
                  [&](const graph::Node& node) { return HasSmallTurns(graph(), node); });
  return small_turns &&
         std::all_of(plan_.buffers.begin(), plan_.buffers.end(),
                     [](const plan::Buffer& buffer) { return IsSmall(buffer); }) &&
         std::all_of(plan_.kernels.begin(), plan_.kernels.end(), [&](const plan::Kernel& kernel) {
           return std::all_of(kernel.ops.begin(), kernel.ops.end(),
                              [&](graph::NodeId node) { return IsSmall(OperatorOf(node).domain); });
         });
}

std::vector<LinearForm> ProgramModel::Counts() const {
  std::vector<LinearForm> counts;
  auto visit = [&](const Step& step) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr || graph::AlwaysNonNegative(repeat->turns.count)) return;
    if (std::find(counts.begin(), counts.end(), repeat->turns.count) == counts.end()) {
      counts.push_back(repeat->turns.count);
    }
  };
  VisitSteps(plan_.steps, visit);
  return counts;
}

}  // namespace stencilgen::lower
