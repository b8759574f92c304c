#include "codegen/cuda/print_launch.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codegen/host_code.h"

namespace stencilgen::codegen::cuda {
namespace {

using kernel::Launch;
using kernel::LaunchRange;
using kernel::LaunchValue;

class LaunchPrinter {
 public:
  LaunchPrinter(CodeWriter& writer, const Launch& launch, std::size_t occupancy)
      : writer_(writer), launch_(launch), occupancy_(occupancy) {}

  void Print() {
    const auto function = writer_.Block("bool {}()", launch_.name);
    if (launch_.condition.Valid()) {
      writer_.Line("if (!({})) return true;", kernel::Print(launch_.condition));
    }
    for (const LaunchRange& range : launch_.ranges) {
      WriteWrapped(writer_, fmt::format("const Range {} = {};", range.name, RangeText(range)));
    }
    std::vector<std::string> empty;
    for (std::size_t range : launch_.covered) {
      empty.push_back(fmt::format("{}.Empty()", Name(range)));
    }
    if (!empty.empty()) writer_.Line("if ({}) return true;", fmt::join(empty, " || "));
    if (launch_.short_coordinates) PrintFit();
    writer_.Line("const dim3 block({});", fmt::join(launch_.threads, ", "));
    for (const LaunchValue& value : launch_.values) {
      if (value.kind == LaunchValue::Kind::FittedChunk) {
        PrintFittedChunk(value);
      } else {
        writer_.Line("const long long {} = {};", value.var->name, ValueText(value));
      }
    }
    writer_.Line("const dim3 grid({});", GridText());
    PrintStart();
  }

 private:
  const std::string& Name(std::size_t range) const { return launch_.ranges[range].name; }

  std::string RangeText(const LaunchRange& range) const {
    if (!range.hull.empty()) {
      std::string hull = Name(range.hull.front());
      for (std::size_t n = 1; n < range.hull.size(); ++n) {
        hull = fmt::format("Hull({}, {})", hull, Name(range.hull[n]));
      }
      return hull;
    }
    std::string ends =
        fmt::format("{{{}, {}}}", kernel::Print(range.first), kernel::Print(range.last));
    if (!range.condition.Valid()) return ends;
    return fmt::format("{} ? Range{} : Range{{}}", kernel::Print(range.condition), ends);
  }

  void PrintFit() {
    std::vector<std::string> names;
    for (const LaunchRange& range : launch_.ranges) names.push_back(range.name);
    WriteWrapped(writer_, fmt::format("if (!FitCoordinates({{{}}}{})) {{", fmt::join(names, ", "),
                                      launch_.adds_coordinates ? ", 2" : ""));
    writer_.Line("  return error.Fail(kBadArgument, \"an extent is too large for the kernel {}\");",
                 launch_.function);
    writer_.Line("}}");
  }

  /// The device is asked once what it runs at a time.
  void PrintFittedChunk(const LaunchValue& value) {
    const std::string kernel = fmt::format("{}{}", launch_.function, UsualVariant());
    const ChunkCosts& costs = value.costs;
    writer_.Line("Occupancy occupancy;");
    WriteCall(writer_, fmt::format("if (!Do(kernel_occupancy[{}].Find", occupancy_),
              {kernel, "block", fmt::format("{}", launch_.shared_bytes), "occupancy"},
              fmt::format(", \"{}\")) return false;", launch_.function));
    const std::string numbers = fmt::format("ChunkCosts{{{}, {}, {}, {:.2f}}}", costs.overlap,
                                            costs.shortest, costs.ramp, costs.lone);
    WriteCall(writer_, fmt::format("const long long {} = FitChunk", value.var->name),
              {Name(value.range) + ".size()", OtherTiles(value), "occupancy", numbers}, ";");
  }

  /// Blocks of the grid for each chunk.
  std::string OtherTiles(const LaunchValue& chunk) const {
    std::vector<std::string> counts;
    for (std::size_t n = 0; n < launch_.axes.size(); ++n) {
      if (launch_.axes[n].chunk != chunk.var) counts.push_back(BlocksText(n));
    }
    for (const LaunchValue& value : launch_.values) {
      const bool tiles = value.kind == LaunchValue::Kind::Tiles && value.chunk == nullptr;
      if (tiles) counts.push_back(value.var->name);
    }
    if (counts.empty()) return "1";
    return (launch_.axes.empty() ? "" : "1LL * ") + fmt::format("{}", fmt::join(counts, " * "));
  }

  std::string ValueText(const LaunchValue& value) const {
    const std::string& range = Name(value.range);
    switch (value.kind) {
      case LaunchValue::Kind::FittedChunk:
        break;
      case LaunchValue::Kind::Chunk:
        return fmt::format("StreamChunk({}, {})", range, value.points);
      case LaunchValue::Kind::Start: {
        const kernel::Expr lo = kernel::Read(kernel::MakeVar(range + ".lo", kernel::kIndex));
        const kernel::Expr before = kernel::Number(value.before);
        const kernel::Expr points = kernel::Number(value.points);
        return kernel::Print(
            kernel::Call(kernel::Routine::FloorDiv, kernel::kIndex, {lo - before, points}) *
                points +
            before);
      }
      case LaunchValue::Kind::Tiles:
        break;
    }
    const std::string size = value.start == nullptr
                                 ? fmt::format("{}.size()", range)
                                 : fmt::format("{}.hi - {} + 1", range, value.start->name);
    if (value.chunk != nullptr) return fmt::format("CeilDiv({}, {})", size, value.chunk->name);
    if (value.spared == 0) return fmt::format("CeilDiv({}, {})", size, value.points);
    return fmt::format("CeilDiv(Max({} - {}, 1LL), {})", size, value.spared, value.points);
  }

  std::string GridText() const {
    std::vector<std::string> axes;
    for (std::size_t n = 0; n < launch_.axes.size(); ++n) axes.push_back(BlocksText(n));
    if (!axes.empty()) return fmt::format("{}", fmt::join(axes, ", "));
    std::vector<std::string> tiles;
    for (const kernel::VarRef& count : launch_.tiles) tiles.push_back(count->name);
    if (tiles.empty()) return "1";
    return fmt::format("static_cast<unsigned>({})", fmt::join(tiles, " * "));
  }

  std::string BlocksText(std::size_t n) const {
    const kernel::GridAxis& axis = launch_.axes[n];
    return fmt::format("{}({}, {})", n == 0 ? "BlocksX" : "BlocksYZ", Name(axis.range),
                       axis.chunk == nullptr ? fmt::format("{}", axis.points) : axis.chunk->name);
  }

  /// The template's argument for arrays as they mostly are.
  std::string_view UsualVariant() const {
    return launch_.vectors ? "<true>" : launch_.shapes.empty() ? "" : "<int>";
  }

  void PrintStart() {
    if (!launch_.shapes.empty()) return PrintEitherIndex();
    if (!launch_.vectors) return PrintCall("");
    std::vector<std::string> conditions;
    for (const kernel::RowAlignment& each : *launch_.vectors) {
      conditions.push_back(
          fmt::format("IsAligned({}, {})", each.array->name, each.elements * each.bytes));
      if (!each.row.Valid()) continue;
      conditions.push_back(fmt::format(
          "{} % {} == 0", kernel::Print(each.row, Precedence(BinaryOp::Mod)), each.elements));
    }
    WriteWrapped(writer_, fmt::format("const bool vectors = {};", fmt::join(conditions, " && ")));
    {
      const auto block = writer_.Block("if (!vectors)");
      PrintCall("<false>");
    }
    PrintCall("<true>");
  }

  void PrintEitherIndex() {
    std::vector<std::string> ranges, shapes;
    for (const LaunchRange& range : launch_.ranges) ranges.push_back(range.name);
    for (const auto& extents : launch_.shapes) shapes.push_back(ShapeText(extents));
    WriteWrapped(writer_, fmt::format("const bool short_index = FitInt({{{}}}, {{{}}});",
                                      fmt::join(ranges, ", "), fmt::join(shapes, ", ")));
    {
      const auto block = writer_.Block("if (!short_index)");
      PrintCall("<long long>");
    }
    PrintCall("<int>");
  }

  void PrintCall(const std::string& arguments_of_template) {
    std::vector<std::string> arguments = {launch_.function + arguments_of_template, "grid", "block",
                                          fmt::format("{}", launch_.shared_bytes), "stream"};
    for (const kernel::VarRef& argument : launch_.arguments) {
      arguments.push_back(ArgumentText(argument));
    }
    WriteCall(writer_, "return Do(Launch", arguments, fmt::format(", \"{}\");", launch_.function));
  }

  /// Ends of ranges are members.
  std::string ArgumentText(const kernel::VarRef& argument) const {
    for (const LaunchRange& range : launch_.ranges) {
      if (range.lo == argument) return range.name + ".lo";
      if (range.hi == argument) return range.name + ".hi";
    }
    return argument->name;
  }

  CodeWriter& writer_;
  const Launch& launch_;
  std::size_t occupancy_;
};

}  // namespace

void PrintLaunch(CodeWriter& writer, const Launch& launch, std::size_t occupancy) {
  LaunchPrinter(writer, launch, occupancy).Print();
}

}  // namespace stencilgen::codegen::cuda
