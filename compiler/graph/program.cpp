#include "graph/program.h"

namespace stencilgen::graph {

std::vector<std::string> Texts(const std::vector<DeclaredName>& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const DeclaredName& name : names) texts.push_back(name.text);
  return texts;
}

std::vector<std::string> KernelIterators(const ProgramInterface& program) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names = Texts(program.iterators);
  if (names.size() > kMost) names.erase(names.begin(), names.end() - kMost);
  return names;
}

ProgramInterface InterfaceOf(const Graph& graph) {
  ProgramInterface interface;
  for (const ParameterId id : SizesOf(graph)) {
    interface.parameters.push_back({graph.parameters[id].name, graph.parameters[id].span});
  }
  for (const std::string& iterator : graph.iterators) interface.iterators.push_back({iterator, {}});
  for (const Array& array : graph.arrays) {
    if (array.local) continue;
    interface.arrays.push_back({{array.name, array.span},
                                array.type,
                                array.format,
                                array.rank(),
                                array.copy_in,
                                array.copy_out,
                                array.constant});
  }
  return interface;
}

}  // namespace stencilgen::graph
