#include "codegen/cuda/print_launch.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace stencilgen::codegen::cuda {
namespace {

using kernel::Launch;
using kernel::LaunchRange;
using kernel::LaunchValue;

class LaunchPrinter {
 public:
  LaunchPrinter(CodeWriter& writer, const Launch& launch) : writer_(writer), launch_(launch) {}

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
    for (const LaunchValue& value : launch_.values) {
      writer_.Line("const long long {} = {};", value.var->name, ValueText(value));
    }
    writer_.Line("const dim3 grid({});", GridText());
    writer_.Line("const dim3 block({});", fmt::join(launch_.threads, ", "));
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
    const std::string ends =
        fmt::format("{{{}, {}}}", kernel::Print(range.first), kernel::Print(range.last));
    if (!range.condition.Valid()) return ends;
    return fmt::format("{} ? Range{} : Range{{}}", kernel::Print(range.condition), ends);
  }

  void PrintFit() {
    std::vector<std::string> names;
    for (const LaunchRange& range : launch_.ranges) names.push_back(range.name);
    WriteWrapped(writer_, fmt::format("if (!FitCoordinates({{{}}})) {{", fmt::join(names, ", ")));
    writer_.Line("  return error.Fail(kBadArgument, \"an extent is too large for the kernel {}\");",
                 launch_.function);
    writer_.Line("}}");
  }

  std::string ValueText(const LaunchValue& value) const {
    const std::string& range = Name(value.range);
    switch (value.kind) {
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
    if (value.spared == 0) return fmt::format("CeilDiv({}, {})", size, value.points);
    return fmt::format("CeilDiv(Max({} - {}, 1LL), {})", size, value.spared, value.points);
  }

  std::string GridText() const {
    std::vector<std::string> axes;
    for (const kernel::GridAxis& axis : launch_.axes) {
      axes.push_back(
          fmt::format("{}({}, {})", axes.empty() ? "BlocksX" : "BlocksYZ", Name(axis.range),
                      axis.chunk == nullptr ? fmt::format("{}", axis.points) : axis.chunk->name));
    }
    if (!axes.empty()) return fmt::format("{}", fmt::join(axes, ", "));
    std::vector<std::string> tiles;
    for (const kernel::VarRef& count : launch_.tiles) tiles.push_back(count->name);
    if (tiles.empty()) return "1";
    return fmt::format("static_cast<unsigned>({})", fmt::join(tiles, " * "));
  }

  void PrintStart() {
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
};

}  // namespace

void PrintLaunch(CodeWriter& writer, const Launch& launch) {
  LaunchPrinter(writer, launch).Print();
}

}  // namespace stencilgen::codegen::cuda
