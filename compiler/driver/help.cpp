#include <algorithm>
#include <string>
#include <vector>

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
    case OptionGroup::Machine:
      return "Measurement of the machine (machine)";
    case OptionGroup::Messages:
      return "Messages";
  }
  return "";
}

namespace {

constexpr std::string_view kUsage =
    "usage: stencilgen FILE [options]          compile a stencil program to CUDA or C++\n"
    "       stencilgen APP.cpp [options]       compile the `#pragma dsl` blocks of a C++ file\n"
    "       stencilgen APP.c [options] [-- F]  compile the `#pragma scop` loops of a C or C++ "
    "file\n"
    "       stencilgen build FILE [options]    compile it to a shared library that is kept\n"
    "       stencilgen run FILE [options]      compile it, execute it, check and time it\n"
    "       stencilgen explain FILE [options]  report its plan: traffic, time, limits\n"
    "       stencilgen tune FILE [options]     find the fastest options by measuring, keep them\n"
    "       stencilgen machine [options]       measure this CPU: caches, memory, vectors, clock\n";

/// The groups in which a subcommand finds what it is for come first, the rest as in the table.
std::vector<OptionGroup> GroupOrder(Command command) {
  std::vector<OptionGroup> order;
  if (command == Command::Build) order = {OptionGroup::Output};
  if (command == Command::Run) order = {OptionGroup::Data, OptionGroup::Measurement};
  if (command == Command::Tune)
    order = {OptionGroup::Tuning, OptionGroup::Data, OptionGroup::Measurement};
  if (command == Command::Machine) order = {OptionGroup::Machine};
  if (command == Command::Explain)
    order = {OptionGroup::Output, OptionGroup::Program, OptionGroup::Gpu};
  for (const OptionSpec& spec : OptionTable()) {
    if (std::find(order.begin(), order.end(), spec.group) == order.end()) {
      order.push_back(spec.group);
    }
  }
  return order;
}

std::string OptionLine(const OptionSpec& spec) {
  const std::string names = spec.short_name.empty()
                                ? std::string(spec.name)
                                : fmt::format("{}, {}", spec.short_name, spec.name);
  return fmt::format("  {:<30} {}\n", fmt::format("{} {}", names, spec.value), spec.help);
}

/// The lines with the words, all where there are none.
std::string LinesWith(std::string_view lines, std::string_view words) {
  std::string kept;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    const std::string_view line = lines.substr(0, end);
    if (line.find(words) != std::string_view::npos) kept += line;
    lines.remove_prefix(end);
  }
  return kept;
}

std::string_view Subcommand(Command command) {
  switch (command) {
    case Command::Build:
      return "stencilgen build ";
    case Command::Run:
      return "stencilgen run ";
    case Command::Explain:
      return "stencilgen explain ";
    case Command::Tune:
      return "stencilgen tune ";
    case Command::Machine:
      return "stencilgen machine ";
    default:
      return "";
  }
}

}  // namespace

const std::string_view kExampleLines =
    "  stencilgen heat.idsl -o heat.cu --header heat.h --blockdim x=32,y=8\n"
    "  stencilgen heat.idsl --target cpp -D N=512 -o -\n"
    "  stencilgen heat.idsl --emit graph\n"
    "  stencilgen app.cpp -o app.gen.cu\n"
    "  stencilgen app.c -o app.gen.c -- -Iinclude -DN=500\n"
    "  stencilgen build heat.idsl --target cpp --json\n"
    "  stencilgen run heat.idsl -D N=512 --verify --plot u.png\n"
    "  stencilgen run heat.idsl --in u=start.npy --scalar a=0.1 --out u=end.npy\n"
    "  stencilgen run heat.idsl --target cuda --emulate --verify --json\n"
    "  stencilgen explain heat.idsl -D N=8192 --arch sm_80\n"
    "  stencilgen explain heat.idsl --page plan.html\n"
    "  stencilgen tune heat.idsl -D N=8192 --budget 10\n"
    "  stencilgen machine -o this_cpu.json\n";

const std::string_view kHelpNotes =
    "GPts/s counts the points of every statement executed. Effective GB/s counts, for every\n"
    "statement executed, each array that it reads and the array that it writes, once.\n"
    "Arguments of `#pragma dsl begin`: block:X,Y,Z and unroll:X,Y,Z (an integer an iterator, for "
    "the\n"
    "last one first), stream:ITERATOR, shmem:KIB, name:FUNCTION, and the options of Program and "
    "GPU\n"
    "code as option:value. What the command line says wins. `#pragma stencilgen` before a\n"
    "`#pragma scop` takes the same. `-o app.gen.c` keeps a C file C, and writes the functions that "
    "it\n"
    "calls to app.gen.cpp (--target cuda: app.gen.cu); what follows `--` are options of clang.\n"
    "What `tune` found is used for the same program, sizes and machine unless options of GPU or "
    "C++\n"
    "code are given; the database is $STENCILGEN_TUNING_DB, else stencilgen/tuning.json in\n"
    "$XDG_DATA_HOME or ~/.local/share.\n"
    "FILE `-` is standard input. Exit status: 0 done, 1 errors in the program or its execution,\n"
    "2 bad command line.\n";

std::string UsageText() {
  return fmt::format("{}`stencilgen --help` lists the options\n", kUsage);
}

std::string HelpText(Command command) {
  const std::string_view subcommand = Subcommand(command);
  std::string usage = LinesWith(kUsage, subcommand);
  if (!subcommand.empty()) usage.replace(0, 6, "usage:");
  std::string text = usage;
  for (const OptionGroup group : GroupOrder(command)) {
    std::string lines;
    for (const OptionSpec& spec : OptionTable()) {
      const bool shown = subcommand.empty() || Belongs(spec, command);
      if (spec.group == group && shown) lines += OptionLine(spec);
    }
    if (lines.empty()) continue;
    // A subcommand shows its own options: it need not say whose they are.
    std::string_view title = Title(group);
    if (!subcommand.empty()) title = title.substr(0, title.find(" ("));
    text += fmt::format("\n{}:\n{}", title, lines);
  }
  text += fmt::format("\nExamples:\n{}\n{}", LinesWith(kExampleLines, subcommand), kHelpNotes);
  if (!subcommand.empty()) text += "`stencilgen --help` shows the other commands.\n";
  return text;
}

}  // namespace stencilgen::driver
