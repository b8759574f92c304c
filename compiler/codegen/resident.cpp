#include "codegen/resident.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/embedded_text.h"
#include "codegen/gpu_names.h"
#include "codegen/host_code.h"
#include "support/check.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using kernel::Array;
using kernel::Buffer;
using kernel::Module;

/// The inputs and outputs of the program, by which the application knows it.
std::vector<const Array*> VisibleArrays(const Module& module) {
  std::vector<const Array*> visible;
  for (const Array& array : module.arrays) {
    if (!array.IsScalar() && (array.copy_in || array.copy_out)) visible.push_back(&array);
  }
  return visible;
}

/// What else the program needs memory for.
std::vector<const Buffer*> ScratchBuffers(const Module& module) {
  std::vector<const Buffer*> scratch;
  for (const Buffer& buffer : module.buffers) {
    if (buffer.used && !buffer.visible) scratch.push_back(&buffer);
  }
  return scratch;
}

/// A part of the array, or all of it, is in the buffer.
bool Holds(const Array& array, std::size_t buffer) {
  return std::find(array.buffers.begin(), array.buffers.end(), buffer) != array.buffers.end();
}

/// `struct NAME_arrays** arrays, long long M, long long N`
std::vector<std::string> CreateParameters(const Module& module, const std::string& function) {
  std::vector<std::string> parameters = {fmt::format("struct {}_arrays** arrays", function)};
  for (const kernel::Parameter& parameter : module.parameters) {
    parameters.push_back(fmt::format("long long {}", parameter.var->name));
  }
  return parameters;
}

std::vector<const Array*> Scalars(const Module& module) {
  std::vector<const Array*> scalars;
  for (const Array& array : module.arrays) {
    if (array.IsScalar()) scalars.push_back(&array);
  }
  return scalars;
}

std::vector<std::string> RunParameters(const Module& module, const FileOptions& options) {
  std::vector<std::string> parameters = {fmt::format("struct {}_arrays* arrays", options.function)};
  for (const Array* scalar : Scalars(module)) {
    parameters.push_back(fmt::format("{} {}", ToString(scalar->type), scalar->name));
  }
  if (module.target == kernel::Target::Device) {
    parameters.push_back(fmt::format("struct {}* stream", StreamStruct(options.language)));
  }
  return parameters;
}

std::string Additions(const Module& module) {
  CodeWriter writer;
  const auto add = [&](std::string_view type, std::string_view name,
                       const std::vector<kernel::Expr>& extents, bool is_input) {
    WriteUnless(writer,
                fmt::format("made->memory.Add<{}>(error, \"{}\", {}, {}, {})", type, name,
                            extents.size(), MemberShapeText(extents), is_input),
                "return error.status();");
  };
  for (const Array* array : VisibleArrays(module)) {
    add(CppName(*array), array->source_name, array->extents, module.NeedsContents(*array));
  }
  for (const Buffer* buffer : ScratchBuffers(module)) {
    add(CppName(*buffer), buffer->name(), buffer->extents, false);
  }
  return writer.str();
}

/// Where a part of an array is in its memory, of type `type`.
std::string PartText(const Module& module, const Array& array, std::size_t part,
                     const std::string& type, int number) {
  std::string memory = fmt::format("arrays->memory.Get<{}>({})", type, number);
  if (!array.HasParts()) return memory;
  const Buffer& buffer = module.buffers[array.buffers[part]];
  return fmt::format("Part({}, {}, {})", memory, part, MemberShapeText(buffer.extents));
}

/// The pointers to a part of an array, for the program and for what brings its contents home.
void WritePointers(CodeWriter& writer, const Module& module, const Array& array, std::size_t part,
                   int number) {
  const std::size_t home = array.buffers[part];
  const Buffer& buffer = module.buffers[home];
  if (!buffer.used) return;
  const std::string type = ElementType(buffer);
  writer.Line("program.{} = {};", buffer.name(), PartText(module, array, part, type, number));
  const bool moves = std::any_of(module.moves.begin(), module.moves.end(),
                                 [&](const kernel::Output& move) { return move.home == home; });
  if (!moves) return;
  if (buffer.written) {
    writer.Line("{0}* const {1} = program.{1};", type, buffer.name());
  } else {
    // No kernel writes to it, but contents that were handed on are copied here.
    const std::string element(CppName(buffer));
    writer.Line("{}* const {} = {};", element, buffer.name(),
                PartText(module, array, part, element, number));
  }
}

std::string Pointers(const Module& module) {
  CodeWriter writer;
  int number = 0;
  for (const Array* array : VisibleArrays(module)) {
    for (std::size_t part = 0; part < array->buffers.size(); ++part) {
      WritePointers(writer, module, *array, part, number);
    }
    ++number;
  }
  for (const Buffer* buffer : ScratchBuffers(module)) {
    writer.Line("program.{} = arrays->memory.Get<{}>({});", buffer->name(), ElementType(*buffer),
                number++);
  }
  return writer.str();
}

/// Calls `function` with the flag of each border that lasts, and the number of its source.
template <typename Function>
void ForBorders(const Module& module, Function function) {
  const std::vector<const Array*> visible = VisibleArrays(module);
  for (const auto& [to, from] : module.lasting_copies) {
    for (std::size_t k = 0; k < visible.size(); ++k) {
      if (Holds(*visible[k], from)) {
        function(fmt::format("has_border.{}", module.buffers[to].name()), k);
      }
    }
  }
}

/// What borders of earlier runs still stand.
std::string KnownBorders(const Module& module) {
  CodeWriter writer;
  ForBorders(module, [&](const std::string& flag, std::size_t source) {
    writer.Line("program.{0} = program.{0} && arrays->memory.IsAsLeft({1});", flag, source);
  });
  return writer.str();
}

/// For the next run.
std::string LeftBorders(const Module& module) {
  CodeWriter writer;
  ForBorders(module, [&](const std::string& flag, std::size_t source) {
    writer.Line("arrays->program.{0} = program.{0};", flag);
    writer.Line("arrays->memory.Leave({});", source);
  });
  return writer.str();
}

/// Calls `function` for what a run changes: all of it, or what is copied out alone.
std::string ForChanged(const Module& module, std::string_view function, bool outputs_only) {
  CodeWriter writer;
  int number = 0;
  for (const Array* array : VisibleArrays(module)) {
    if (module.Writes(*array) && (!outputs_only || array->copy_out)) {
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

std::string ResidentTakeOver(const Module& module) {
  const std::vector<const Array*> visible = VisibleArrays(module);
  std::vector<std::size_t> numbers;
  for (const kernel::Output& move : module.moves) {
    const auto home = std::find_if(visible.begin(), visible.end(),
                                   [&](const Array* one) { return Holds(*one, move.home); });
    STENCILGEN_CHECK(home != visible.end());
    if ((*home)->HasParts()) break;  // a part cannot have the memory of another array
    numbers.push_back(static_cast<std::size_t>(home - visible.begin()));
  }
  const std::size_t moves = numbers.size();
  // A run uses up what it writes and does not copy out.
  for (std::size_t k = 0; k < visible.size(); ++k) {
    const Array& array = *visible[k];
    if (module.Writes(array) && !array.copy_out && !array.HasParts()) numbers.push_back(k);
  }
  for (std::size_t k = 0; k < ScratchBuffers(module).size(); ++k) {
    numbers.push_back(visible.size() + k);
  }
  if (moves == 0) return "";
  CodeWriter writer;
  WriteWrapped(writer, fmt::format("const int homes[] = {{{}}};", fmt::join(numbers, ", ")));
  writer.Line("arrays->memory.TakeOver(moves, {}, homes, {});", moves, numbers.size());
  return writer.str();
}

std::string ResidentDefinitions(const Module& module, const FileOptions& options,
                                const std::string& results) {
  const bool cuda = module.target == kernel::Target::Device;
  const std::string& function = options.function;
  const std::size_t visible = VisibleArrays(module).size();
  const std::size_t moves = module.moves.size();
  CodeWriter checks;
  CodeWriter assignments;
  for (const kernel::Parameter& parameter : module.parameters) {
    const std::string& name = parameter.var->name;
    checks.Line("if (!IsInt(error, \"{0}\", {0})) return error.status();", name);
    assignments.Line("program.{0} = {0};", name);
  }
  CodeWriter scalars;
  for (const Array* scalar : Scalars(module)) scalars.Line("program.{0} = {0};", scalar->name);
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
       {"count", fmt::format("{}", visible + ScratchBuffers(module).size())},
       {"visible", fmt::format("{}", visible)},
       {"create_parameters", Parameters(CreateParameters(module, function))},
       {"parameter_checks", checks.str()},
       {"assignments", assignments.str()},
       {"additions", Additions(module)},
       {"stream_parameter",
        cuda ? fmt::format(",\n    struct {}* stream", StreamStruct(options.language)) : ""},
       {"stream_argument", cuda ? ", stream" : ""},
       {"on_device", cuda ? "const OnDevice here(arrays->memory.device());" : ""},
       {"run_parameters", Parameters(RunParameters(module, options))},
       {"stream_choice",
        cuda ? "stream = arrays->memory.StreamOf(stream);\nprogram.stream = stream;" : ""},
       {"graphs", module.graphs == 0
                      ? ""
                      : fmt::format("stencilgen::KeptTurns<{}_program::Program::State> graphs[{}];",
                                    function, module.graphs)},
       {"kept_graphs", module.graphs == 0 ? "" : "program.kept_graphs = arrays->graphs;"},
       {"scalars", scalars.str()},
       {"pointers", Pointers(module) + (cuda ? "" : KnownBorders(module))},
       {"forgotten", ForChanged(module, "Forget", false)},
       {"scratch_memory", scratch},
       {"run", cuda ? "if (!program.Run()) return error.status();" : "program.Run();"},
       {"results", results},
       {"defined", ForChanged(module, "Define", true) + (cuda ? "" : LeftBorders(module))},
       {"keep_scratch", cuda ? "" : "stencilgen::KeepScratch(bytes);"}});
}

std::string ResidentDeclarations(const Module& module, const FileOptions& options) {
  const bool cuda = module.target == kernel::Target::Device;
  const std::string& function = options.function;
  CodeWriter numbers;
  const std::vector<const Array*> visible = VisibleArrays(module);
  if (!visible.empty()) {
    numbers.Line("enum {function}_array {{", fmt::arg("function", function));
    for (std::size_t k = 0; k < visible.size(); ++k) {
      numbers.Line("  {}_array_{} = {}{}", function, visible[k]->source_name, k,
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
       {"create", prototype("create", CreateParameters(module, function))},
       {"run", prototype("run", RunParameters(module, options))},
       {"about_streams", cuda ? "// Work goes to `stream` and is not waited for. Without a stream "
                                "(null) it goes to one of\n// the object's own; copies to and from "
                                "it are waited for.\n"
                              : ""},
       {"stream_parameter",
        cuda ? fmt::format(", struct {}* stream", StreamStruct(options.language)) : ""}});
}

std::string ResidentClass(const Module& module, const FileOptions& options) {
  const bool cuda = module.target == kernel::Target::Device;
  const std::string& function = options.function;
  CodeWriter members;
  const std::string stream_parameter =
      cuda ? fmt::format(", {}* stream = nullptr", StreamStruct(options.language)) : "";
  const char* const stream = cuda ? ", stream" : "";
  for (const Array* visible : VisibleArrays(module)) {
    const Array& array = *visible;
    const std::string number = fmt::format("{}_array_{}", function, array.source_name);
    members.Text(FillTemplate(
        EmbeddedText("templates/resident_array.tmpl"),
        {{"function", function},
         {"name", array.name},
         {"number", number},
         {"type", std::string(CppName(array))},
         {"bound", fmt::format("{}{}", module.Writes(array) || array.copy_out ? "" : "const ",
                               CppName(array))},
         {"about", fmt::format("{}: {}.", array.source_name,
                               array.copy_in && array.copy_out ? "input and output"
                               : array.copy_in                 ? "input"
                                                               : "output")}}));
    for (const bool upload : {true, false}) {
      // An output that is not written everywhere keeps what it had.
      if (!(upload ? array.copy_in || module.NeedsContents(array) : array.copy_out)) continue;
      members.Text(
          FillTemplate(EmbeddedText("templates/resident_copy.tmpl"),
                       {{"function", function},
                        {"copy", upload ? "upload" : "download"},
                        {"name", array.name},
                        {"source_name", array.source_name},
                        {"number", number},
                        {"rank", fmt::format("{}", array.extents.size())},
                        {"type", fmt::format("{}{}", upload ? "const " : "", CppName(array))},
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
  for (const Array* scalar : Scalars(module)) {
    setters.Line("void set_{0}({1} value) {{", scalar->name, ToString(scalar->type));
    setters.Line("  {}_ = value;", scalar->name);
    setters.Line("  has_{}_ = true;", scalar->name);
    setters.Line("}}");
    data.Line("{} {}_ = 0;", ToString(scalar->type), scalar->name);
    data.Line("bool has_{}_ = false;", scalar->name);
    unset.Line("if (!has_{0}_) throw stencilgen::Error(\"scalar {0} has no value\");",
               scalar->name);
    arguments.push_back(fmt::format("{}_", scalar->name));
  }
  if (arguments.size() > 1) setters.Line();
  if (cuda) arguments.emplace_back("stream");
  std::vector<std::string> created = {"&arrays"};
  std::vector<std::string> parameters;
  for (const kernel::Parameter& parameter : module.parameters) {
    created.push_back(parameter.var->name);
    parameters.push_back(fmt::format("long long {}", parameter.var->name));
  }
  return FillTemplate(
      EmbeddedText("templates/resident_class.tmpl"),
      {{"function", function},
       {"where", cuda ? "on the device" : "in memory of its own"},
       {"explicit", parameters.size() == 1 ? "explicit " : ""},
       {"parameters", Parameters(parameters)},
       {"created", Parameters(created)},
       {"setters", setters.str()},
       {"arrays", members.str()},
       {"run_parameters",
        cuda ? fmt::format("{}* stream = nullptr", StreamStruct(options.language)) : ""},
       {"unset", unset.str()},
       {"run_arguments", Parameters(arguments)},
       {"about_run",
        cuda ? "Starts a run on the stream, its own if there is none." : "Runs the program."},
       {"data", data.str()}});
}

}  // namespace stencilgen::codegen
