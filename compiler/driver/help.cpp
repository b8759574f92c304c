#include <string>

#include <fmt/format.h>

#include "driver/option_table.h"

namespace stencilgen::driver {

std::string_view Title(OptionGroup group) {
  switch (group) {
    case OptionGroup::Output:
      return "Output";
    case OptionGroup::Program:
      return "Program";
    case OptionGroup::Gpu:
      return "GPU code";
    case OptionGroup::Cpp:
      return "C++ code";
    case OptionGroup::Data:
      return "Data (run)";
    case OptionGroup::Measurement:
      return "Execution (run)";
    case OptionGroup::Tuning:
      return "Tuning";
    case OptionGroup::Messages:
      return "Messages";
  }
  return "";
}

namespace {

constexpr std::string_view kUsage =
    "usage: stencilgen FILE [options]          compile a stencil program to CUDA or C++\n"
    "       stencilgen APP.cpp [options]       compile the `#pragma dsl` blocks of a C++ file\n"
    "       stencilgen run FILE [options]      compile it, execute it, check and time it\n"
    "       stencilgen explain FILE [options]  report its CUDA plan: traffic, time, limits\n"
    "       stencilgen tune FILE [options]     find the fastest options by measuring, keep them\n";

}  // namespace

const std::string_view kExampleLines =
    "  stencilgen heat.idsl -o heat.cu --header heat.h --blockdim x=32,y=8\n"
    "  stencilgen heat.idsl --target cpp -D N=512 -o -\n"
    "  stencilgen heat.idsl --emit graph\n"
    "  stencilgen app.cpp -o app.gen.cu\n"
    "  stencilgen run heat.idsl -D N=512 --verify --plot u.png\n"
    "  stencilgen run heat.idsl --in u=start.npy --scalar a=0.1 --out u=end.npy\n"
    "  stencilgen run heat.idsl --target cuda --emulate --verify --json\n"
    "  stencilgen explain heat.idsl -D N=8192 --arch sm_80\n"
    "  stencilgen tune heat.idsl -D N=8192 --budget 10\n";

const std::string_view kHelpNotes =
    "GPts/s counts the points of every statement executed. Effective GB/s counts, for every\n"
    "statement executed, each array that it reads and the array that it writes, once.\n"
    "Arguments of `#pragma dsl begin`: block:X,Y,Z and unroll:X,Y,Z (an integer an iterator, for "
    "the\n"
    "last one first), stream:ITERATOR, shmem:KIB, name:FUNCTION, and the options of Program and "
    "GPU\n"
    "code as option:value. What the command line says wins.\n"
    "What `tune` found is used for the same program, sizes and machine unless options of GPU or "
    "C++\n"
    "code are given; the database is $STENCILGEN_TUNING_DB, else stencilgen/tuning.json in\n"
    "$XDG_DATA_HOME or ~/.local/share.\n"
    "FILE `-` is standard input. Exit status: 0 done, 1 errors in the program or its execution,\n"
    "2 bad command line.\n";

std::string UsageText() {
  return fmt::format("{}`stencilgen --help` lists the options\n", kUsage);
}

std::string HelpText() {
  std::string text(kUsage);
  std::string_view title;
  for (const OptionSpec& spec : OptionTable()) {
    if (Title(spec.group) != title) {
      title = Title(spec.group);
      text += fmt::format("\n{}:\n", title);
    }
    const std::string names = spec.short_name.empty()
                                  ? std::string(spec.name)
                                  : fmt::format("{}, {}", spec.short_name, spec.name);
    text += fmt::format("  {:<30} {}\n", fmt::format("{} {}", names, spec.value), spec.help);
  }
  text += fmt::format("\nExamples:\n{}\n{}", kExampleLines, kHelpNotes);
  return text;
}

}  // namespace stencilgen::driver
