#include "kernel/execute.h"

#include <cstring>
#include <utility>

#include "kernel/bytecode.h"
#include "kernel/machine.h"
#include "support/match.h"

namespace stencilgen::kernel {

Memory UnsetMemory(ScalarType type, std::size_t count) {
  Memory memory = {graph::MakeValues(type, count), std::vector<std::uint8_t>(count, 0)};
  Match(memory.values, [&](auto& each) {
    if (count > 0) std::memset(each.data(), 0xFF, count * sizeof each[0]);
  });
  return memory;
}

Memory SetMemory(graph::Values values) {
  const std::size_t count = graph::SizeOf(values);
  return {std::move(values), std::vector<std::uint8_t>(count, 1)};
}

ExecuteResult Execute(const Function& function, const std::vector<ExecuteArgument>& arguments,
                      const ExecuteOptions& options) {
  const bytecode::Code code = bytecode::Compile(function, options);
  return bytecode::Machine(function, code, options).Run(arguments);
}

}  // namespace stencilgen::kernel
