#include "baseline/plain_names.h"

#include <fmt/format.h>

namespace stencilgen::baseline {

using graph::Operator;
using graph::VersionId;

PlainNames::PlainNames(const graph::Graph& graph, Memory memory)
    : graph_(graph), memory_(std::move(memory)) {
  for (const graph::Array& array : graph.arrays) taken_.insert(array.name);
  for (const graph::Parameter& parameter : graph.parameters) taken_.insert(parameter.name);
  taken_.insert(graph.iterators.begin(), graph.iterators.end());
}

const graph::Array& PlainNames::TypeOf(VersionId version) const {
  return graph_.arrays[graph_.versions[version].array];
}

const Buffer& PlainNames::BufferOf(int buffer) const {
  return memory_.buffers[static_cast<std::size_t>(buffer)];
}

std::string_view PlainNames::TypeText(int buffer) const {
  return ToString(graph_.arrays[BufferOf(buffer).array].type);
}

std::string PlainNames::ScalarName(VersionId version) const {
  const graph::Version& definition = graph_.versions[version];
  const std::string& name = TypeOf(version).name;
  return definition.def == graph::DefKind::Initial ? name
                                                   : fmt::format("{}_{}", name, version.index);
}

std::string PlainNames::NameOf(VersionId version) const {
  if (TypeOf(version).rank() == 0) return ScalarName(version);
  return BufferOf(memory_.homes.at(version)).name;
}

ExprNames PlainNames::NamesFor(const Operator& op) const {
  return {[this](VersionId version) { return NameOf(version); },
          [this, &op](int let) {
            const std::string& name = op.lets[static_cast<std::size_t>(let)].name;
            return taken_.count(name) > 0 ? name + "_let" : name;
          }};
}

void PlainNames::WriteLets(CodeWriter& writer, const Operator& op, bool reciprocals) const {
  const ExprNames names = NamesFor(op);
  const std::vector<bool> used = graph::UsedLets(graph_, op);
  for (std::size_t n = 0; n < op.lets.size(); ++n) {
    if (!used[n]) continue;
    writer.Line("const {} {} = {};", ToString(op.lets[n].type), names.let(static_cast<int>(n)),
                PlainExpr(graph_, op.lets[n].value, names, reciprocals));
  }
}

}  // namespace stencilgen::baseline
