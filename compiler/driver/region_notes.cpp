#include "driver/region_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stencilgen::driver {

namespace {

std::string LineOf(const SourceFile& source, Span span) {
  return fmt::format("{}:{}", source.name(), source.Locate(span.begin).line);
}

}  // namespace

std::string PointerNote(const SourceFile& source, Span begin, const scop::ScopProgram& region) {
  if (region.taken_apart.empty()) return "";
  return fmt::format(
      "stencilgen: note: {}: the pointers `{}` are taken to point to memory of their own; "
      "`restrict` says so\n",
      LineOf(source, begin), fmt::join(region.taken_apart, "`, `"));
}

std::string ChoiceNotes(const SourceFile& source, const scop::ScopProgram& region) {
  std::string text;
  for (const scop::PointChoice& choice : region.choices) {
    const Span written = choice.written;
    text += fmt::format(
        "stencilgen: note: {}: `{}` is computed at all points of a box; those that the loops "
        "leave out{} keep their value\n",
        LineOf(source, written), source.text().substr(written.begin, written.end - written.begin),
        choice.strided ? ", as every second one of a colour," : "");
  }
  return text;
}

}  // namespace stencilgen::driver
