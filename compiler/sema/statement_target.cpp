#include "sema/statement_target.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "sema/expr_builder.h"
#include "sema/messages.h"
#include "sema/turns.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kAssignNumber{
    "assign-to-value", Severity::Error,
    "'{}' stands for a value in this call, it cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kAssignConstant{
    "assign-to-constant", Severity::Error, "'{}' is read-only, it cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kScalarFromArray{
    "scalar-from-array", Severity::Error,
    "program-level scalar '{}' can only be assigned from scalars"};

/// The indices as written.
std::optional<std::vector<graph::Index>> SourceIndices(Context& context, const Resolver& resolve,
                                                       const BodyStatement& source) {
  ExprScope unshifted;
  unshifted.resolve = resolve;
  return ExprBuilder(context, unshifted).Indices(source.indices);
}

bool ResolveIndices(Context& context, const Resolver& resolve, Statement& s) {
  auto indices = SourceIndices(context, resolve, *s.source);
  if (!indices) return false;
  const graph::Array& array = context.graph.arrays[s.array];
  std::array<bool, kMostIterators> seen{};
  for (std::size_t d = 0; d < indices->size(); ++d) {
    const graph::Index& index = (*indices)[d];
    if (index.iterator < 0) {
      if (AlwaysNegative(Largest(context, index.offset)) ||
          AlwaysNegative(Largest(context, array.extents[d] - 1 - index.offset))) {
        context.sink.Report(context.ast.exprs[s.source->indices[d]].span, kIndexOutside, array.name,
                            static_cast<std::int64_t>(d + 1));
        return false;
      }
      continue;
    }
    const auto it = static_cast<std::size_t>(index.iterator);
    if (index.coefficient == 1 && !seen[it]) s.shift[it] = index.offset;
    seen[it] = true;
  }
  s.target = std::move(*indices);
  for (graph::Index& index : s.target) {
    if (index.iterator < 0) continue;
    index.offset =
        index.offset - s.shift[static_cast<std::size_t>(index.iterator)] * index.coefficient;
  }
  return true;
}

/// The left side has an index for each dimension of its array.
bool CheckRank(Context& context, const BodyStatement& source, graph::ArrayId id) {
  if (source.indices.size() == context.WrittenRank(id)) return true;
  context.ReportRank(id, source.target, source.span, source.indices.size());
  return false;
}

}  // namespace

bool ResolveTarget(Context& context, const Resolver& resolve, Statement& s) {
  const BodyStatement& source = *s.source;
  const ast::Name& name = source.target;
  const Ref ref = resolve(name.text);
  if (ref.kind == RefKind::LocalScalar) {
    s.kind = TargetKind::LocalScalar;
    s.scalar = ref.index;
    if (source.indices.empty()) return true;
    context.sink.Report(name.span, kNotIndexed, name.text);
    return false;
  }
  if (ref.kind != RefKind::Array) {
    context.sink.Report(name.span, kAssignNumber, name.text);
    return false;
  }
  s.array = graph::ArrayId{ref.index};
  const graph::Array& array = context.graph.arrays[s.array];
  if (array.constant) {
    context.sink.Report(name.span, kAssignConstant, name.text).Note(array.span, "declared here");
    return false;
  }
  s.kind = context.WrittenRank(s.array) > 0 ? TargetKind::Array : TargetKind::ProgramScalar;
  if (!CheckRank(context, source, s.array)) return false;
  if (s.kind == TargetKind::Array) return ResolveIndices(context, resolve, s);
  s.target.assign(array.rank(), graph::Index{});
  return true;
}

bool CheckTargetCovers(Context& context, const Statement& s, unsigned varies, bool reads_arrays) {
  if (s.kind == TargetKind::LocalScalar) return true;
  if (s.kind == TargetKind::ProgramScalar && (varies != 0 || reads_arrays)) {
    const std::string element =
        varies == 0 ? ElementHint(context, s.source->target.text, s.value) : "";
    context.sink.Report(s.source->span, kScalarFromArray, s.source->target.text)
        .Hint(element.empty() ? "use a scalar declared inside the stencil for a value of each point"
                              : element);
    return false;
  }
  unsigned indexed = 0;
  for (const graph::Index& index : s.target) {
    if (index.iterator >= 0) indexed |= 1U << static_cast<unsigned>(index.iterator);
  }
  for (int d = 0; d < context.IteratorCount(); ++d) {
    if (((varies & ~indexed) >> static_cast<unsigned>(d) & 1U) == 0) continue;
    context.sink.Report(s.source->span, kMissingIterator, s.source->target.text,
                        context.graph.iterators[static_cast<std::size_t>(d)]);
    return false;
  }
  return true;
}

std::string ElementHint(const Context& context, std::string_view target, graph::ExprId value) {
  const graph::Graph& graph = context.graph;
  std::vector<graph::ExprId> accesses;
  graph::CollectAccesses(graph, value, accesses);
  for (const graph::ExprId id : accesses) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    const auto is_place = [](const graph::Index& index) {
      return index.iterator < 0 && !index.place.Valid();
    };
    const std::size_t rank = access.indices.size();
    if (rank == 0 || rank > graph.iterators.size() ||
        !std::all_of(access.indices.begin(), access.indices.end(), is_place)) {
      continue;
    }
    const graph::Array& array = graph.arrays[graph.versions[access.version].array];
    std::vector<std::string> ranges;
    std::string element = array.name;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string place =
          graph::ToString(access.indices[d].offset, graph::ParameterNames(graph));
      ranges.push_back(fmt::format("{0}:{0}", place));
      element += fmt::format("[{}]", graph.iterators[d]);
    }
    return fmt::format("an element is the sum over its point alone: `[{}] : {} = sum({});`",
                       fmt::join(ranges, ", "), target, element);
  }
  return "";
}

}  // namespace stencilgen::sema
