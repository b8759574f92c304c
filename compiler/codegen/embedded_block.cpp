#include "codegen/embedded_block.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "codegen/block_bindings.h"
#include "codegen/host_code.h"
#include "codegen/runtime_text.h"
#include "support/check.h"

namespace stencilgen::codegen {
namespace {

using kernel::Array;

/// The text as it stands in a string literal.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append(fmt::format("\\{:03o}", byte));
    } else {
      out.push_back(c);
    }
  }
  return out.append("\"");
}

class BlockPrinter {
 public:
  BlockPrinter(const kernel::Module& module, const FileOptions& options, const BlockPlace& place)
      : module_(module), options_(options), place_(place) {
    STENCILGEN_CHECK(options.part && place.source != nullptr);
  }

  std::vector<std::string_view> Runtime() const {
    auto headers = place_.ranks ? place_.ranks->runtime : RuntimeHeaders(module_, options_);
    const auto is_part = [&](const Array& array) { return PartOf(array).has_value(); };
    if (std::any_of(module_.arrays.begin(), module_.arrays.end(), is_part)) {
      headers.emplace_back("stencilgen/embedded_pairs.hpp");
    }
    if (HasHalves()) headers.emplace_back("stencilgen/embedded_half.hpp");
    return headers;
  }

  std::string Definitions() const {
    CodeWriter writer;
    writer.Line("// The block at line {}.", LineOf(place_.begin));
    const std::string kernels = place_.ranks ? "" : KernelComments(module_);
    if (!kernels.empty()) writer.Line("//");
    writer.Text(kernels);
    writer.Line();
    std::string program = place_.ranks ? place_.ranks->definitions : EmitFile(module_, options_);
    program.erase(0, std::min(program.find_first_not_of('\n'), program.size()));
    if (options_.exported) writer.Text(program);
    writer.Line("{}namespace stencilgen_blocks {{", options_.exported ? "\n" : "");
    writer.Line("namespace {{");
    writer.Line();
    if (!options_.exported) writer.Text(program);
    writer.Line();
    WriteFunction(writer);
    writer.Line();
    writer.Line("}}  // namespace");
    if (place_.is_c) {
      writer.Line();
      WriteCFunctions(writer);
      writer.Line();
    }
    writer.Line("}}  // namespace stencilgen_blocks");
    return writer.str();
  }

  /// Of the functions with C linkage, for the file that is C.
  std::string Declarations() const {
    CodeWriter writer;
    std::vector<std::string> types;
    for (const CParameter& parameter : CParameters()) {
      types.push_back(CType(parameter.type, parameter.array, parameter.constant));
    }
    for (std::size_t k = 0; k < module_.parameters.size(); ++k) types.emplace_back("long long");
    if (types.empty()) types.emplace_back("void");
    WriteCall(writer, fmt::format("extern void {}", CName()), types, ";");
    for (std::size_t k = 0; k < place_.after.size(); ++k) {
      const Exchange& exchange = place_.after[k];
      if (exchange.pointers) continue;
      std::vector<std::string> turned(exchange.arrays.size(),
                                      CType(CppName(exchange.type, exchange.format), true, false));
      turned.insert(turned.end(), 2, "long long");
      WriteCall(writer, fmt::format("extern void {}", TurnName(k)), turned, ";");
    }
    return writer.str();
  }

  std::string Call() const {
    std::string out;
    const auto line = [&](Span at, std::string_view text) { AppendLine(out, at, text); };
    line(place_.begin, "{");
    if (!place_.unused.empty()) {
      line(place_.begin, fmt::format("  (void){};", fmt::join(place_.unused, ", (void)")));
    }
    const std::vector<std::string> arguments = place_.is_c ? CArguments() : BoundArguments(out);
    if (!place_.condition.empty()) {
      line(place_.begin, fmt::format("  if ({}) {{", Condition()));
    }
    const std::string function =
        place_.is_c ? CName() : fmt::format("::stencilgen_blocks::{}", FunctionName());
    const std::string_view indent = place_.condition.empty() ? "  " : "    ";
    line(place_.begin, fmt::format("{}{}({});", indent, function, fmt::join(arguments, ", ")));
    for (std::size_t k = 0; k < place_.after.size(); ++k) {
      line(place_.begin, fmt::format("{}{}", indent, ExchangeText(k)));
    }
    for (const std::string& assignment : place_.left) {
      line(place_.begin, fmt::format("{}{}", indent, assignment));
    }
    if (!place_.otherwise.empty()) {
      const std::string first = place_.ranks ? Asked("IsFirst") : "";
      out.append(place_.indent).append("  } else ");
      out.append(first.empty() ? "{\n" : fmt::format("if ({}) {{\n", first));
      out.append(LineDirective(LineOf(place_.otherwise_at), place_.file)).push_back('\n');
      out.append(place_.otherwise);
      if (out.back() != '\n') out.push_back('\n');
    }
    if (!place_.condition.empty()) line(place_.begin, "  }");
    out.append(place_.indent).append("}\n");
    return out;
  }

  /// Ranks do the same: rank 0's arrays are those that count.
  std::string Condition() const {
    return place_.ranks ? Asked("FirstSays", place_.condition) : place_.condition;
  }
  /// Asks a function of the runtime about the ranks.
  std::string Asked(std::string_view function, const std::string& condition = "") const {
    return fmt::format("::stencilgen::mpi::{}({}{}{})", function, place_.ranks->communicator,
                       condition.empty() ? "" : ", ", condition);
  }

  /// Those that are not renamed: names of the standard library's macros are.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const std::string& source) {
      if (name == source) names.push_back(name);
    };
    for (const Array& array : module_.arrays) add(array.name, array.source_name);
    for (const kernel::Parameter& parameter : module_.parameters) {
      add(parameter.var->name, parameter.source_name);
    }
    return names;
  }

 private:
  /// An array, or a scalar, that the function is called with.
  struct CParameter {
    std::string type;  ///< as C++ calls it, of elements
    bool array = false;
    bool constant = false;
    std::string name;   ///< in the program
    std::string bound;  ///< what it is in the file
  };

  std::vector<CParameter> CParameters() const {
    std::vector<CParameter> parameters;
    for (const Array& array : module_.arrays) {
      if (!IsBound(array)) continue;
      const bool is_array = !array.IsScalar();
      parameters.push_back({std::string(CppName(array)), is_array, is_array && !array.copy_out,
                            array.name, Bound(array.source_name)});
    }
    return parameters;
  }

  static std::string CType(std::string_view type, bool array, bool constant) {
    if (type == "bool") type = "_Bool";
    if (type == "stencilgen_half") type = "_Float16";
    if (type == "stencilgen_bfloat16") type = "__bf16";
    return fmt::format("{}{}{}", constant ? "const " : "", type, array ? " *" : "");
  }

  /// The name that the linker sees.
  std::string CName() const { return fmt::format("stencilgen_{}", options_.function); }
  std::string TurnName(std::size_t k) const { return fmt::format("{}_turn_{}", CName(), k + 1); }

  /// Pointers to rows, which may be of variable length, become pointers to elements.
  std::vector<std::string> CArguments() const {
    std::vector<std::string> arguments;
    for (const CParameter& parameter : CParameters()) {
      arguments.push_back(
          parameter.array ? fmt::format("({})({})", CType(parameter.type, true, parameter.constant),
                                        parameter.bound)
                          : parameter.bound);
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      arguments.push_back(Bound(parameter.source_name));
    }
    return arguments;
  }

  std::string ExchangeText(std::size_t k) const {
    const Exchange& exchange = place_.after[k];
    const auto& arrays = exchange.arrays;
    if (exchange.pointers) {
      const std::string swap = place_.is_c
                                   ? fmt::format(
                                         "{{ void *stencilgen_first = {0}; {0} = {1}; {1} = "
                                         "stencilgen_first; }}",
                                         arrays[0], arrays[1])
                                   : fmt::format("::std::swap({}, {});", arrays[0], arrays[1]);
      return fmt::format("if ({0} > 0 && {0} % 2 != 0) {1}", exchange.turns, swap);
    }
    if (!place_.is_c) {
      return fmt::format("::stencilgen::embedded::TurnContents({{{}}}, {}, {});",
                         fmt::join(arrays, ", "), exchange.count, exchange.turns);
    }
    std::string pointers;
    for (const std::string& array : arrays) {
      pointers += fmt::format("({})({}), ",
                              CType(CppName(exchange.type, exchange.format), true, false), array);
    }
    return fmt::format("{}({}{}, {});", TurnName(k), pointers, exchange.count, exchange.turns);
  }

  /// Without a handler in C an error ends the program: noexcept has it say which.
  void WriteCFunctions(CodeWriter& writer) const {
    std::vector<std::string> parameters, arguments;
    for (const CParameter& parameter : CParameters()) {
      const std::string_view type = parameter.type;
      parameters.push_back(
          parameter.array
              ? fmt::format("{}{}* {}", parameter.constant ? "const " : "", type, parameter.name)
              : fmt::format("{} {}", type, parameter.name));
      arguments.push_back(parameter.array ? fmt::format("{{{}}}", parameter.name) : parameter.name);
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      parameters.push_back(fmt::format("long long {}", parameter.var->name));
      arguments.push_back(parameter.var->name);
    }
    WriteCall(writer, fmt::format("extern \"C\" void {}", CName()), parameters, " noexcept {");
    CodeWriter call;
    WriteCall(call, FunctionName(), arguments, ";");
    WriteIndented(writer, call.str());
    writer.Line("}}");
    for (std::size_t k = 0; k < place_.after.size(); ++k) {
      const Exchange& exchange = place_.after[k];
      if (exchange.pointers) continue;
      std::vector<std::string> turned, names;
      for (std::size_t part = 0; part < exchange.arrays.size(); ++part) {
        names.push_back(fmt::format("array_{}", part + 1));
        turned.push_back(
            fmt::format("{}* {}", CppName(exchange.type, exchange.format), names.back()));
      }
      turned.insert(turned.end(), {"long long count", "long long turns"});
      writer.Line();
      WriteCall(writer, fmt::format("extern \"C\" void {}", TurnName(k)), turned, " noexcept {");
      writer.Line("  stencilgen::embedded::TurnContents({{{}}}, count, turns);",
                  fmt::join(names, ", "));
      writer.Line("}}");
    }
  }

  void AppendLine(std::string& out, Span at, std::string_view text) const {
    out.append(LineDirective(LineOf(at), place_.file)).push_back('\n');
    out.append(place_.indent).append(text).push_back('\n');
  }

  /// What binds the names, for C++. Writes before it what checks them.
  std::vector<std::string> BoundArguments(std::string& out) const {
    const auto line = [&](Span at, std::string_view text) { AppendLine(out, at, text); };
    std::vector<std::string> arguments;
    if (place_.ranks) arguments.push_back(place_.ranks->communicator);
    for (const Array& array : module_.arrays) {
      if (!IsBound(array)) continue;
      const auto part = PartOf(array);
      // An array of pairs is one argument for both parts.
      if (part && part->imaginary && !array.IsScalar()) continue;
      const std::string bound = Bound(part ? part->whole : array.source_name);
      const Binding binding = part ? BindPair(array, *part, bound) : BindVariable(array, bound);
      line(array.declared, Check(binding.condition, bound, binding.kind, binding.wanted));
      arguments.push_back(binding.argument);
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      const std::string bound = Bound(parameter.source_name);
      line(parameter.declared, Check(Trait("kBindsParameter", bound), bound, "a parameter",
                                     "a variable of an integer type"));
      arguments.push_back(fmt::format("::stencilgen::embedded::BindParameter({})", bound));
    }
    return arguments;
  }

  /// Elements that the code around may have as another type of 16 bits.
  bool HasHalves() const {
    return std::any_of(module_.arrays.begin(), module_.arrays.end(), [&](const Array& array) {
      return IsBound(array) && array.format >= ElementFormat::Half;
    });
  }

  std::optional<PairPart> PartOf(const Array& array) const {
    return FindPairPart(array, place_.pairs);
  }

  int LineOf(Span span) const { return CompilerLine(place_.source->text(), span.begin); }

  /// What a name of the program is in the file.
  std::string Bound(const std::string& name) const {
    const auto found = place_.bindings.find(name);
    return found == place_.bindings.end() ? name : found->second;
  }

  std::string FunctionName() const { return fmt::format("{}_block", options_.function); }

  /// Other arrays stay on the device: no variable belongs to them.
  bool IsBound(const Array& array) const {
    return array.IsScalar() || array.copy_in || array.copy_out || array.constant ||
           module_.TouchesHost(array);
  }

  static std::string Trait(std::string_view trait, const std::string& name) {
    return fmt::format("::stencilgen::embedded::{}<decltype(({}))>", trait, name);
  }

  static std::string Check(const std::string& condition, const std::string& name,
                           std::string_view kind, std::string_view wanted) {
    return fmt::format("  static_assert({}, \"`{}` is {} of the stencil program: it needs {}\");",
                       condition, name, kind, wanted);
  }

  /// The function that the block's place calls: it throws what the program only reports.
  void WriteFunction(CodeWriter& writer) const {
    const std::string place =
        Quoted(fmt::format("{}:{}", options_.source_name, LineOf(place_.begin)));
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    CodeWriter checks, after;
    if (place_.ranks) {
      parameters.emplace_back("MPI_Comm communicator");
      arguments.emplace_back("communicator");
    }
    const std::string function = options_.function + (place_.ranks ? "_mpi" : "");
    for (const Array& array : module_.arrays) {
      if (!IsBound(array)) {
        arguments.emplace_back("nullptr");
      } else if (array.IsScalar()) {
        parameters.push_back(fmt::format("{} {}", CppName(array), array.name));
        arguments.push_back(array.name);
      } else if (const auto part = PartOf(array)) {
        if (part->imaginary) continue;
        WriteParts(array, part->whole, place, checks, after);
        parameters.push_back(
            fmt::format("stencilgen::embedded::Pairs<{}> {}", ElementType(array), array.name));
        arguments.push_back(fmt::format("{}_parts.re()", array.name));
        arguments.push_back(fmt::format("{}_parts.im()", array.name));
      } else {
        parameters.push_back(
            fmt::format("stencilgen::embedded::Array<{}> {}", ElementType(array), array.name));
        arguments.push_back(fmt::format("{}.data", array.name));
        WriteCall(checks, "stencilgen::embedded::CheckSize",
                  {place, Quoted(array.source_name), array.name,
                   fmt::format("stencilgen::{}", ShapeText(array.extents))},
                  ";");
      }
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      const std::string& name = parameter.var->name;
      parameters.push_back(fmt::format("long long {}", name));
      arguments.push_back(fmt::format("stencilgen::embedded::ToParameter({}, {}, {})", place,
                                      Quoted(parameter.source_name), name));
    }
    WriteCall(writer, fmt::format("[[maybe_unused]] static void {}", FunctionName()), parameters,
              " {");
    CodeWriter body;
    if (HasHalves()) body.Line("const stencilgen::embedded::InPlaceUse use;");
    body.Text(checks.str());
    WriteWrapped(body, fmt::format("stencilgen::embedded::CheckStatus({}, {}({}), {}_error);",
                                   place, function, fmt::join(arguments, ", "), function));
    body.Text(after.str());
    WriteIndented(writer, body.str());
    writer.Line("}}");
  }

  /// Takes pairs apart before the call, and puts them together after it.
  void WriteParts(const Array& part, const std::string& whole, const std::string& place,
                  CodeWriter& before, CodeWriter& after) const {
    const std::string shape = fmt::format("stencilgen::{}", ShapeText(part.extents));
    std::string pairs = part.name;
    if (place_.ranks) {  // only rank 0's count
      pairs = fmt::format(
          "stencilgen::mpi::IsFirst(communicator) ? {} : "
          "stencilgen::embedded::Pairs<{}>()",
          part.name, ElementType(part));
    } else {
      WriteCall(before, "stencilgen::embedded::CheckSize", {place, Quoted(whole), part.name, shape},
                ";");
    }
    WriteCall(before,
              fmt::format("stencilgen::embedded::Parts<{}> {}_parts", ElementType(part), part.name),
              {pairs, shape}, ";");
    if (part.copy_out) after.Line("{}_parts.Store();", part.name);
  }

  const kernel::Module& module_;
  const FileOptions& options_;
  const BlockPlace& place_;
};

}  // namespace

std::string LineDirective(int line, std::string_view file) {
  return fmt::format("#line {} {}", line, Quoted(file));
}

int CompilerLine(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return static_cast<int>(std::count(text.begin(), end, '\n')) + 1;
}

EmbeddedBlockText EmitEmbeddedBlock(const kernel::Module& module, const FileOptions& options,
                                    const BlockPlace& place) {
  const BlockPrinter printer(module, options, place);
  return {printer.Definitions(), place.is_c ? printer.Declarations() : "", printer.Call(),
          printer.Names(), printer.Runtime()};
}

}  // namespace stencilgen::codegen
