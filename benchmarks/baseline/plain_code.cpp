#include "baseline/plain_code.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/plain_nests.h"
#include "codegen/runtime_text.h"
#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::baseline {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Operator;

/// The function that runs a program, and those of its statements.
class Emitter {
 public:
  Emitter(const Graph& graph, Memory memory, std::string name, bool cuda)
      : graph_(graph),
        names_(graph, std::move(memory)),
        memory_(names_.memory()),
        name_(std::move(name)),
        cuda_(cuda),
        nests_(names_, cuda) {}

  /// Everything but the headers.
  std::string Run() {
    WriteSteps();
    return fmt::format("namespace {{\n\n{}\n}}  // namespace\n\n{}", nests_.Text(), steps_.str());
  }

 private:
  void WriteRegion(CodeWriter& writer, graph::RegionId region) {
    for (const NodeId node : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[node],
          [&](const Operator& op) {
            if (names_.TypeOf(op.result).rank() == 0) {
              names_.WriteLets(writer, op, cuda_);
              writer.Line("const {} {} = {};", ToString(names_.TypeOf(op.result).type),
                          names_.ScalarName(op.result),
                          PlainExpr(graph_, op.value, names_.NamesFor(op), cuda_));
              return;
            }
            const Store& store = memory_.stores.at(node);
            const std::string call = nests_.Statement(op, store.buffer);
            if (store.border_from >= 0) {
              const std::string border = nests_.Border(op, store);
              (store.border_once ? before_ : writer).Line("{}", border);
            }
            writer.Line("{}", call);
          },
          [&](const graph::Loop& loop) { WriteLoop(writer, node, loop); });
    }
  }

  void WriteLoop(CodeWriter& writer, NodeId node, const graph::Loop& loop) {
    CodeWriter outer = std::move(before_);
    before_ = CodeWriter();
    CodeWriter body;
    WriteRegion(body, loop.body);
    for (const auto& [to, from] : memory_.exchanges.at(node).moves) {
      body.Line("{0}* const new_{1} = {2};", names_.TypeText(to), names_.BufferOf(to).name,
                names_.BufferOf(from).name);
    }
    for (const auto& move : memory_.exchanges.at(node).moves) {
      body.Line("{0} = new_{0};", names_.BufferOf(move.first).name);
    }
    writer.Text(before_.str());
    const std::string turn =
        loop.turn.Valid() ? graph_.parameters[loop.turn].name : std::string("step");
    const auto block = writer.Block("for (Index {0} = 0; {0} < {1}; ++{0})", turn,
                                    PlainForm(graph_, loop.turns.count));
    writer.Text(body.str());
    before_ = std::move(outer);
  }

  /// Runs the program on arrays of its target's memory.
  void WriteSteps() {
    CodeWriter body;
    WriteRegion(body, graph_.root);
    const auto block = steps_.Block(
        "extern \"C\" int {}_{}([[maybe_unused]] void* const* arrays, "
        "[[maybe_unused]] const void* const* scalars, [[maybe_unused]] const int* "
        "parameters{})",
        name_, cuda_ ? "launch" : "call", cuda_ ? ", cudaStream_t stream" : "");
    int array_count = 0, scalar_count = 0, parameter_count = 0;
    for (const graph::ParameterId id : graph::SizesOf(graph_)) {
      steps_.Line("[[maybe_unused]] const Index {} = parameters[{}];", graph_.parameters[id].name,
                  parameter_count++);
    }
    std::map<graph::ArrayId, int> places;
    for (const graph::ArrayId id : graph_.arrays.Ids()) {
      const graph::Array& array = graph_.arrays[id];
      if (array.local) continue;
      if (array.rank() > 0) {
        places[id] = array_count++;
      } else {
        steps_.Line("[[maybe_unused]] const {0} {1} = *static_cast<const {0}*>(scalars[{2}]);",
                    ToString(array.type), array.name, scalar_count++);
      }
    }
    steps_.Line("{}", cuda_ ? "error.Clear();" : "Scratch scratch;");
    if (cuda_) {
      steps_.Line("DeviceMemory<Allocator::StreamOrdered, {}> scratch(stream, error);",
                  memory_.buffers.size() + graph_.outputs.size() + 1);
      steps_.Line("const Runner Run{{stream}};");
    }
    for (const Buffer& buffer : memory_.buffers) WriteBuffer(buffer, places);
    steps_.Text(body.str());
    WriteOutputs(places);
    steps_.Line("{}", cuda_ ? "return error.status();" : "return 0;");
  }

  std::string CountText(graph::ArrayId id) const {
    std::vector<std::string> extents;
    for (const graph::LinearForm& extent : graph_.arrays[id].extents) {
      extents.push_back(fmt::format("std::size_t({})", PlainForm(graph_, extent)));
    }
    return fmt::format("{}", fmt::join(extents, " * "));
  }

  void WriteBuffer(const Buffer& buffer, const std::map<graph::ArrayId, int>& places) {
    const std::string_view type = ToString(graph_.arrays[buffer.array].type);
    if (buffer.callers) {
      steps_.Line("[[maybe_unused]] {0}* {1} = static_cast<{0}*>(arrays[{2}]);", type, buffer.name,
                  places.at(buffer.array));
      return;
    }
    const std::string bytes = fmt::format("{} * sizeof({})", CountText(buffer.array), type);
    WriteAllocation(type, buffer.name, bytes);
    if (buffer.filled) {
      WriteCopy(buffer.name, fmt::format("arrays[{}]", places.at(buffer.array)), bytes);
    }
  }
  void WriteAllocation(std::string_view type, const std::string& name, const std::string& bytes) {
    steps_.Line("[[maybe_unused]] {0}* {1} = static_cast<{0}*>(scratch.{2}({3}{4}));", type, name,
                cuda_ ? "AllocateBytes" : "Allocate", bytes,
                cuda_ ? fmt::format(", \"{}\"", name) : std::string());
    steps_.Line("if ({} == nullptr) return {};", name, cuda_ ? "error.status()" : "kOutOfMemory");
  }
  void WriteCopy(const std::string& to, const std::string& from, const std::string& bytes) {
    if (cuda_) {
      steps_.Line("if (!Copy({}, {}, {}, stream)) return error.status();", to, from, bytes);
    } else {
      steps_.Line("Copy({}, {}, {});", to, from, bytes);
    }
  }

  /// Brings home what ended elsewhere; two results may have changed places.
  void WriteOutputs(const std::map<graph::ArrayId, int>& places) {
    std::vector<std::pair<std::string, std::string>> moves;
    for (const graph::Output& output : graph_.outputs) {
      const std::string at = names_.BufferOf(memory_.homes.at(output.version)).name;
      const std::string_view type = ToString(graph_.arrays[output.array].type);
      const std::string bytes = fmt::format("{} * sizeof({})", CountText(output.array), type);
      const std::string home = fmt::format("arrays[{}]", places.at(output.array));
      const auto block = steps_.Block("if ({} != {})", at, home);
      if (graph_.outputs.size() == 1) {
        WriteCopy(home, at, bytes);
        continue;
      }
      const std::string aside = fmt::format("aside_{}", graph_.arrays[output.array].name);
      WriteAllocation(type, aside, bytes);
      WriteCopy(aside, at, bytes);
      steps_.Line("{} = {};", at, aside);
    }
    if (graph_.outputs.size() == 1) return;
    for (const graph::Output& output : graph_.outputs) {
      const std::string at = names_.BufferOf(memory_.homes.at(output.version)).name;
      const std::string home = fmt::format("arrays[{}]", places.at(output.array));
      const auto block = steps_.Block("if ({} != {})", at, home);
      WriteCopy(home, at,
                fmt::format("{} * sizeof({})", CountText(output.array),
                            ToString(graph_.arrays[output.array].type)));
    }
  }

  const Graph& graph_;
  const PlainNames names_;
  const Memory& memory_;
  const std::string name_;
  const bool cuda_;
  PlainNests nests_;
  CodeWriter steps_, before_;
};

constexpr std::string_view kCpuHead = R"(#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

)";

constexpr std::string_view kCpuScratch = R"(
/// Memory that is given back at the end of a call.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    for (void* memory : memory_) std::free(memory);
  }
  void* Allocate(std::size_t bytes) {
    memory_.push_back(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    return memory_.back();
  }

 private:
  std::vector<void*> memory_;
};
inline constexpr int kOutOfMemory = 2;

/// memcpy by all threads.
[[maybe_unused]] static void Copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t(1) << 20;
#pragma omp parallel for
  for (std::size_t n = 0; n < bytes; n += kPart) {
    std::memcpy(static_cast<char*>(to) + n, static_cast<const char*>(from) + n,
                n + kPart < bytes ? kPart : bytes - n);
  }
}

)";

/// `{0}`: the program's name.
constexpr std::string_view kCpuEnd = R"(
extern "C" int {0}_time(void* const* arrays, const void* const* scalars, const int* parameters,
                        int warmups, int repeats, double* milliseconds) {{
  return stencilgen::TimeRepeats(warmups, repeats, milliseconds,
                                 [&] {{ return {0}_call(arrays, scalars, parameters); }});
}}
extern "C" const char* {0}_error() {{ return "out of memory"; }}
)";

constexpr std::string_view kCudaHead = R"(
namespace {

using namespace stencilgen;

thread_local ErrorText error;

/// Starts a kernel with a thread a point.
struct Runner {
  cudaStream_t stream;
  template <typename Kernel, typename... Arguments>
  bool operator()(Kernel kernel, int x, int y, long long nx, long long ny, long long nz,
                  Arguments... arguments) const {
    if (nx <= 0 || ny <= 0 || nz <= 0) return true;
    const dim3 grid(static_cast<unsigned>((nx + x - 1) / x), static_cast<unsigned>((ny + y - 1) / y),
                    static_cast<unsigned>(nz));
    return Check(error, Launch(kernel, grid, dim3(x, y), 0, stream, arguments...), "a kernel");
  }
};

[[maybe_unused]] bool Copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return Check(error, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
               "copying an array");
}

}  // namespace

)";

/// `{0}`: the program's name, `{1}`: the number of arrays, `{2}`: their sizes in bytes, `{3}`: 1
/// for each that is copied out.
constexpr std::string_view kCudaEnd = R"(
namespace {{

/// The caller's arrays on the device.
struct OnDevice {{
  OnDevice(void* const* arrays, const int* parameters)
      : from(arrays), bytes{{{2}}} {{
    static_cast<void>(parameters);
    if (!Check(error, stream.Create(), "creating a stream")) return;
    for (int n = 0; n < {1}; ++n) {{
      if (!Check(error, cudaMalloc(&device[n], bytes[n]), "allocating an array") ||
          !Check(error, cudaMemcpy(device[n], arrays[n], bytes[n], cudaMemcpyHostToDevice),
                 "copying an array")) {{
        return;
      }}
    }}
  }}
  ~OnDevice() {{
    for (void* memory : device) static_cast<void>(cudaFree(memory));
  }}
  void Download() {{
    constexpr bool kCopiedOut[] = {{{3}}};
    if (!Check(error, cudaStreamSynchronize(stream.get()), "running the program")) return;
    for (int n = 0; n < {1}; ++n) {{
      if (kCopiedOut[n]) {{
        Check(error, cudaMemcpy(from[n], device[n], bytes[n], cudaMemcpyDeviceToHost),
              "copying a result");
      }}
    }}
  }}
  void* const* from;
  std::size_t bytes[{1}];
  void* device[{1}] = {{}};
  Stream stream;
}};

}}  // namespace

extern "C" int {0}_call(void* const* arrays, const void* const* scalars, const int* parameters) {{
  error.Clear();
  OnDevice on_device(arrays, parameters);
  if (error.status() != 0) return error.status();
  if (const int status =
          {0}_launch(on_device.device, scalars, parameters, on_device.stream.get())) {{
    return status;
  }}
  on_device.Download();
  return error.status();
}}
extern "C" int {0}_time(void* const* arrays, const void* const* scalars, const int* parameters,
                        int warmups, int repeats, double* milliseconds) {{
  error.Clear();
  OnDevice on_device(arrays, parameters);
  if (error.status() != 0) return error.status();
  return TimeOnStream(on_device.stream.get(), error, warmups, repeats, milliseconds, [&] {{
    return {0}_launch(on_device.device, scalars, parameters, on_device.stream.get());
  }});
}}
extern "C" const char* {0}_error() {{ return error.text(); }}
)";

/// Bytes of each array of the caller, from `parameters`, and which are copied out.
std::pair<std::vector<std::string>, std::vector<std::string>> ArrayLists(const Graph& graph) {
  std::pair<std::vector<std::string>, std::vector<std::string>> lists;
  for (const graph::Array& array : graph.arrays) {
    if (array.local || array.rank() == 0) continue;
    std::string bytes = fmt::format("sizeof({})", ToString(array.type));
    for (const graph::LinearForm& extent : array.extents) {
      std::string text = fmt::format("{}", extent.constant);
      for (const auto& [parameter, factor] : extent.terms) {
        text += fmt::format(" + {} * parameters[{}]", factor, parameter.index);
      }
      bytes += fmt::format(" * std::size_t({})", text);
    }
    lists.first.push_back(std::move(bytes));
    lists.second.emplace_back(array.copy_out ? "true" : "false");
  }
  return lists;
}

}  // namespace

std::optional<std::string> PlainCpp(const Graph& graph, const std::string& name,
                                    std::string& problem) {
  auto memory = PlaceInMemory(graph, problem);
  if (!memory) return std::nullopt;
  return fmt::format("{}{}{}{}{}", kCpuHead,
                     codegen::RuntimeTexts({"stencilgen/math.hpp", "stencilgen/timing.hpp"}, false),
                     kCpuScratch, Emitter(graph, *std::move(memory), name, false).Run(),
                     fmt::format(fmt::runtime(kCpuEnd), name));
}

std::optional<std::string> PlainCuda(const Graph& graph, const std::string& name, bool standalone,
                                     std::string& problem) {
  auto memory = PlaceInMemory(graph, problem);
  if (!memory) return std::nullopt;
  const auto lists = ArrayLists(graph);
  return fmt::format("{}{}{}{}", codegen::RuntimeTexts({"stencilgen/cuda_timing.hpp"}, standalone),
                     kCudaHead, Emitter(graph, *std::move(memory), name, true).Run(),
                     fmt::format(fmt::runtime(kCudaEnd), name, lists.first.size(),
                                 fmt::join(lists.first, ", "), fmt::join(lists.second, ", ")));
}

}  // namespace stencilgen::baseline
