#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/cpp/print_function.h"
#include "codegen/embedded_text.h"
#include "codegen/host_code.h"
#include "codegen/print_steps.h"
#include "codegen/resident.h"
#include "codegen/runtime_text.h"
#include "kernel/parts.h"
#include "support/check.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using kernel::Buffer;
using kernel::Module;

/// The caller's own array serves where the program only reads it or must leave the result there.
bool IsCallers(const Buffer& buffer) {
  if (buffer.scratch) return false;
  return buffer.copied_out || (!buffer.written && buffer.needs_contents);
}

std::string Memory(const Module& module) {
  CodeWriter writer;
  std::vector<const Buffer*> own;
  std::string beside;  // what the program's own arrays lie like
  for (const Buffer& buffer : module.buffers) {
    if (!buffer.used) continue;
    if (IsCallers(buffer)) {
      writer.Line("program.{0} = {0};", buffer.name());
      if (beside.empty()) beside = ", " + buffer.name();
    } else {
      own.push_back(&buffer);
    }
  }
  const std::size_t moves = module.moves.size();
  if (own.empty() && moves == 0) return writer.str();
  if (own.empty()) beside.clear();
  writer.Line("HostMemory<{}> memory(error{});", own.size() + moves, beside);
  for (const Buffer* buffer : own) {
    const std::string shape = MemberShapeText(buffer->extents);
    const std::string call =
        buffer->needs_contents
            ? fmt::format("Copy(program.{0}, {0}, \"{0}\", {1})", buffer->name(), shape)
            : fmt::format("Allocate(program.{0}, \"{0}\", {1})", buffer->name(), shape);
    WriteUnless(writer, fmt::format("memory.{}", call), "return error.status();");
  }
  return writer.str();
}

/// `take_over`: what stands before the copies.
std::string Results(const Module& module, std::string_view take_over) {
  if (module.moves.empty()) return "";
  CodeWriter writer;
  writer.Text(MoveDeclarations(module));
  writer.Text(take_over);
  writer.Line(
      "const auto copy = [](void* to_memory, const void* from_memory, std::size_t bytes) {{");
  writer.Line("  CopyBytes(to_memory, from_memory, bytes);");
  writer.Line("  return true;");
  writer.Line("}};");
  writer.Text(MoveHomeCall(module));
  return writer.str();
}

/// The names of the arrays whose borders objects copy once; none where there are no objects.
std::vector<std::string> KeptBorders(const Module& module, const FileOptions& options) {
  std::vector<std::string> names;
  if (!options.resident) return names;
  for (const auto& [to, from] : module.lasting_copies) names.push_back(module.buffers[to].name());
  return names;
}

std::string BorderFlags(const std::vector<std::string>& kept) {
  CodeWriter writer;
  if (kept.empty()) return "";
  writer.Line("/// Arrays whose border is there.");
  {
    const auto flags = writer.OpenBlock("struct Borders", "};");
    for (const std::string& name : kept) writer.Line("bool {} = false;", name);
  }
  writer.Line("Borders has_border;");
  return writer.str();
}

/// The copy, once where its target is one of those.
void WriteCopy(CodeWriter& writer, const std::vector<std::string>& kept,
               const std::string& function, const std::vector<std::string>& arguments) {
  const bool once =
      function == "CopyOutside" && std::find(kept.begin(), kept.end(), arguments[0]) != kept.end();
  if (!once) return WriteCall(writer, function, arguments, ";");
  const auto block = writer.Block("if (!has_border.{})", arguments[0]);
  WriteCall(writer, function, arguments, ";");
  writer.Line("has_border.{} = true;", arguments[0]);
}

void AddCalled(const kernel::Block& block, std::set<std::string>& called) {
  for (const kernel::Stmt& stmt : block.stmts) {
    if (const auto* call = std::get_if<kernel::CallStmt>(&stmt.what)) called.insert(call->function);
    for (const kernel::Block* inner : kernel::BlocksOf(stmt)) AddCalled(*inner, called);
  }
}

void AddCalled(const Module& module, const kernel::Steps& steps, std::set<std::string>& called) {
  for (const kernel::Step& step : steps) {
    if (const auto* launch = std::get_if<kernel::LaunchStep>(&step.what)) {
      called.insert(module.calls[launch->kernel].function);
    } else if (const auto* code = std::get_if<kernel::CodeStep>(&step.what)) {
      AddCalled(code->code, called);
    } else if (const auto* repeat = std::get_if<kernel::RepeatStep>(&step.what)) {
      AddCalled(module, repeat->body, called);
    } else if (const auto* scope = std::get_if<kernel::ScopeStep>(&step.what)) {
      AddCalled(module, scope->body, called);
      AddCalled(module, scope->otherwise, called);
    } else if (const auto* band = std::get_if<kernel::BandStep>(&step.what)) {
      called.insert(band->call.function);
      AddCalled(module, band->otherwise, called);
    }
  }
}

/// Names of the functions that the program gets to: where all turns of a loop are in tiles, these
/// call boxes, and nobody calls the nests. A function comes after those that it calls.
std::set<std::string> CalledFunctions(const Module& module) {
  std::set<std::string> called;
  AddCalled(module, module.steps, called);
  for (std::size_t k = module.functions.size(); k-- > 0;) {
    const kernel::Function& function = module.functions[k];
    if (called.count(function.name) > 0) AddCalled(function.body, called);
  }
  return called;
}

}  // namespace

std::string EmitCpp(const Module& module, const FileOptions& options) {
  STENCILGEN_CHECK(module.target == kernel::Target::Host);
  CodeWriter loops;
  const std::set<std::string> called = CalledFunctions(module);
  for (const kernel::Function& function : module.functions) {
    if (called.count(function.name) == 0) continue;
    cpp::PrintFunction(loops, function);
    loops.Line();
  }
  const std::vector<std::string> kept = KeptBorders(module, options);
  StepStyle style;
  style.launch = [&](CodeWriter& writer, std::size_t kernel) {
    kernel::Block call;
    call.Add(module.calls[kernel]);
    kernel::Print(writer, call, kernel::Target::Host);
  };
  style.copy = [&](CodeWriter& writer, const std::string& function,
                   const std::vector<std::string>& arguments) {
    WriteCopy(writer, kept, function, arguments);
  };
  return FillTemplate(
      EmbeddedText("cpp/templates/program.cpp.tmpl"),
      {{"banner", options.part ? "" : Banner(module, options)},
       {"runtime",
        options.part ? "" : RuntimeTexts(RuntimeHeaders(module, options), options.standalone)},
       {"contraction", module.strict ? "#if defined(__clang__)\n"
                                       "#pragma STDC FP_CONTRACT OFF\n"
                                       "#endif\n"
                                     : ""},
       {"function", options.function},
       {"linkage", Linkage(options)},
       {"loops", loops.str()},
       {"members", MemberDeclarations(module) + BorderFlags(kept)},
       {"checks", ArgumentChecks(module)},
       {"steps", StepStatements(module, style)},
       {"assignments", MemberAssignments(module)},
       {"signature", FunctionSignature(module, options, HostFunction::Host)},
       {"null_checks",
        NullChecks(module, HostFunction::Host) + PartPointers(module, HostFunction::Host)},
       {"memory", Memory(module)},
       {"results", Results(module, "")},
       {"resident",
        options.resident
            ? ResidentDefinitions(module, options, Results(module, ResidentTakeOver(module)))
            : ""}});
}

}  // namespace stencilgen::codegen
