#include "tools/run/arguments.h"

#include <new>

#include "graph/element_format.h"
#include "stencilgen/memory.hpp"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::driver {

void HostArguments::Free::operator()(void* memory) const {
  FreeArray(memory);
}

HostArguments::HostArguments(const RunInputs& inputs) : inputs_(inputs) {
  for (const HostData& array : inputs.arrays) {
    memory_.emplace_back(AllocateArray(graph::BytesOf(array.values, array.format)));
    if (memory_.back() == nullptr) throw std::bad_alloc();
    arrays.push_back(memory_.back().get());
  }
  Restore();
  for (const HostData& scalar : inputs.scalars) {
    scalars.push_back(
        Match(scalar.values, [](const auto& element) -> const void* { return element.data(); }));
  }
  for (const std::int64_t value : inputs.parameters) params.push_back(static_cast<int>(value));
}

void HostArguments::Restore() {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    graph::StoreElements(inputs_.arrays[i].values, inputs_.arrays[i].format, arrays[i]);
  }
}

graph::Values HostArguments::Contents(const std::string& name) const {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (inputs_.arrays[i].name != name) continue;
    graph::Values values = inputs_.arrays[i].values;
    graph::LoadElements(arrays[i], inputs_.arrays[i].format, values);
    return values;
  }
  STENCILGEN_CHECK(false);
  return {};
}

}  // namespace stencilgen::driver
