#pragma once

#include <string>

namespace stencilgen::measure {

/// The GPU that a process would take: its name and architecture, `sm_90`; empty without one.
struct GpuName {
  std::string model, arch;
};
GpuName AskGpu();
/// The same, asked in a process of its own: one that knows its GPU cannot fork any more.
GpuName FindGpu();

}  // namespace stencilgen::measure
