#include "codegen/cuda/tile_kernel.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "codegen/cuda/tile_steps.h"
#include "codegen/host_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cuda {
namespace {

class TileKernelPrinter {
 public:
  TileKernelPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        tile_(*model.plan().kernels[kernel].tile),
        scope_(model, model.plan().kernels[kernel]),
        steps_(scope_) {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d || tile_.chunk > 0) tiled_.push_back(d);
      counts_.push_back(
          scope_.Claim(fmt::format("{}_tiles", scope_.iterators()[d])));
    }
    if (!tiled_.empty()) counter_ = scope_.Claim("tile");
  }

  KernelText Print() {
    CodeWriter steps;
    steps_.Print(steps);
    CodeWriter body;
    PrintPlace(body);
    PrintStorage(body);
    for (const std::string& test : steps_.tests()) WriteWrapped(body, test);
    PrintWalk(body, steps.str());
    CodeWriter writer;
    PrintComment(writer);
    WriteCall(writer, fmt::format("static __global__ void {} {}", Limit(), model_.Name(kernel_)),
              Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    CodeWriter launcher;
    {
      const auto function = launcher.Block("bool {}()", model_.Launcher(kernel_));
      PrintLauncher(launcher);
    }
    return {writer.str(), launcher.str()};
  }

 private:
  std::string Limit() const {
    const int registers = model_.options().registers;
    return registers > 0 ? fmt::format("__maxnreg__({})", registers)
                         : fmt::format("__launch_bounds__({})", tile_.Threads());
  }

  void PrintComment(CodeWriter& writer) const {
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      const graph::Operator& op = scope_.OperatorAt(k);
      const std::string comment = SourceComment(model_.options(), op.span);
      writer.Line("// {}{}{}", op.stencil, comment.empty() ? "" : ", ", comment);
    }
    std::vector<std::string> sizes;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream == d) continue;
      sizes.push_back(fmt::format("{} of {} points along {}", tile_.Stored(d),
                                  tile_.threads[d] * tile_.points[d], scope_.iterators()[d]));
    }
    writer.Line("// Each block stores {}.", fmt::join(sizes, ", "));
  }

  std::vector<std::string> Parameters() const {
    std::vector<std::string> parameters;
    for (const auto& [buffer, use] : scope_.buffers()) {
      if (!model_.ConstantName(buffer).empty()) continue;
      const bool in_out = use.read && use.written;
      parameters.push_back(
          fmt::format("{}<{}{}> {}", in_out ? "GlobalInOut" : "Global", use.written ? "" : "const ",
                      ToString(model_.plan().buffers[buffer].type), model_.Name(buffer)));
    }
    for (int scalar : scope_.scalars()) {
      parameters.push_back(fmt::format(
          "const {} {}", ToString(model_.plan().scalars[static_cast<std::size_t>(scalar)].second),
          model_.Scalar(scalar)));
    }
    for (graph::ParameterId id : scope_.parameters()) {
      parameters.push_back(fmt::format("const Index {}", model_.parameters()[id.index]));
    }
    for (const TileScope::Range& range : scope_.ranges()) {
      parameters.push_back(fmt::format("const Index {}_lo", range.name));
      parameters.push_back(fmt::format("const Index {}_hi", range.name));
    }
    for (std::size_t n = 1; n < tiled_.size(); ++n) {
      parameters.push_back(fmt::format("const Index {}", counts_[tiled_[n]]));
    }
    return parameters;
  }

  std::int64_t Step(std::size_t d) const { return tile_.stream == d ? tile_.chunk : tile_.Stored(d); }

  /// Where the block's tile and the thread's points are.
  void PrintPlace(CodeWriter& writer) const {
    if (tiled_.size() > 1) writer.Line("Index {} = Index(blockIdx.x);", counter_);
    for (std::size_t n = tiled_.size(); n-- > 0;) {
      const std::size_t d = tiled_[n];
      const std::string index =
          tiled_.size() == 1 ? "Index(blockIdx.x)"
          : n == 0           ? counter_
                             : fmt::format("{} % {}", counter_, counts_[d]);
      const std::string& start = tile_.stream == d ? scope_.plane_first() : scope_.TileStart(d);
      writer.Line("const Index {} = {}_lo + {} * {};", start, scope_.Grid(d), index, Step(d));
      if (n > 0) writer.Line("{} /= {};", counter_, counts_[d]);
    }
    if (tile_.stream) {
      const std::string& grid = scope_.Grid(*tile_.stream);
      if (tile_.chunk == 0) {
        writer.Line("const Index {} = {}_lo;", scope_.plane_first(), grid);
        writer.Line("const Index {} = {}_hi;", scope_.plane_last(), grid);
      } else {
        writer.Line("const Index {0} = Min({1} + {2}, {3}_hi);", scope_.plane_last(),
                    scope_.plane_first(), tile_.chunk - 1, grid);
      }
    }
    std::vector<std::string> position;
    std::int64_t stride = 1;
    for (std::size_t d = tile_.dimensions; d-- > 0;) {
      if (tile_.stream == d) continue;
      Term at = Variable(scope_.TileStart(d)) - Number(tile_.halo.lo[d]);
      const std::string thread =
          fmt::format("threadIdx.{}", "xyz"[tile_.dimensions - 1 - d]);
      if (tile_.threads[d] > 1) {
        at = at + Variable(fmt::format("Index({})", thread)) * Number(tile_.points[d]);
        position.push_back(
            (Variable(fmt::format("int({})", thread)) * Number(tile_.points[d] * stride)).text);
      }
      writer.Line("const Index {} = {};", scope_.First(d), at.text);
      stride *= std::int64_t{tile_.threads[d]} * tile_.points[d];
    }
    if (tile_.regions.empty()) return;
    if (position.empty()) position.emplace_back("0");
    writer.Line("const int {} = {};", scope_.position(), fmt::join(position, " + "));
  }

  void PrintStorage(CodeWriter& writer) const {
    for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
      const plan::TileVersion& version = tile_.versions[v];
      const int index = static_cast<int>(v);
      const std::string_view type = ToString(scope_.TypeOf(index));
      std::vector<std::string> variables;
      for (int age = 0; age < static_cast<int>(version.planes.size()); ++age) {
        if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
        const std::string& name = scope_.Registers(index, age);
        variables.push_back(tile_.Points() == 1
                                ? fmt::format("{} = 0", name)
                                : fmt::format("{}[{}] = {{}}", name, tile_.Points()));
      }
      WriteWrapped(writer, fmt::format("{} {};", type, fmt::join(variables, ", ")));
      PrintSums(writer, index);
      for (int slot = 0; slot < version.slots; ++slot) {
        const auto& region = tile_.regions[static_cast<std::size_t>(version.region)];
        const std::int64_t elements = region.origin + slot * region.plane_elements;
        writer.Line("{}Shared<{}> {} = DynamicShared<{}>({}){};",
                    version.slots == 1 ? "const " : "", type,
                    scope_.Shared(index, version.FirstShared() + slot), type, region.byte_offset,
                    elements == 0 ? std::string() : fmt::format(" + {}", elements));
      }
    }
  }

  /// The sums of the operator that makes the version, where it is scattered.
  void PrintSums(CodeWriter& writer, int version) const {
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      if (!tile_.ops[op].scatter || tile_.Find(scope_.OperatorAt(op).result) != version) continue;
      std::vector<std::string> sums;
      for (std::size_t ahead = 0; ahead < tile_.ops[op].scatter->parts.size(); ++ahead) {
        const std::string& name = scope_.Sums(op, ahead);
        sums.push_back(tile_.Points() == 1 ? fmt::format("{} = 0", name)
                                           : fmt::format("{}[{}] = {{}}", name, tile_.Points()));
      }
      WriteWrapped(writer, fmt::format("{} {};", ToString(scope_.TypeOf(version)),
                                       fmt::join(sums, ", ")));
    }
  }

  void PrintWalk(CodeWriter& writer, const std::string& steps) const {
    if (!tile_.stream) return writer.Text(steps);
    const std::size_t d = *tile_.stream;
    std::int64_t before = 0;
    std::int64_t after = 0;
    bool first = true;
    for (const plan::TileVersion& version : tile_.versions) {
      const std::int64_t start = version.halo.lo[d] - version.lag;
      before = first ? start : std::max(before, start);
      first = false;
    }
    for (const plan::TileStore& store : tile_.stores) {
      const int version = tile_.Find(store.version);
      after = std::max(after, tile_.versions[static_cast<std::size_t>(version)].lag);
    }
    const int unroll = Renaming();
    if (unroll > 1) writer.Line("STENCILGEN_UNROLL_BY({})", unroll);
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})", scope_.plane(),
                                   (Variable(scope_.plane_first()) - Number(before)).text,
                                   (Variable(scope_.plane_last()) + Number(after)).text);
    writer.Text(steps);
  }

  /// Steps after which every plane is back in the variable it began in: unrolled by that, none
  /// moves.
  int Renaming() const {
    constexpr int kMostSteps = 8;
    constexpr std::size_t kMostCode = 64;  // operators and points of an unrolled walk
    int period = 1;
    int longest = 1;
    for (const plan::TileVersion& version : tile_.versions) {
      const auto held = static_cast<int>(
          std::count_if(version.planes.begin(), version.planes.end(),
                        [](const plan::PlaneStorage& plane) { return plane.registers; }));
      for (const int planes : {held, version.slots}) {
        if (planes < 2) continue;
        period = std::lcm(period, planes);
        longest = std::max(longest, planes);
      }
    }
    for (const plan::TileOperator& op : tile_.ops) {
      if (!op.scatter) continue;
      const auto sums = static_cast<int>(op.scatter->parts.size());
      period = std::lcm(period, sums);
      longest = std::max(longest, sums);
    }
    if (period > kMostSteps) period = longest;
    const std::size_t code =
        tile_.ops.size() * static_cast<std::size_t>(tile_.Points()) * static_cast<std::size_t>(period);
    return period > kMostSteps || code > kMostCode ? 1 : period;
  }

  void PrintLauncher(CodeWriter& writer) {
    for (const TileScope::Range& range : scope_.ranges()) {
      WriteWrapped(writer, fmt::format("const Range {} = {};", range.name, range.text));
    }
    std::vector<std::string> empty;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      empty.push_back(fmt::format("{}.Empty()", scope_.Grid(d)));
    }
    writer.Line("if ({}) return true;", fmt::join(empty, " || "));
    std::vector<std::string> counts;
    for (std::size_t d : tiled_) {
      writer.Line("const long long {} = CeilDiv({}.size(), {});", counts_[d], scope_.Grid(d),
                  Step(d));
      counts.push_back(counts_[d]);
    }
    if (counts.empty()) counts.emplace_back("1");
    std::vector<std::string> threads;
    for (std::size_t d = tile_.dimensions; d-- > 0;) {
      threads.push_back(fmt::format("{}", tile_.threads[d]));
    }
    writer.Line("const dim3 grid(static_cast<unsigned>({}));", fmt::join(counts, " * "));
    writer.Line("const dim3 block({});", fmt::join(threads, ", "));
    WriteCall(writer, "return Do(Launch", LaunchArguments(),
              fmt::format(", \"{}\");", model_.Name(kernel_)));
  }

  std::vector<std::string> LaunchArguments() const {
    std::vector<std::string> arguments = {model_.Name(kernel_), "grid", "block",
                                          fmt::format("{}", tile_.shared_bytes), "stream"};
    for (const auto& [buffer, use] : scope_.buffers()) {
      if (model_.ConstantName(buffer).empty()) arguments.push_back(model_.Name(buffer));
    }
    for (int scalar : scope_.scalars()) arguments.push_back(model_.Scalar(scalar));
    for (graph::ParameterId id : scope_.parameters()) {
      arguments.push_back(model_.parameters()[id.index]);
    }
    for (const TileScope::Range& range : scope_.ranges()) {
      arguments.push_back(fmt::format("{}.lo", range.name));
      arguments.push_back(fmt::format("{}.hi", range.name));
    }
    for (std::size_t n = 1; n < tiled_.size(); ++n) arguments.push_back(counts_[tiled_[n]]);
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const plan::Tile& tile_;
  TileScope scope_;
  TileStepPrinter steps_;
  std::vector<std::size_t> tiled_;   ///< dimensions that the grid cuts
  std::vector<std::string> counts_;  ///< by dimension: the variable with its number of tiles
  std::string counter_;
};

}  // namespace

KernelText PrintTileKernel(const ProgramModel& model, plan::KernelId kernel) {
  return TileKernelPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cuda
