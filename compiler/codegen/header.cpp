#include <cctype>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/embedded_text.h"
#include "codegen/gpu_names.h"
#include "codegen/host_code.h"
#include "codegen/resident.h"
#include "codegen/runtime_text.h"
#include "support/comment_text.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

std::string Guard(std::string_view function) {
  std::string guard = "STENCILGEN_";
  for (const char c : function) {
    guard.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return guard.append("_H");
}

/// The class with what it uses, where the compiler is one of C++ with exceptions.
std::string GuardedClass(const kernel::Module& module, const FileOptions& options) {
  return fmt::format("\n#if defined(__cplusplus) && defined(__cpp_exceptions)\n\n{}\n{}\n#endif\n",
                     RuntimeTexts({"stencilgen/array.hpp", "stencilgen/program.hpp"},
                                  options.standalone, options.language),
                     ResidentClass(module, options));
}

std::string MemoryDeclarations(const kernel::Module& module, const FileOptions& options) {
  return FillTemplate(
      EmbeddedText("templates/header_memory.tmpl"),
      {{"function", options.function},
       {"about_scratch",
        module.target == kernel::Target::Device
            ? "For code that is also built for the CPU: nothing is kept here."
            : "The memory of the program's scratch arrays is kept for the next call of the thread,"
              "\n// up to a quarter of the machine's. From now on that is at most so many bytes "
              "for this\n// thread; 0 frees all of it. It is shared with the other programs of "
              "the application."}});
}

}  // namespace

std::string EmitHeader(const kernel::Module& module, const FileOptions& options) {
  const bool cuda = module.target == kernel::Target::Device;
  const auto prototype = [&](const std::string& name, HostFunction function) {
    std::vector<std::string> parameters = FunctionParameters(module, options, function, false);
    // An empty list would leave the parameters open in C.
    if (parameters.empty()) parameters.emplace_back("void");
    CodeWriter writer;
    WriteCall(writer, fmt::format("int {}", name), parameters, ";");
    return writer.str();
  };
  const std::string device =
      cuda ? fmt::format(
                 "\n// The same on device pointers: all work goes to the stream, nothing waits for "
                 "it.\n{}",
                 prototype(fmt::format("{}_device", options.function), HostFunction::Device))
           : "";
  return FillTemplate(
      EmbeddedText("templates/header.h.tmpl"),
      {{"source",
        options.source_name.empty() ? "a stencil program" : CommentText(options.source_name)},
       {"guard", Guard(options.function)},
       {"stream_type", cuda ? InLanguage("\nstruct CUstream_st;  // a cudaStream_t points to it\n",
                                         options.language)
                            : ""},
       {"half_types", module.has_halves ? HalfTypes(options.standalone, options.language) : ""},
       {"what", cuda ? "The program on host arrays: copies them to the device, runs, copies back."
                     : "The program on host arrays."},
       {"function", options.function},
       {"prototype", prototype(options.function, HostFunction::Host)},
       {"device", device},
       {"memory", options.resident ? MemoryDeclarations(module, options) : ""},
       {"resident", options.resident ? ResidentDeclarations(module, options) : ""},
       {"resident_class", options.resident ? GuardedClass(module, options) : ""}});
}

}  // namespace stencilgen::codegen
