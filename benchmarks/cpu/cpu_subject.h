#pragma once

#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "support/suite.h"

namespace stencilgen::tables {

/// A benchmark as the C++ target has it with some options.
struct CpuSubject {
  driver::PipelineOptions options;
  driver::Compiled compiled;
};

/// The program compiled with `stencilgen NAME.idsl --target cpp ARGUMENTS`, the runtime included.
/// Ends the process where it does not compile.
CpuSubject CompileForCpu(const testing::Benchmark& benchmark,
                         const std::vector<std::string>& arguments);

/// `--unroll k=2,j=4` for points along the program's outer iterators, outermost first. Requires: as
/// many as it has but for the last.
std::string UnrollArgument(const driver::Compiled& compiled, const std::vector<int>& points);

/// Suite B, or those of its programs that are named. Ends the process where a name is none.
std::vector<testing::Benchmark> SuiteB(const std::vector<std::string>& names);

}  // namespace stencilgen::tables
