#include "codegen/cpp/nest_parts.h"

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cpp {

OperatorStyle NestStyle(const ProgramModel& model) {
  OperatorStyle style;
  style.element = [&model](plan::BufferId buffer, const std::string& position) {
    return fmt::format("{}[{}]", model.Name(buffer), position);
  };
  return style;
}

std::vector<std::string> NestParameters(const ProgramModel& model, const OperatorCode& code) {
  std::vector<std::string> parameters;
  for (const auto& [buffer, use] : code.buffers()) {
    const bool in_out = use.read && use.written;
    parameters.push_back(fmt::format("{}{}*{} {}", use.written ? "" : "const ",
                                     ToString(model.plan().buffers[buffer].type),
                                     in_out ? "" : " __restrict__", model.Name(buffer)));
  }
  for (int scalar : code.scalars()) {
    parameters.push_back(fmt::format(
        "const {} {}", ToString(model.plan().scalars[static_cast<std::size_t>(scalar)].second),
        model.Scalar(scalar)));
  }
  for (graph::ParameterId id : code.parameters()) {
    parameters.push_back(fmt::format("const Index {}", model.parameters()[id.index]));
  }
  return parameters;
}

std::vector<std::string> NestArguments(const ProgramModel& model, const OperatorCode& code) {
  std::vector<std::string> arguments;
  for (const auto& [buffer, use] : code.buffers()) arguments.push_back(model.Name(buffer));
  for (int scalar : code.scalars()) arguments.push_back(model.Scalar(scalar));
  for (graph::ParameterId id : code.parameters()) {
    arguments.push_back(model.parameters()[id.index]);
  }
  return arguments;
}

NestBounds PrintBounds(CodeWriter& writer, const graph::Operator& op, OperatorCode& code) {
  const auto form = [&](const graph::LinearForm& linear) { return code.Form(linear); };
  const std::string guards = GuardText(op.domain, form);
  if (!guards.empty()) writer.Line("if (!({})) return;", guards);
  NestBounds bounds;
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    const graph::Interval& interval = op.domain.intervals[n];
    bounds.lo.push_back(code.Claim(fmt::format("{}_lo", code.IteratorName(n))));
    bounds.hi.push_back(code.Claim(fmt::format("{}_hi", code.IteratorName(n))));
    writer.Line("const Index {} = {};", bounds.lo.back(), LowerText(interval, form));
    writer.Line("const Index {} = {};", bounds.hi.back(), UpperText(interval, form));
  }
  return bounds;
}

std::string PointsText(const NestBounds& bounds) {
  std::vector<std::string> sizes;
  for (std::size_t d = 0; d < bounds.lo.size(); ++d) {
    sizes.push_back(fmt::format("({} - {} + 1)", bounds.hi[d], bounds.lo[d]));
  }
  return fmt::format("{}", fmt::join(sizes, " * "));
}

namespace {

void PrintTilesFrom(std::size_t n, CodeWriter& writer, const ProgramModel& model,
                    const graph::Operator& op, OperatorCode& code, NestBounds& bounds,
                    const std::function<void()>& print) {
  if (n >= op.iterators.size()) return print();
  const std::vector<int>& tile = model.options().tile;
  const auto iterator = static_cast<std::size_t>(op.iterators[n]);
  if (iterator >= tile.size() || tile[iterator] == 0) {
    return PrintTilesFrom(n + 1, writer, model, op, code, bounds, print);
  }
  const std::string first = code.Claim(fmt::format("{}_tile", code.IteratorName(n)));
  const std::string last = code.Claim(fmt::format("{}_tile_hi", code.IteratorName(n)));
  const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; {0} += {3})", first,
                                 bounds.lo[n], bounds.hi[n], tile[iterator]);
  writer.Line("const Index {} = Min({} + {}, {});", last, first, tile[iterator] - 1, bounds.hi[n]);
  bounds.lo[n] = first;
  bounds.hi[n] = last;
  PrintTilesFrom(n + 1, writer, model, op, code, bounds, print);
}

}  // namespace

void PrintTiles(CodeWriter& writer, const ProgramModel& model, const graph::Operator& op,
                OperatorCode& code, NestBounds& bounds, const std::function<void()>& print) {
  PrintTilesFrom(1, writer, model, op, code, bounds, print);
}

std::string ParallelText(const ProgramModel& model, const NestBounds& bounds, bool simd) {
  const std::string_view name = simd ? "STENCILGEN_PARALLEL_FOR_SIMD" : "STENCILGEN_PARALLEL_FOR";
  if (model.options().threads == 0) return fmt::format("{}({})", name, PointsText(bounds));
  return fmt::format("{}_ON({}, {})", name, model.options().threads, PointsText(bounds));
}

void PrintNest(CodeWriter& writer, const ProgramModel& model, plan::KernelId kernel,
               const OperatorCode& code, const std::string& body) {
  for (const graph::Operator* op : model.OperatorsOf(kernel)) {
    const std::string comment = SourceComment(model.options(), op->span);
    writer.Line("// {}{}{}", op->stencil, comment.empty() ? "" : ", ", comment);
  }
  WriteCall(writer, fmt::format("static void {}", model.Name(kernel)), NestParameters(model, code),
            " {");
  WriteIndented(writer, body);
  writer.Line("}}");
}

std::string NestCall(const ProgramModel& model, plan::KernelId kernel, const OperatorCode& code) {
  CodeWriter call;
  WriteCall(call, model.Name(kernel), NestArguments(model, code), ";");
  return call.str();
}

}  // namespace stencilgen::codegen::cpp
