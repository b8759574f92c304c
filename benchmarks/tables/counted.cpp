#include "counted.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "support/program_run.h"
#include "support/temporary_directory.h"

namespace stencilgen::tables {

driver::Counters CountRun(const Subject& subject, const graph::ParameterValues& sizes) {
  const testing::TemporaryDirectory directory;
  driver::BuildOptions build;
  build.backend = driver::Backend::CudaEmulated;
  build.directory = directory.path();
  std::string error;
  const plan::Plan& plan = subject.compiled.plan;
  const auto library = driver::HostLibrary::Build(
      subject.compiled.text +
          codegen::EmitTrampoline(subject.compiled.module, subject.options.codegen),
      "subject", build, error);
  if (library == nullptr) {
    std::fputs(error.c_str(), stderr);
    std::exit(1);
  }
  std::vector<std::vector<double>> memory;
  const std::vector<double> scalar = {0.5};
  std::vector<const void*> scalars;
  for (const graph::Array& array : plan.graph.arrays) {
    if (array.local) continue;
    if (array.rank() == 0) {
      scalars.push_back(scalar.data());
      continue;
    }
    std::int64_t elements = 1;
    for (const graph::LinearForm& extent : array.extents) elements *= Evaluate(extent, sizes);
    memory.emplace_back(static_cast<std::size_t>(elements), 0.5);
  }
  std::vector<void*> arrays;
  for (auto& values : memory) arrays.push_back(values.data());
  const driver::EmulatorControl emulator(*library);
  emulator.Reset();
  const std::string& name = subject.options.program_name;
  if (library->Call(name, arrays, scalars, {sizes.begin(), sizes.end()}) != 0) {
    fmt::print(stderr, "{}: {}\n", name, library->Error(name));
    std::exit(1);
  }
  return emulator.Read();
}

}  // namespace stencilgen::tables
