#include "tools/main/manual.h"

#include <fmt/format.h>

namespace stencilgen::driver {

namespace {

/// Text that roff shows as it is.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out.append("\\e");
    } else if (c == '-') {
      out.append("\\-");
    } else if (c == '`') {
      out.append("\\(ga");
    } else if (c == '\'') {
      out.append("\\(aq");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

void AppendOption(std::string& out, const OptionSpec& spec) {
  out.append(".TP\n");
  if (!spec.short_name.empty()) out.append(fmt::format("\\fB{}\\fR, ", Roff(spec.short_name)));
  out.append(fmt::format("\\fB{}\\fR", Roff(spec.name)));
  if (!spec.value.empty()) out.append(fmt::format(" \\fI{}\\fR", Roff(spec.value)));
  out.append(fmt::format("\n{}.", Roff(spec.help)));
  if (spec.repeatable) out.append(" May be given several times.");
  const bool of_one = spec.group == OptionGroup::Tuning || spec.name == "--page";
  if (!spec.run && !spec.value.empty() && !of_one) out.append(" Not with \\fBrun\\fR.");
  out.push_back('\n');
}

/// Lines as they are, in a fixed font.
void AppendVerbatim(std::string& out, std::string_view lines) {
  out.append(".nf\n.ft CW\n");
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string_view line = lines.substr(0, end);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    out.append(fmt::format("{}\n", Roff(line)));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  out.append(".ft R\n.fi\n");
}

}  // namespace

std::string ManualPage(std::string_view version) {
  std::string out =
      fmt::format(".TH STENCILGEN 1 \"\" \"stencilgen {}\" \"User Commands\"\n", version);
  out.append(
      ".SH NAME\nstencilgen \\- compile stencil programs to CUDA or C++\n"
      ".SH SYNOPSIS\n"
      ".B stencilgen\n.I FILE\n[\\fIoption\\fR ...]\n.br\n"
      ".B stencilgen build\n.I FILE\n[\\fIoption\\fR ...]\n.br\n"
      ".B stencilgen run\n.I FILE\n[\\fIoption\\fR ...]\n.br\n"
      ".B stencilgen explain\n.I FILE\n[\\fIoption\\fR ...]\n.br\n"
      ".B stencilgen tune\n.I FILE\n[\\fIoption\\fR ...]\n.br\n"
      ".B stencilgen machine\n[\\fIoption\\fR ...]\n"
      ".SH DESCRIPTION\n"
      "Compiles a stencil program, or the\n.B #pragma dsl\nblocks of a C++ file, to one file of "
      "CUDA or C++ code. With\n.B build\nit becomes a shared library. With\n.B run\nthe program is "
      "also executed, checked and timed, with\n.B "
      "tune\nthe fastest options are "
      "looked for and kept. With\n.B machine\nthis computer\\(aqs CPU is measured. "
      "\\fIFILE\\fR "
      "\\(ga\\-\\(ga is standard input.\n"
      ".SH OPTIONS\nWhat is under \\(lq(run)\\(rq is for\n.B stencilgen run\nalone.\n");
  std::string_view title;
  for (const OptionSpec& spec : OptionTable()) {
    if (Title(spec.group) != title) {
      title = Title(spec.group);
      out.append(fmt::format(".SS {}\n", Roff(title)));
    }
    AppendOption(out, spec);
  }
  out.append(".SH EXAMPLES\n");
  AppendVerbatim(out, kExampleLines);
  out.append(".SH NOTES\n");
  out.append(fmt::format("{}", Roff(kHelpNotes)));
  return out;
}

}  // namespace stencilgen::driver
