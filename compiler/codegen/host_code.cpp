#include "codegen/host_code.h"

#include <fmt/format.h>

#include "codegen/text.h"
#include "support/literal_text.h"
#include "support/operators.h"

namespace stencilgen::codegen {
namespace {

using graph::LinearForm;
using kernel::Expr;
using plan::BufferId;

Expr BoundOf(const graph::Bound& bound, kernel::Routine rounding,
             const std::function<Expr(const LinearForm&)>& form) {
  const Expr numerator = form(bound.numerator);
  if (bound.divisor == 1) return numerator;
  return kernel::Call(rounding, kernel::kIndex, {numerator, kernel::Number(bound.divisor)});
}

/// The largest or least of the bounds.
Expr EndOf(const std::vector<graph::Bound>& bounds, kernel::Routine rounding,
           kernel::Routine extreme, const std::function<Expr(const LinearForm&)>& form) {
  std::vector<Expr> candidates;
  for (const graph::Bound& bound : bounds) candidates.push_back(BoundOf(bound, rounding, form));
  if (candidates.size() == 1) return candidates.front();
  return kernel::Call(extreme, kernel::kIndex, std::move(candidates));
}

std::string MaybeUnused(bool unused) {
  return unused ? "[[maybe_unused]] " : "";
}

/// The function refers to its argument.
bool Touches(const ProgramModel& model, HostFunction function, BufferId id) {
  return function == HostFunction::Host ? model.TouchesHost(id) : model.IsUsed(id);
}

}  // namespace

Expr LowerOf(const graph::Interval& interval, const std::function<Expr(const LinearForm&)>& form) {
  return EndOf(interval.lower, kernel::Routine::CeilDiv, kernel::Routine::Largest, form);
}

Expr UpperOf(const graph::Interval& interval, const std::function<Expr(const LinearForm&)>& form) {
  return EndOf(interval.upper, kernel::Routine::FloorDiv, kernel::Routine::Least, form);
}

Expr GuardOf(const graph::Domain& domain, const std::function<Expr(const LinearForm&)>& form) {
  std::vector<Expr> conditions;
  for (const LinearForm& guard : domain.guards) {
    conditions.push_back(kernel::Apply(BinaryOp::GreaterEqual, form(guard), kernel::Number(0)));
  }
  return kernel::And(conditions);
}

std::vector<std::string> FunctionParameters(const ProgramModel& model, HostFunction function,
                                            bool mark_unused) {
  std::vector<std::string> parameters;
  for (const Argument& argument : model.arguments()) {
    const graph::Array& array = model.graph().arrays[argument.array];
    if (argument.scalar >= 0) {
      parameters.push_back(fmt::format("{} {}", ToString(array.type), argument.name));
      continue;
    }
    const bool used = argument.buffer.Valid() && Touches(model, function, argument.buffer);
    const bool written = argument.buffer.Valid() && model.IsWritten(argument.buffer);
    const bool is_const = !array.copy_out && !(function == HostFunction::Device && written);
    parameters.push_back(fmt::format("{}{}{}* {}", MaybeUnused(mark_unused && !used),
                                     is_const ? "const " : "", ToString(array.type),
                                     argument.name));
  }
  for (const std::string& name : model.parameters()) {
    parameters.push_back(fmt::format("int {}", name));
  }
  // The header must do without CUDA's own, which may be included as well.
  if (function == HostFunction::Device) parameters.emplace_back("struct CUstream_st* stream");
  return parameters;
}

std::string Linkage(const CodegenOptions& options) {
  return options.exported ? "extern \"C\"" : "[[maybe_unused]] static";
}

std::string FunctionSignature(const ProgramModel& model, HostFunction function) {
  CodeWriter writer;
  WriteCall(writer,
            fmt::format("{} int {}{}", Linkage(model.options()), model.options().function,
                        function == HostFunction::Device ? "_device" : ""),
            FunctionParameters(model, function, true), " {");
  return writer.str();
}

std::string MemberDeclarations(const ProgramModel& model) {
  CodeWriter writer;
  for (const std::string& name : model.parameters()) writer.Line("long long {} = 0;", name);
  for (std::size_t k = 0; k < model.plan().scalars.size(); ++k) {
    writer.Line("{} {} = 0;", ToString(model.plan().scalars[k].second),
                model.Scalar(static_cast<int>(k)));
  }
  for (BufferId id : model.UsedBuffers()) {
    writer.Line("{}* {} = nullptr;{}", model.ElementType(id), model.Name(id),
                model.IsScratch(id) ? "  // scratch" : "");
  }
  return writer.str();
}

std::string MemberAssignments(const ProgramModel& model) {
  CodeWriter writer;
  for (const std::string& name : model.parameters()) writer.Line("program.{0} = {0};", name);
  for (const Argument& argument : model.arguments()) {
    if (argument.scalar >= 0) writer.Line("program.{0} = {0};", argument.name);
  }
  return writer.str();
}

std::string ArgumentChecks(const ProgramModel& model) {
  CodeWriter writer;
  for (graph::ParameterId id : model.graph().parameters.Ids()) {
    const graph::Parameter& parameter = model.graph().parameters[id];
    const std::string& name = model.parameters()[id.index];
    if (parameter.fixed) {
      const auto check = writer.Block("if ({} != {})", name, IndexText(*parameter.fixed));
      writer.Line("return error.Fail(kBadArgument,");
      writer.Line(
          "                  \"parameter {} was fixed at {} by the compiler, not %lld\", {});",
          parameter.name, *parameter.fixed, name);
      continue;
    }
    const auto check = writer.Block("if ({} < 1)", name);
    writer.Line(
        "return error.Fail(kBadArgument, \"parameter {} must be at least 1, not %lld\", {});",
        parameter.name, name);
  }
  const std::vector<std::string> source_names = graph::ParameterNames(model.graph());
  for (const LinearForm& count : model.Counts()) {
    const Expr value = model.Form(count);
    const auto check = writer.Block("if ({} < 0)", kernel::Print(value, 9));
    writer.Line(
        "return error.Fail(kBadArgument, \"the iteration count {} is negative: %lld\", {});",
        graph::ToString(count, source_names),
        kernel::NumberOf(value) ? fmt::format("static_cast<long long>({})", kernel::Print(value))
                                : kernel::Print(value));
  }
  return writer.str();
}

std::string NullChecks(const ProgramModel& model, HostFunction function) {
  CodeWriter writer;
  for (const Argument& argument : model.arguments()) {
    if (!argument.buffer.Valid() || !Touches(model, function, argument.buffer)) continue;
    const auto check = writer.Block("if ({} == nullptr)", argument.name);
    writer.Line("error.Fail(kBadArgument, \"array {} is a null pointer\");",
                model.graph().arrays[argument.array].name);
    writer.Line("return error.status();");
  }
  return writer.str();
}

std::string MoveHomeCall(const ProgramModel& model) {
  CodeWriter writer;
  writer.Line(
      "const auto allocate = [&](std::size_t bytes) {{ return memory.AllocateBytes(bytes, "
      "\"aside\"); }};");
  WriteUnless(writer, fmt::format("MoveHome(moves, {}, copy, allocate)", model.Moves().size()),
              "return error.status();");
  return writer.str();
}

std::string MoveDeclarations(const ProgramModel& model) {
  CodeWriter writer;
  writer.Line("Move moves[] = {{");
  for (const Result& result : model.Moves()) {
    const plan::Buffer& buffer = model.plan().buffers[result.home];
    WriteWrapped(writer, fmt::format("    {{{}, program.{}, {}.Bytes(sizeof({}))}},",
                                     model.Name(result.home), model.Name(result.buffer),
                                     model.MemberShapeText(result.home), ToString(buffer.type)));
  }
  writer.Line("}};");
  return writer.str();
}

std::string KernelComments(const ProgramModel& model, bool cuda) {
  CodeWriter writer;
  for (plan::KernelId id : model.plan().kernels.Ids()) {
    std::vector<std::string> targets;
    for (graph::VersionId version : StoredVersions(model.plan(), model.plan().kernels[id])) {
      targets.push_back(model.Name(model.plan().buffer_of[version.index]));
    }
    const plan::Schedule& schedule = model.plan().kernels[id].schedule;
    const auto& block = schedule.block;
    const auto& unroll = schedule.unroll;
    const auto& stream = schedule.stream;
    std::string shape;
    if (cuda) {
      shape = fmt::format(", block {}x{}x{}, {}x{}x{} points a thread", block[0], block[1],
                          block[2], unroll[0], unroll[1], unroll[2]);
    }
    if (cuda && stream) {
      shape += fmt::format(
          ", along {} {}", model.graph().iterators[static_cast<std::size_t>(stream->iterator)],
          stream->chunk == 0 ? "serially" : fmt::format("in chunks of {}", stream->chunk));
    }
    writer.Line("//   {}: writes {}{}", model.Name(id), fmt::join(targets, ", "), shape);
  }
  return writer.str();
}

std::string Banner(const ProgramModel& model, bool cuda) {
  const CodegenOptions& options = model.options();
  CodeWriter writer;
  writer.Line("// Generated by stencilgen from {}. Do not edit: change the program instead.",
              options.source_name.empty() ? "a stencil program" : CommentText(options.source_name));
  if (!options.command_line.empty()) writer.Line("//   {}", CommentText(options.command_line, 400));
  if (!options.tuned.empty()) writer.Line("//   {}", CommentText(options.tuned, 400));
  writer.Line("//");
  if (cuda) {
    writer.Line("// Compile with `nvcc -std=c++17 -O3`.");
  } else {
    writer.Line("// Compile with `-std=c++17 -O3 -fopenmp`{}.",
                options.fp == FpMode::Strict
                    ? " and `-ffp-contract=off -frounding-math`, which `--fp strict` relies on"
                    : "");
  }
  if (model.plan().kernels.empty()) return writer.str();
  writer.Line("//");
  writer.Line("// {}:", cuda ? "Kernels" : "Loops");
  writer.Text(KernelComments(model, cuda));
  return writer.str();
}

}  // namespace stencilgen::codegen
