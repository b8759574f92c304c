#include "tools/run/arguments.h"

#include <algorithm>
#include <type_traits>

#include "support/check.h"
#include "support/match.h"

namespace stencilgen::driver {

HostArguments::HostArguments(const RunInputs& inputs) : inputs_(inputs) {
  for (const HostData& array : inputs.arrays) work_.push_back(array.values);
  for (graph::Values& values : work_) {
    arrays.push_back(Match(values, [](auto& elements) -> void* { return elements.data(); }));
  }
  for (const HostData& scalar : inputs.scalars) {
    scalars.push_back(
        Match(scalar.values, [](const auto& element) -> const void* { return element.data(); }));
  }
  for (const std::int64_t value : inputs.parameters) params.push_back(static_cast<int>(value));
}

void HostArguments::Restore() {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    Match(work_[i], [&](auto& to) {
      const auto& from = std::get<std::decay_t<decltype(to)>>(inputs_.arrays[i].values);
      std::copy(from.begin(), from.end(), to.begin());
    });
  }
}

const graph::Values& HostArguments::Contents(const std::string& name) const {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (inputs_.arrays[i].name == name) return work_[i];
  }
  STENCILGEN_CHECK(false);
  return work_.front();
}

}  // namespace stencilgen::driver
