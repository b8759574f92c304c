#include "codegen/resident.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/embedded_text.h"
#include "codegen/form.h"
#include "codegen/host_code.h"
#include "codegen/lasting_copies.h"
#include "codegen/text.h"
#include "support/check.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using plan::BufferId;

/// An input or output of the program, by which the application knows it.
struct Visible {
  const Argument* argument;
  const graph::Array* array;
};

std::vector<Visible> VisibleArrays(const ProgramModel& model) {
  std::vector<Visible> visible;
  for (const Argument& argument : model.arguments()) {
    const graph::Array& array = model.graph().arrays[argument.array];
    if (argument.scalar < 0 && (array.copy_in || array.copy_out)) {
      visible.push_back({&argument, &array});
    }
  }
  return visible;
}

/// What else the program needs memory for.
std::vector<BufferId> ScratchBuffers(const ProgramModel& model) {
  std::vector<BufferId> scratch;
  for (BufferId id : model.UsedBuffers()) {
    const plan::Buffer& buffer = model.plan().buffers[id];
    const bool is_visible = buffer.home.Valid() && (model.graph().arrays[buffer.home].copy_in ||
                                                    model.graph().arrays[buffer.home].copy_out);
    if (!is_visible) scratch.push_back(id);
  }
  return scratch;
}

bool IsUsed(const ProgramModel& model, const Visible& visible) {
  return visible.argument->buffer.Valid() && model.IsUsed(visible.argument->buffer);
}
bool IsWritten(const ProgramModel& model, const Visible& visible) {
  return IsUsed(model, visible) && model.IsWritten(visible.argument->buffer);
}
bool IsInput(const ProgramModel& model, const Visible& visible) {
  return IsUsed(model, visible) && model.NeedsContents(visible.argument->buffer);
}

std::string ShapeText(const ProgramModel& model, const graph::Array& array) {
  std::vector<std::string> members;
  for (const std::string& name : model.parameters()) {
    members.push_back(fmt::format("program.{}", name));
  }
  std::vector<std::string> extents;
  for (const graph::LinearForm& extent : array.extents) {
    extents.push_back(FormText(extent, members));
  }
  return fmt::format("Shape({})", fmt::join(extents, ", "));
}

/// `struct NAME_arrays** arrays, long long M, long long N`
std::vector<std::string> CreateParameters(const ProgramModel& model) {
  std::vector<std::string> parameters = {
      fmt::format("struct {}_arrays** arrays", model.options().function)};
  for (const std::string& name : model.parameters()) {
    parameters.push_back(fmt::format("long long {}", name));
  }
  return parameters;
}

std::vector<const Argument*> Scalars(const ProgramModel& model) {
  std::vector<const Argument*> scalars;
  for (const Argument& argument : model.arguments()) {
    if (argument.scalar >= 0) scalars.push_back(&argument);
  }
  return scalars;
}

std::string_view TypeOf(const ProgramModel& model, const Argument& argument) {
  return ToString(model.graph().arrays[argument.array].type);
}

std::vector<std::string> RunParameters(const ProgramModel& model, bool cuda) {
  std::vector<std::string> parameters = {
      fmt::format("struct {}_arrays* arrays", model.options().function)};
  for (const Argument* scalar : Scalars(model)) {
    parameters.push_back(fmt::format("{} {}", TypeOf(model, *scalar), scalar->name));
  }
  if (cuda) parameters.emplace_back("struct CUstream_st* stream");
  return parameters;
}

std::string Additions(const ProgramModel& model) {
  CodeWriter writer;
  const auto add = [&](std::string_view type, std::string_view name, std::size_t rank,
                       const std::string& shape, bool is_input) {
    WriteUnless(writer,
                fmt::format("made->memory.Add<{}>(error, \"{}\", {}, {}, {})", type, name, rank,
                            shape, is_input),
                "return error.status();");
  };
  for (const Visible& visible : VisibleArrays(model)) {
    const graph::Array& array = *visible.array;
    add(ToString(array.type), array.name, array.rank(), ShapeText(model, array),
        IsInput(model, visible));
  }
  for (BufferId id : ScratchBuffers(model)) {
    const plan::Buffer& buffer = model.plan().buffers[id];
    add(ToString(buffer.type), model.Name(id), buffer.extents.size(), model.MemberShapeText(id),
        false);
  }
  return writer.str();
}

std::string Pointers(const ProgramModel& model) {
  CodeWriter writer;
  int number = 0;
  const std::vector<Result> moves = model.Moves();
  for (const Visible& visible : VisibleArrays(model)) {
    const std::string& name = visible.argument->name;
    if (IsUsed(model, visible)) {
      const std::string type = model.ElementType(visible.argument->buffer);
      writer.Line("program.{} = arrays->memory.Get<{}>({});", name, type, number);
      for (const Result& move : moves) {
        if (move.home == visible.argument->buffer) {
          writer.Line("{}* const {} = program.{};", type, name, name);
        }
      }
    }
    ++number;
  }
  for (BufferId id : ScratchBuffers(model)) {
    writer.Line("program.{} = arrays->memory.Get<{}>({});", model.Name(id), model.ElementType(id),
                number++);
  }
  return writer.str();
}

/// Calls `function` with the flag of each border that lasts, and the number of its source.
template <typename Function>
void ForBorders(const ProgramModel& model, Function function) {
  const std::vector<Visible> visible = VisibleArrays(model);
  for (const plan::CopyOutside& copy : LastingCopies(model.plan())) {
    for (std::size_t k = 0; k < visible.size(); ++k) {
      if (visible[k].argument->buffer == copy.src) {
        function(fmt::format("has_border.{}", model.Name(copy.dst)), k);
      }
    }
  }
}

/// What borders of earlier runs still stand.
std::string KnownBorders(const ProgramModel& model) {
  CodeWriter writer;
  ForBorders(model, [&](const std::string& flag, std::size_t source) {
    writer.Line("program.{0} = program.{0} && arrays->memory.IsAsLeft({1});", flag, source);
  });
  return writer.str();
}

/// For the next run.
std::string LeftBorders(const ProgramModel& model) {
  CodeWriter writer;
  ForBorders(model, [&](const std::string& flag, std::size_t source) {
    writer.Line("arrays->program.{0} = program.{0};", flag);
    writer.Line("arrays->memory.Leave({});", source);
  });
  return writer.str();
}

/// Calls `function` for what a run changes: all of it, or what is copied out alone.
std::string ForChanged(const ProgramModel& model, std::string_view function, bool outputs_only) {
  CodeWriter writer;
  int number = 0;
  for (const Visible& visible : VisibleArrays(model)) {
    if (IsWritten(model, visible) && (!outputs_only || visible.array->copy_out)) {
      writer.Line("arrays->memory.{}({});", function, number);
    }
    ++number;
  }
  return writer.str();
}

std::string Parameters(const std::vector<std::string>& parameters) {
  return fmt::format("{}", fmt::join(parameters, ", "));
}

}  // namespace

std::string ResidentTakeOver(const ProgramModel& model) {
  const std::vector<Visible> visible = VisibleArrays(model);
  const std::vector<Result> moves = model.Moves();
  std::vector<std::size_t> numbers;
  for (const Result& move : moves) {
    const auto home = std::find_if(visible.begin(), visible.end(), [&](const Visible& one) {
      return one.argument->buffer == move.home;
    });
    STENCILGEN_CHECK(home != visible.end());
    numbers.push_back(static_cast<std::size_t>(home - visible.begin()));
  }
  // A run uses up what it writes and does not copy out.
  for (std::size_t k = 0; k < visible.size(); ++k) {
    if (IsWritten(model, visible[k]) && !visible[k].array->copy_out) numbers.push_back(k);
  }
  for (std::size_t k = 0; k < ScratchBuffers(model).size(); ++k) {
    numbers.push_back(visible.size() + k);
  }
  CodeWriter writer;
  WriteWrapped(writer, fmt::format("const int homes[] = {{{}}};", fmt::join(numbers, ", ")));
  writer.Line("arrays->memory.TakeOver(moves, {}, homes, {});", moves.size(), numbers.size());
  return writer.str();
}

std::string ResidentDefinitions(const ProgramModel& model, bool cuda, const std::string& results) {
  const std::string& function = model.options().function;
  const std::size_t visible = VisibleArrays(model).size();
  const std::size_t moves = model.Moves().size();
  CodeWriter checks;
  CodeWriter assignments;
  for (const std::string& name : model.parameters()) {
    checks.Line("if (!IsInt(error, \"{0}\", {0})) return error.status();", name);
    assignments.Line("program.{0} = {0};", name);
  }
  CodeWriter scalars;
  for (const Argument* scalar : Scalars(model)) scalars.Line("program.{0} = {0};", scalar->name);
  std::string scratch;
  if (moves > 0) {
    scratch = cuda ? fmt::format(
                         "DeviceMemory<Allocator::StreamOrdered, {}> memory(stream, error);", moves)
                   : fmt::format("HostMemory<{}> memory(error);", moves);
  }
  return FillTemplate(
      EmbeddedText("templates/resident.tmpl"),
      {{"function", function},
       {"memory_class", cuda ? "DeviceArrays" : "HostArrays"},
       {"count", fmt::format("{}", visible + ScratchBuffers(model).size())},
       {"visible", fmt::format("{}", visible)},
       {"create_parameters", Parameters(CreateParameters(model))},
       {"parameter_checks", checks.str()},
       {"assignments", assignments.str()},
       {"additions", Additions(model)},
       {"stream_parameter", cuda ? ",\n    struct CUstream_st* stream" : ""},
       {"stream_argument", cuda ? ", stream" : ""},
       {"on_device", cuda ? "const OnDevice here(arrays->memory.device());" : ""},
       {"run_parameters", Parameters(RunParameters(model, cuda))},
       {"stream_choice",
        cuda ? "stream = arrays->memory.StreamOf(stream);\nprogram.stream = stream;" : ""},
       {"scalars", scalars.str()},
       {"pointers", Pointers(model) + (cuda ? "" : KnownBorders(model))},
       {"forgotten", ForChanged(model, "Forget", false)},
       {"scratch_memory", scratch},
       {"run", cuda ? "if (!program.Run()) return error.status();" : "program.Run();"},
       {"results", results},
       {"defined", ForChanged(model, "Define", true) + (cuda ? "" : LeftBorders(model))},
       {"keep_scratch", cuda ? "" : "stencilgen::KeepScratch(bytes);"}});
}

std::string ResidentDeclarations(const ProgramModel& model, bool cuda) {
  const std::string& function = model.options().function;
  CodeWriter numbers;
  const std::vector<Visible> visible = VisibleArrays(model);
  if (!visible.empty()) {
    numbers.Line("enum {function}_array {{", fmt::arg("function", function));
    for (std::size_t k = 0; k < visible.size(); ++k) {
      numbers.Line("  {}_array_{} = {}{}", function, visible[k].array->name, k,
                   k + 1 < visible.size() ? "," : "");
    }
    numbers.Line("}};");
  }
  const auto prototype = [&](std::string_view name, const std::vector<std::string>& parameters) {
    CodeWriter writer;
    WriteCall(writer, fmt::format("int {}_arrays_{}", function, name), parameters, ";");
    return writer.str();
  };
  return FillTemplate(
      EmbeddedText("templates/resident_c.tmpl"),
      {{"function", function},
       {"where", cuda ? "on the device" : "in memory of its own"},
       {"numbers", numbers.str()},
       {"create", prototype("create", CreateParameters(model))},
       {"run", prototype("run", RunParameters(model, cuda))},
       {"about_streams", cuda ? "// Work goes to `stream` and is not waited for. Without a stream "
                                "(null) it goes to one of\n// the object's own; copies to and from "
                                "it are waited for.\n"
                              : ""},
       {"stream_parameter", cuda ? ", struct CUstream_st* stream" : ""}});
}

std::string ResidentClass(const ProgramModel& model, bool cuda) {
  const std::string& function = model.options().function;
  CodeWriter members;
  const char* const stream_parameter = cuda ? ", CUstream_st* stream = nullptr" : "";
  const char* const stream = cuda ? ", stream" : "";
  for (const Visible& visible : VisibleArrays(model)) {
    const graph::Array& array = *visible.array;
    const std::string number = fmt::format("{}_array_{}", function, array.name);
    members.Text(FillTemplate(
        EmbeddedText("templates/resident_array.tmpl"),
        {{"function", function},
         {"name", visible.argument->name},
         {"number", number},
         {"type", std::string(ToString(array.type))},
         {"bound", fmt::format("{}{}", IsWritten(model, visible) || array.copy_out ? "" : "const ",
                               ToString(array.type))},
         {"about", fmt::format("{}: {}.", array.name,
                               array.copy_in && array.copy_out ? "input and output"
                               : array.copy_in                 ? "input"
                                                               : "output")}}));
    for (const bool upload : {true, false}) {
      if (!(upload ? array.copy_in : array.copy_out)) continue;
      members.Text(
          FillTemplate(EmbeddedText("templates/resident_copy.tmpl"),
                       {{"function", function},
                        {"copy", upload ? "upload" : "download"},
                        {"name", visible.argument->name},
                        {"source_name", array.name},
                        {"number", number},
                        {"rank", fmt::format("{}", array.rank())},
                        {"type", fmt::format("{}{}", upload ? "const " : "", ToString(array.type))},
                        {"span", upload ? "const Span&" : "Span&&"},
                        {"end", upload ? "from" : "to"},
                        {"stream_parameter", stream_parameter},
                        {"stream", stream}}));
    }
    members.Line();
  }
  CodeWriter setters;
  CodeWriter data;
  std::vector<std::string> arguments = {"arrays_.get()"};
  CodeWriter unset;
  for (const Argument* scalar : Scalars(model)) {
    setters.Line("void set_{0}({1} value) {{", scalar->name, TypeOf(model, *scalar));
    setters.Line("  {}_ = value;", scalar->name);
    setters.Line("  has_{}_ = true;", scalar->name);
    setters.Line("}}");
    data.Line("{} {}_ = 0;", TypeOf(model, *scalar), scalar->name);
    data.Line("bool has_{}_ = false;", scalar->name);
    unset.Line("if (!has_{0}_) throw stencilgen::Error(\"scalar {0} has no value\");",
               scalar->name);
    arguments.push_back(fmt::format("{}_", scalar->name));
  }
  if (arguments.size() > 1) setters.Line();
  if (cuda) arguments.emplace_back("stream");
  std::vector<std::string> created = {"&arrays"};
  std::vector<std::string> parameters;
  for (const std::string& name : model.parameters()) {
    created.push_back(name);
    parameters.push_back(fmt::format("long long {}", name));
  }
  return FillTemplate(EmbeddedText("templates/resident_class.tmpl"),
                      {{"function", function},
                       {"where", cuda ? "on the device" : "in memory of its own"},
                       {"explicit", parameters.size() == 1 ? "explicit " : ""},
                       {"parameters", Parameters(parameters)},
                       {"created", Parameters(created)},
                       {"setters", setters.str()},
                       {"arrays", members.str()},
                       {"run_parameters", cuda ? "CUstream_st* stream = nullptr" : ""},
                       {"unset", unset.str()},
                       {"run_arguments", Parameters(arguments)},
                       {"about_run", cuda ? "Starts a run on the stream, its own if there is none."
                                          : "Runs the program."},
                       {"data", data.str()}});
}

}  // namespace stencilgen::codegen
