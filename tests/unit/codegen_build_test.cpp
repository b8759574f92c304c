#include <algorithm>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen_programs.h"
#include "driver/code_options.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "graph/verify.h"
#include "lower/lower.h"
#include "plan/plan_kernels.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

namespace stencilgen::codegen {
namespace {

using driver::Backend;
using driver::BuildOptions;
using driver::CodegenOptions;
using driver::HostLibrary;
using testing::CodegenProgram;
using testing::TemporaryDirectory;

CodegenOptions Options(const CodegenProgram& program) {
  CodegenOptions options;
  options.function = program.name;
  options.fp = FpMode::Strict;
  options.resident = true;
  return options;
}

/// Every program and its trampoline, one after the other in one file: standalone files can be
/// joined.
std::string EmitAll(bool cuda) {
  std::string text;
  for (const CodegenProgram& program : testing::CodegenPrograms()) {
    REQUIRE(graph::Verify(program.graph) == std::vector<std::string>{});
    const plan::Plan plan = plan::PlanKernels(program.graph, {{8, 3, 2}, {2, 1, 3}});
    const CodegenOptions options = Options(program);
    const kernel::Module module =
        lower::Lower(plan, options, cuda ? kernel::Target::Device : kernel::Target::Host);
    text.append(EmitFile(module, options)).append(EmitTrampoline(module, options));
  }
  return text;
}

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE(file.flush());
}

/// Runs a command that must succeed silently.
void RunQuietly(const std::vector<std::string>& command) {
  const driver::ProcessResult result = driver::RunProcess(command);
  INFO(fmt::format("{}", fmt::join(command, " ")));
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(result.output.empty());
}

void* Data(graph::Values& values) {
  return std::visit([](auto& elements) { return static_cast<void*>(elements.data()); }, values);
}

struct CallArguments {
  std::vector<void*> arrays;
  std::vector<const void*> scalars;
  std::vector<int> parameters;
};

CallArguments Arguments(const graph::Graph& graph, std::map<std::string, graph::Values>& values,
                        const graph::ParameterValues& parameters) {
  CallArguments arguments;
  for (const graph::Array& array : graph.arrays) {
    if (array.local) continue;
    void* data = Data(values.at(array.name));
    if (array.rank() == 0) {
      arguments.scalars.push_back(data);
    } else {
      arguments.arrays.push_back(data);
    }
  }
  for (const std::int64_t value : parameters)
    arguments.parameters.push_back(static_cast<int>(value));
  return arguments;
}

/// Bit for bit where the result has a value: strict mode promises it.
void CheckRun(const HostLibrary& library, const CodegenProgram& program,
              const graph::ParameterValues& parameters) {
  const auto inputs = testing::SomeValues(program.graph, parameters);
  const graph::InterpretResult expected = graph::Interpret(program.graph, parameters, inputs);
  REQUIRE(expected.error.empty());
  auto values = inputs;
  const CallArguments call = Arguments(program.graph, values, parameters);
  const int status = library.Call(program.name, call.arrays, call.scalars, call.parameters);
  INFO(program.name << " with " << fmt::format("{}", fmt::join(parameters, ", ")));
  INFO(library.Error(program.name));
  REQUIRE(status == 0);
  for (std::size_t k = 0; k < program.graph.outputs.size(); ++k) {
    const graph::Array& array = program.graph.arrays[program.graph.outputs[k].array];
    const graph::Values& result = values.at(array.name);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < expected.defined[k].size(); ++n) {
      const double a = graph::ElementAsDouble(result, n);
      const double b = graph::ElementAsDouble(expected.outputs[k], n);
      if (expected.defined[k][n] != 0 && std::memcmp(&a, &b, sizeof a) != 0) ++wrong;
    }
    INFO(array.name);
    CHECK(wrong == 0);
  }
  // Arrays that are not copied out are the caller's own.
  for (const graph::Array& array : program.graph.arrays) {
    if (!array.local && !array.copy_out) CHECK(values.at(array.name) == inputs.at(array.name));
  }
}

void CheckRuns(const HostLibrary& library) {
  for (const CodegenProgram& program : testing::CodegenPrograms()) {
    for (const graph::ParameterValues& parameters : program.runs) {
      CheckRun(library, program, parameters);
    }
  }
}

/// What the host function makes of arguments it must refuse.
std::string ErrorOf(const HostLibrary& library, const std::string& name,
                    const std::vector<void*>& arrays, const std::vector<int>& parameters) {
  const float alpha = 0.1F;
  CHECK(library.Call(name, arrays, {&alpha}, parameters) != 0);
  return library.Error(name);
}

void CheckErrors(const HostLibrary& library) {
  std::vector<double> u(9, 1.0);
  std::vector<double> v(9, 1.0);
  CHECK(ErrorOf(library, "five_point", {u.data(), v.data()}, {0, 3}) ==
        "parameter M must be at least 1, not 0");
  CHECK(ErrorOf(library, "five_point", {u.data(), v.data()}, {3, -7}) ==
        "parameter N must be at least 1, not -7");
  CHECK(ErrorOf(library, "five_point", {nullptr, v.data()}, {3, 3}) ==
        "array in is a null pointer");
  CHECK(ErrorOf(library, "heat", {u.data(), v.data()}, {1, 1}) ==
        "the iteration count T - 2 is negative: -1");
  CHECK(library.Call("five_point", {u.data(), v.data()}, {}, {3, 3}) == 0);
  CHECK(library.Error("five_point").empty());
}

/// 0.2 * (2 + 5 + 6 + 7 + 10) and 0.2 * (3 + 6 + 7 + 8 + 11).
void CheckByHand(const HostLibrary& library) {
  std::vector<double> in = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<double> out(12, -1.0);
  REQUIRE(library.Call("five_point", {in.data(), out.data()}, {}, {3, 4}) == 0);
  CHECK(out == std::vector<double>{-1, -1, -1, -1, -1, 6, 7, -1, -1, -1, -1, -1});
  const auto times = library.Time("five_point", {in.data(), out.data()}, {}, {3, 4}, 1, 3);
  REQUIRE(times.size() == 3);
  for (const double time : times) CHECK(time > 0);
}

/// What an application does that keeps its data on the device.
constexpr std::string_view kDeviceUser = R"(
extern "C" int heat_on_device(float* u, float* v, float alpha, int n, int t) {
  const size_t bytes = sizeof(float) * n * (n + 1) * (n + 2);
  float* device[2] = {};
  for (int k = 0; k < 2; ++k) {
    if (cudaMalloc(&device[k], bytes) != cudaSuccess) return -1;
    cudaMemcpy(device[k], k == 0 ? u : v, bytes, cudaMemcpyHostToDevice);
  }
  const int status = heat_device(device[0], device[1], alpha, n, t, nullptr);
  for (int k = 0; k < 2; ++k) {
    cudaMemcpy(k == 0 ? u : v, device[k], bytes, cudaMemcpyDeviceToHost);
    cudaFree(device[k]);
  }
  return status;
}
)";

/// Results end in the arrays they belong to, whatever places their memory took in the loop.
void CheckDeviceFunction(const HostLibrary& library) {
  using Function = int(float*, float*, float, int, int);
  auto* on_device = reinterpret_cast<Function*>(library.Symbol("heat_on_device"));
  REQUIRE(on_device != nullptr);
  for (const int t : {2, 3, 4, 7}) {
    std::vector<float> u(5 * 6 * 7);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = static_cast<float>(k * k % 11);
    std::vector<float> v(u.rbegin(), u.rend());
    std::vector<float> expected_u = u;
    std::vector<float> expected_v = v;
    const float alpha = 0.125F;
    REQUIRE(library.Call("heat", {expected_u.data(), expected_v.data()}, {&alpha}, {5, t}) == 0);
    REQUIRE(on_device(u.data(), v.data(), alpha, 5, t) == 0);
    CHECK(u == expected_u);
    CHECK(v == expected_v);
  }
}

/// Every call of the CUDA runtime fails once: each failure is reported and nothing stays allocated.
void CheckFailures(const HostLibrary& library) {
  auto* fail_call =
      reinterpret_cast<void (*)(long long)>(library.Symbol("stencilgen_emulator_fail_call"));
  auto* live_bytes =
      reinterpret_cast<unsigned long long (*)()>(library.Symbol("stencilgen_emulator_live_bytes"));
  REQUIRE(fail_call != nullptr);
  REQUIRE(live_bytes != nullptr);
  for (const char* name : {"heat", "mixed"}) {
    const auto programs = testing::CodegenPrograms();
    const auto program = std::find_if(programs.begin(), programs.end(),
                                      [&](const auto& one) { return one.name == name; });
    auto values = testing::SomeValues(program->graph, program->runs.back());
    const CallArguments call = Arguments(program->graph, values, program->runs.back());
    int failures = 0;
    for (; failures < 100; ++failures) {
      fail_call(failures);
      const int status = library.Call(name, call.arrays, call.scalars, call.parameters);
      fail_call(-1);
      CHECK(live_bytes() == 0);
      if (status == 0) break;
      CHECK(!library.Error(name).empty());
    }
    // At least the stream, two arrays in, a kernel, an array out.
    CHECK(failures > 5);
    CHECK(failures < 100);
    for (int k = 0; k < failures; ++k) {
      fail_call(k);
      library.Time(name, call.arrays, call.scalars, call.parameters, 0, 1);
      fail_call(-1);
      CHECK(live_bytes() == 0);
    }
  }
}

std::unique_ptr<HostLibrary> Build(Backend backend, const TemporaryDirectory& directory) {
  BuildOptions options;
  options.backend = backend;
  options.fp = FpMode::Strict;
  options.optimize = 1;
  options.directory = directory.path();
  std::string error;
  const bool cuda = backend != Backend::Cpp;
  std::unique_ptr<HostLibrary> library = HostLibrary::Build(
      fmt::format("{}{}", EmitAll(cuda), cuda ? kDeviceUser : ""), "all", options, error);
  INFO(error);
  REQUIRE(library != nullptr);
  return library;
}

TEST_CASE("emitted C++ computes what the program means", "[codegen]") {
  const TemporaryDirectory directory;
  const auto library = Build(Backend::Cpp, directory);
  CheckRuns(*library);
  CheckErrors(*library);
  CheckByHand(*library);
}

TEST_CASE("emitted CUDA computes what the program means, on the emulator", "[codegen]") {
  const TemporaryDirectory directory;
  const auto library = Build(Backend::CudaEmulated, directory);
  CheckRuns(*library);
  CheckErrors(*library);
  CheckByHand(*library);
  CheckDeviceFunction(*library);
  CheckFailures(*library);
}

TEST_CASE("no compiler has anything to say about emitted code", "[codegen]") {
  const TemporaryDirectory directory;
  const std::string cpp = (directory.path() / "all.cpp").string();
  const std::string cuda = (directory.path() / "all.cu").string();
  Write(cpp, EmitAll(false));
  Write(cuda, EmitAll(true));
  const std::vector<std::string> flags = {"-std=c++17", "-Wall",   "-Wextra",
                                          "-Wpedantic", "-Werror", "-fsyntax-only"};
  const auto check = [&](const std::string& compiler, const std::string& more) {
    if (driver::FindProgram(compiler).empty()) return;
    std::vector<std::string> command = {compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    if (!more.empty()) command.push_back(more);
    command.push_back(cpp);
    RunQuietly(command);
  };
  check("g++", "-fopenmp");
  check("g++", "");
  check("clang++", "");
  if (const std::string nvcc = driver::FindCompiler(Backend::Cuda); !nvcc.empty()) {
    RunQuietly({nvcc, "-std=c++17", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler",
                "-Wall,-Wextra", "-O1", "-c", "-o", (directory.path() / "all.o").string(), cuda});
  }
}

TEST_CASE("headers are C and C++", "[codegen]") {
  const TemporaryDirectory directory;
  std::string c = "";
  for (const CodegenProgram& program : testing::CodegenPrograms()) {
    const plan::Plan plan = plan::PlanKernels(program.graph, {});
    const std::string header = fmt::format("{}.h", program.name);
    const CodegenOptions options = Options(program);
    Write(directory.path() / header,
          EmitHeader(lower::Lower(plan, options, kernel::Target::Device), options));
    // Twice: once is enough.
    c.append(fmt::format("#include \"{0}\"\n#include \"{0}\"\n", header));
  }
  c.append("typedef int (*Signature)(const double*, double*, int, int);\n");
  c.append("Signature check(void);\nSignature check(void) { return five_point; }\n");
  Write(directory.path() / "use.c", c);
  Write(directory.path() / "use.cpp", c);
  const std::vector<std::string> flags = {"-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                          "-fsyntax-only"};
  for (const auto& [compiler, standard, file] :
       {std::tuple("gcc", "-std=c99", "use.c"), std::tuple("g++", "-std=c++11", "use.cpp"),
        std::tuple("g++", "-std=c++20", "use.cpp"), std::tuple("clang++", "-std=c++17", "use.cpp"),
        std::tuple("g++", "-fno-exceptions", "use.cpp")}) {
    if (driver::FindProgram(compiler).empty()) continue;
    std::vector<std::string> command = {compiler, standard};
    command.insert(command.end(), flags.begin(), flags.end());
    command.push_back((directory.path() / file).string());
    RunQuietly(command);
  }
}

}  // namespace
}  // namespace stencilgen::codegen
