#pragma once

#include "driver/pipeline.h"

namespace stencilgen::testing {

/// For code of CPUs that rounds as the interpreter does.
inline driver::PipelineOptions CppOptions() {
  driver::PipelineOptions options;
  options.target = driver::Target::Cpp;
  options.verify = false;
  options.codegen.fp = FpMode::Strict;
  options.schedule.shared_memory = options.schedule.shuffle = false;
  return options;
}

}  // namespace stencilgen::testing
