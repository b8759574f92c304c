#include "tools/run/arguments.h"

#include <cstring>
#include <new>

#include "stencilgen/memory.hpp"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

template <typename T>
std::size_t Bytes(const std::vector<T>& elements) {
  return elements.size() * sizeof(T);
}

}  // namespace

void HostArguments::Free::operator()(void* memory) const {
  FreeArray(memory);
}

HostArguments::HostArguments(const RunInputs& inputs) : inputs_(inputs) {
  for (const HostData& array : inputs.arrays) {
    const std::size_t bytes =
        Match(array.values, [](const auto& elements) { return Bytes(elements); });
    memory_.emplace_back(AllocateArray(bytes));
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
    Match(inputs_.arrays[i].values, [&](const auto& from) {
      if (!from.empty()) std::memcpy(arrays[i], from.data(), Bytes(from));
    });
  }
}

graph::Values HostArguments::Contents(const std::string& name) const {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (inputs_.arrays[i].name != name) continue;
    graph::Values values = inputs_.arrays[i].values;
    Match(values, [&](auto& to) {
      if (!to.empty()) std::memcpy(to.data(), arrays[i], Bytes(to));
    });
    return values;
  }
  STENCILGEN_CHECK(false);
  return {};
}

}  // namespace stencilgen::driver
