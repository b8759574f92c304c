#include "baseline/plain_code.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/plain_expr.h"
#include "baseline/plain_memory.h"
#include "codegen/runtime_text.h"
#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::baseline {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Operator;
using graph::VersionId;

/// What a nest or kernel is called with.
struct Arguments {
  std::vector<std::string> declared;
  std::vector<std::string> given;

  void Add(const std::string& type, const std::string& name) {
    declared.push_back(fmt::format("{} {}", type, name));
    given.push_back(name);
  }
};

class Emitter {
 public:
  Emitter(const Graph& graph, Memory memory, std::string name, bool cuda)
      : graph_(graph), memory_(std::move(memory)), name_(std::move(name)), cuda_(cuda) {
    for (const graph::Array& array : graph.arrays) taken_.insert(array.name);
    for (const graph::Parameter& parameter : graph.parameters) taken_.insert(parameter.name);
    taken_.insert(graph.iterators.begin(), graph.iterators.end());
  }

  /// Everything but the headers.
  std::string Run() {
    nests_.Line("using namespace stencilgen;");
    nests_.Line("using Index = {};", cuda_ ? "int" : "long long");
    nests_.Line();
    nests_.Line("/// x modulo n, for x less than n beyond an end.");
    {
      const auto block = nests_.Block("[[maybe_unused]] {}inline Index Wrapped(Index x, Index n)",
                                      cuda_ ? "__device__ " : "");
      nests_.Line("return x < 0 ? x + n : (x < n ? x : x - n);");
    }
    WriteSteps();
    return fmt::format("namespace {{\n\n{}\n}}  // namespace\n\n{}", nests_.str(), steps_.str());
  }

 private:
  const graph::Array& TypeOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  const Buffer& BufferOf(int buffer) const {
    return memory_.buffers[static_cast<std::size_t>(buffer)];
  }
  std::string_view TypeText(int buffer) const {
    return ToString(graph_.arrays[BufferOf(buffer).array].type);
  }
  std::string ScalarName(VersionId version) const {
    const graph::Version& definition = graph_.versions[version];
    const std::string& name = TypeOf(version).name;
    return definition.def == graph::DefKind::Initial ? name
                                                     : fmt::format("{}_{}", name, version.index);
  }
  std::string NameOf(VersionId version) const {
    if (TypeOf(version).rank() == 0) return ScalarName(version);
    return BufferOf(memory_.homes.at(version)).name;
  }
  ExprNames NamesFor(const Operator& op) const {
    return {[this](VersionId version) { return NameOf(version); },
            [this, &op](int let) {
              const std::string& name = op.lets[static_cast<std::size_t>(let)].name;
              return taken_.count(name) > 0 ? name + "_let" : name;
            }};
  }

  /// Arrays, scalars and sizes of an operator. `result`: the buffer it writes.
  Arguments ArgumentsOf(const Operator& op, int result) const {
    Arguments arguments;
    std::set<int> reads;
    std::set<VersionId> scalars;
    for (const graph::ExprId id : graph::Accesses(graph_, op)) {
      const VersionId version = std::get<graph::Access>(graph_.exprs[id].node).version;
      if (TypeOf(version).rank() == 0) {
        scalars.insert(version);
      } else {
        reads.insert(memory_.homes.at(version));
      }
    }
    arguments.Add(fmt::format("{}* __restrict__", TypeText(result)), BufferOf(result).name);
    reads.erase(result);
    for (const int read : reads) {
      arguments.Add(fmt::format("const {}* __restrict__", TypeText(read)), BufferOf(read).name);
    }
    for (const VersionId scalar : scalars) {
      arguments.Add(fmt::format("const {}", ToString(TypeOf(scalar).type)), ScalarName(scalar));
    }
    AddSizes(&arguments);
    return arguments;
  }
  void AddSizes(Arguments* arguments) const {
    for (const graph::Parameter& parameter : graph_.parameters) {
      arguments->Add("[[maybe_unused]] const Index", parameter.name);
    }
  }

  std::string BoundText(const graph::Bound& bound, bool lower) const {
    const std::string form = PlainForm(graph_, bound.numerator);
    if (bound.divisor == 1) return fmt::format("Index({})", form);
    return fmt::format("Index({}({}, {}))", lower ? "CeilDiv" : "FloorDiv", form, bound.divisor);
  }
  /// `Index(1)`, or the largest of several lower bounds, or the least of upper ones.
  std::string BoundsText(const std::vector<graph::Bound>& bounds, bool lower) const {
    std::string text = BoundText(bounds[0], lower);
    for (std::size_t n = 1; n < bounds.size(); ++n) {
      text = fmt::format("{}({}, {})", lower ? "Max" : "Min", text, BoundText(bounds[n], lower));
    }
    return text;
  }

  const std::string& Iterator(int iterator) const {
    return graph_.iterators[static_cast<std::size_t>(iterator)];
  }

  void WriteLets(CodeWriter& writer, const Operator& op) const {
    const ExprNames names = NamesFor(op);
    const std::vector<bool> used = graph::UsedLets(graph_, op);
    for (std::size_t n = 0; n < op.lets.size(); ++n) {
      if (!used[n]) continue;
      writer.Line("const {} {} = {};", ToString(op.lets[n].type), names.let(static_cast<int>(n)),
                  PlainExpr(graph_, op.lets[n].value, names, cuda_));
    }
  }

  std::string TargetText(const Operator& op, int buffer) const {
    std::vector<std::string> indices;
    for (const graph::Index& index : op.target) indices.push_back(PlainIndex(graph_, index));
    const graph::Array& array = graph_.arrays[BufferOf(buffer).array];
    return fmt::format("{}[{}]", BufferOf(buffer).name, PlainPosition(graph_, array, indices));
  }

  void WritePoint(CodeWriter& writer, const Operator& op, int buffer) const {
    WriteLets(writer, op);
    writer.Line("{} = {};", TargetText(op, buffer),
                PlainExpr(graph_, op.value, NamesFor(op), cuda_));
  }

  void WriteBounds(CodeWriter& writer, const Operator& op) const {
    for (std::size_t n = 0; n < op.iterators.size(); ++n) {
      const graph::Interval& interval = op.domain.intervals[n];
      writer.Line("const Index {0}_lo = {1}, {0}_hi = {2};", Iterator(op.iterators[n]),
                  BoundsText(interval.lower, true), BoundsText(interval.upper, false));
    }
  }

  std::string GuardText(const Operator& op) const {
    std::vector<std::string> guards;
    for (const graph::LinearForm& guard : op.domain.guards) {
      guards.push_back(fmt::format("{} >= 0", PlainForm(graph_, guard)));
    }
    return fmt::format("{}", fmt::join(guards, " && "));
  }

  /// The function that computes an operator; returns the call of it.
  std::string WriteNest(const Operator& op, int buffer) {
    const std::string function = fmt::format("statement_{}", ++functions_);
    const Arguments arguments = ArgumentsOf(op, buffer);
    nests_.Line();
    if (cuda_) {
      WriteKernel(function, op, arguments, [&] { WritePoint(nests_, op, buffer); });
    } else {
      const auto block = nests_.Block("void {}({})", function, fmt::join(arguments.declared, ", "));
      WriteBounds(nests_, op);
      nests_.Line("#pragma omp parallel for");
      WriteLoops(op, 0, [&] { WritePoint(nests_, op, buffer); });
    }
    return WriteCall(function, op, arguments);
  }

  template <typename Body>
  void WriteLoops(const Operator& op, std::size_t depth, Body body) {
    if (depth == op.iterators.size()) return body();
    const auto loop = nests_.Block("for (Index {0} = {0}_lo; {0} <= {0}_hi; ++{0})",
                                   Iterator(op.iterators[depth]));
    WriteLoops(op, depth + 1, body);
  }

  template <typename Body>
  void WriteKernel(const std::string& function, const Operator& op, const Arguments& arguments,
                   Body body) {
    const auto block =
        nests_.Block("__global__ void {}({})", function, fmt::join(arguments.declared, ", "));
    WriteBounds(nests_, op);
    const std::size_t last = op.iterators.size() - 1;
    std::vector<std::string> outside;
    for (std::size_t n = 0; n <= last; ++n) {
      const char axis = "xyz"[last - n];
      const std::string& it = Iterator(op.iterators[n]);
      nests_.Line("const Index {0} = {0}_lo + Index(blockIdx.{1} * blockDim.{1} + threadIdx.{1});",
                  it, axis);
      outside.push_back(fmt::format("{0} > {0}_hi", it));
    }
    nests_.Line("if ({}) return;", fmt::join(outside, " || "));
    body();
  }

  /// Copies what lies outside the operator's domain; returns the call of it.
  std::string WriteBorder(const Operator& op, const Store& store) {
    const std::string function = fmt::format("border_{}", functions_);
    const graph::Array& array = graph_.arrays[BufferOf(store.buffer).array];
    Arguments arguments;
    arguments.Add(fmt::format("{}* __restrict__", TypeText(store.buffer)),
                  BufferOf(store.buffer).name);
    arguments.Add(fmt::format("const {}* __restrict__", TypeText(store.buffer)),
                  BufferOf(store.border_from).name);
    AddSizes(&arguments);
    const bool plain = std::all_of(op.target.begin(), op.target.end(), graph::IsPlain);
    // Every point of the array, through an operator that has the whole of it as its domain.
    Operator all = op;
    std::vector<std::string> inside;
    std::vector<std::string> names;
    all.iterators.clear();
    all.domain = {};
    for (std::size_t d = 0; d < array.extents.size(); ++d) {
      all.iterators.push_back(static_cast<int>(d));
      names.push_back(Iterator(static_cast<int>(d)));
      all.domain.intervals.push_back(
          {{{graph::LinearForm::Constant(0), 1}}, {{array.extents[d] - 1, 1}}});
    }
    for (std::size_t d = 0; d < op.target.size() && plain; ++d) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), op.target[d].iterator);
      const graph::Interval& interval =
          op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
      inside.push_back(fmt::format("{} <= {} && {} <= {}", BoundsText(interval.lower, true),
                                   names[d], names[d], BoundsText(interval.upper, false)));
    }
    const auto copy = [&] {
      if (plain)
        nests_.Line("if ({}) {};", fmt::join(inside, " && "), cuda_ ? "return" : "continue");
      const std::string position = PlainPosition(graph_, array, names);
      nests_.Line("{}[{}] = {}[{}];", BufferOf(store.buffer).name, position,
                  BufferOf(store.border_from).name, position);
    };
    nests_.Line();
    if (cuda_) {
      WriteKernel(function, all, arguments, copy);
    } else {
      const auto block = nests_.Block("void {}({})", function, fmt::join(arguments.declared, ", "));
      WriteBounds(nests_, all);
      nests_.Line("#pragma omp parallel for");
      WriteLoops(all, 0, copy);
    }
    return WriteCall(function, all, arguments);
  }

  /// The statement that runs the function on the operator's domain.
  std::string WriteCall(const std::string& function, const Operator& op,
                        const Arguments& arguments) {
    std::string call = fmt::format("{}({});", function, fmt::join(arguments.given, ", "));
    if (cuda_) {
      std::vector<std::string> points;
      for (std::size_t n = op.iterators.size(); n-- > 0;) {
        const graph::Interval& interval = op.domain.intervals[n];
        points.push_back(fmt::format("{} - {} + 1", BoundsText(interval.upper, false),
                                     BoundsText(interval.lower, true)));
      }
      const bool row = points.size() == 1;
      points.resize(3, "1");
      call = fmt::format("if (!Run({}, {}, {}, {}, {}, {})) return error.status();", function,
                         row ? "256, 1" : "32, 8", points[0], points[1], points[2],
                         fmt::join(arguments.given, ", "));
    }
    const std::string guard = GuardText(op);
    return guard.empty() ? call : fmt::format("if ({}) {{ {} }}", guard, call);
  }

  void WriteRegion(CodeWriter& writer, graph::RegionId region) {
    for (const NodeId node : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[node],
          [&](const Operator& op) {
            if (TypeOf(op.result).rank() == 0) {
              WriteLets(writer, op);
              writer.Line("const {} {} = {};", ToString(TypeOf(op.result).type),
                          ScalarName(op.result), PlainExpr(graph_, op.value, NamesFor(op), cuda_));
              return;
            }
            const Store& store = memory_.stores.at(node);
            const std::string call = WriteNest(op, store.buffer);
            if (store.border_from >= 0) {
              const std::string border = WriteBorder(op, store);
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
      body.Line("{0}* const new_{1} = {2};", TypeText(to), BufferOf(to).name, BufferOf(from).name);
    }
    for (const auto& move : memory_.exchanges.at(node).moves) {
      body.Line("{0} = new_{0};", BufferOf(move.first).name);
    }
    writer.Text(before_.str());
    const auto block = writer.Block("for (Index step = 0; step < {}; ++step)",
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
    for (const graph::Parameter& parameter : graph_.parameters) {
      steps_.Line("[[maybe_unused]] const Index {} = parameters[{}];", parameter.name,
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
      const std::string at = BufferOf(memory_.homes.at(output.version)).name;
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
      const std::string at = BufferOf(memory_.homes.at(output.version)).name;
      const std::string home = fmt::format("arrays[{}]", places.at(output.array));
      const auto block = steps_.Block("if ({} != {})", at, home);
      WriteCopy(home, at,
                fmt::format("{} * sizeof({})", CountText(output.array),
                            ToString(graph_.arrays[output.array].type)));
    }
  }

  const Graph& graph_;
  const Memory memory_;
  const std::string name_;
  const bool cuda_;
  std::set<std::string> taken_;
  CodeWriter nests_, steps_, before_;
  int functions_ = 0;
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
