#include <set>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/cpp/kernel.h"
#include "codegen/cpp/print_function.h"
#include "codegen/embedded_text.h"
#include "codegen/host_code.h"
#include "codegen/lasting_copies.h"
#include "codegen/program_model.h"
#include "codegen/resident.h"
#include "codegen/runtime_text.h"
#include "codegen/text.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using plan::BufferId;

/// The caller's own array serves where the program only reads it or must leave the result there.
bool IsCallers(const ProgramModel& model, BufferId id) {
  if (model.IsScratch(id)) return false;
  return model.IsCopiedOut(id) || (!model.IsWritten(id) && model.NeedsContents(id));
}

std::string Memory(const ProgramModel& model) {
  CodeWriter writer;
  std::vector<BufferId> own;
  for (BufferId id : model.UsedBuffers()) {
    if (IsCallers(model, id)) {
      writer.Line("program.{0} = {0};", model.Name(id));
    } else {
      own.push_back(id);
    }
  }
  const std::size_t moves = model.Moves().size();
  if (own.empty() && moves == 0) return writer.str();
  writer.Line("HostMemory<{}> memory(error);", own.size() + moves);
  for (BufferId id : own) {
    const std::string& name = model.Name(id);
    const std::string call =
        model.NeedsContents(id)
            ? fmt::format("Copy(program.{0}, {0}, \"{0}\", {1})", name, model.MemberShapeText(id))
            : fmt::format("Allocate(program.{0}, \"{0}\", {1})", name, model.MemberShapeText(id));
    WriteUnless(writer, fmt::format("memory.{}", call), "return error.status();");
  }
  return writer.str();
}

/// `take_over`: what stands before the copies.
std::string Results(const ProgramModel& model, std::string_view take_over) {
  if (model.Moves().empty()) return "";
  CodeWriter writer;
  writer.Text(MoveDeclarations(model));
  writer.Text(take_over);
  writer.Line("const auto copy = [](void* to, const void* from, std::size_t bytes) {{");
  writer.Line("  CopyBytes(to, from, bytes);");
  writer.Line("  return true;");
  writer.Line("}};");
  writer.Text(MoveHomeCall(model));
  return writer.str();
}

/// The copies of borders that objects make once; none where there are no objects.
std::vector<plan::CopyOutside> KeptBorders(const ProgramModel& model) {
  if (!model.options().resident) return {};
  return LastingCopies(model.plan());
}

std::string BorderFlags(const ProgramModel& model) {
  CodeWriter writer;
  const std::vector<plan::CopyOutside> borders = KeptBorders(model);
  if (borders.empty()) return "";
  writer.Line("/// Arrays whose border is there.");
  {
    const auto flags = writer.OpenBlock("struct Borders", "};");
    for (const plan::CopyOutside& copy : borders) {
      writer.Line("bool {} = false;", model.Name(copy.dst));
    }
  }
  writer.Line("Borders has_border;");
  return writer.str();
}

/// The copy, once where its target is one of those.
void WriteCopy(CodeWriter& writer, const std::set<std::string>& kept, const std::string& function,
               const std::vector<std::string>& arguments) {
  if (function != "CopyOutside" || kept.count(arguments[0]) == 0) {
    return WriteCall(writer, function, arguments, ";");
  }
  const auto once = writer.Block("if (!has_border.{})", arguments[0]);
  WriteCall(writer, function, arguments, ";");
  writer.Line("has_border.{} = true;", arguments[0]);
}

}  // namespace

std::string EmitCpp(const plan::Plan& plan, const CodegenOptions& options) {
  const ProgramModel model(plan, options);
  CodeWriter loops;
  std::vector<kernel::CallStmt> calls;
  for (plan::KernelId id : plan.kernels.Ids()) {
    cpp::LoweredNest nest = cpp::LowerKernel(model, id);
    for (const kernel::Function& function : nest.functions) {
      cpp::PrintFunction(loops, function);
      loops.Line();
    }
    calls.push_back(std::move(nest.call));
  }
  StepStyle style;
  style.launch = [&](CodeWriter& writer, plan::KernelId kernel) {
    kernel::Block call;
    call.Add(calls[kernel.index]);
    kernel::Print(writer, call, kernel::Target::Host);
  };
  std::set<std::string> kept;
  for (const plan::CopyOutside& copy : KeptBorders(model)) kept.insert(model.Name(copy.dst));
  style.copy = [&](CodeWriter& writer, const std::string& function,
                   const std::vector<std::string>& arguments) {
    WriteCopy(writer, kept, function, arguments);
  };
  style.element = [&](CodeWriter&, BufferId buffer, const kernel::Expr& position) {
    return kernel::ElementAt(model.Var(buffer), position);
  };
  return FillTemplate(
      EmbeddedText("cpp/templates/program.cpp.tmpl"),
      {{"banner", options.part ? "" : Banner(model, false)},
       {"runtime",
        options.part ? "" : RuntimeTexts(RuntimeHeaders(model, false), options.standalone)},
       {"contraction", options.fp == FpMode::Strict ? "#if defined(__clang__)\n"
                                                      "#pragma STDC FP_CONTRACT OFF\n"
                                                      "#endif\n"
                                                    : ""},
       {"function", options.function},
       {"linkage", Linkage(options)},
       {"loops", loops.str()},
       {"members", MemberDeclarations(model) + BorderFlags(model)},
       {"checks", ArgumentChecks(model)},
       {"steps", StepStatements(model, style)},
       {"assignments", MemberAssignments(model)},
       {"signature", FunctionSignature(model, HostFunction::Host)},
       {"null_checks", NullChecks(model, HostFunction::Host)},
       {"memory", Memory(model)},
       {"results", Results(model, "")},
       {"resident", options.resident
                        ? ResidentDefinitions(model, false, Results(model, ResidentTakeOver(model)))
                        : ""}});
}

}  // namespace stencilgen::codegen
