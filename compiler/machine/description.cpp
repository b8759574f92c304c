#include "machine/description.h"

#include <algorithm>

#include "machine/description_reader.h"
#include "support/diagnostics.h"
#include "support/match.h"
#include "support/source_excerpt.h"

namespace stencilgen::machine {

DescriptionError DescriptionText::ErrorAt(Span span, std::string_view message,
                                          std::string_view hint) const {
  const LineColumn place = source_.Locate(span.begin);
  const SourceExcerpt excerpt = Excerpt(source_, span);
  return {fmt::format("{}:{}:{}: {}", source_.name(), place.line, place.column, message),
          fmt::format("  {}\n  {}\n", excerpt.line, excerpt.marks), std::string(hint)};
}

DescriptionError DescriptionText::Error(const JsonPath& path, std::string_view message,
                                        std::string_view hint) const {
  return ErrorAt(FindJsonPlace(source_.text(), path).value, message, hint);
}

DescriptionError DescriptionText::NameError(const JsonPath& path, std::string_view message,
                                            std::string_view hint) const {
  return ErrorAt(FindJsonPlace(source_.text(), path).name, message, hint);
}

ReadResult CheckNames(const Json& json, const DescriptionText& text, const JsonPath& path,
                      std::string_view what, const std::vector<std::string>& names) {
  for (const auto& [name, value] : json.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = NearestName(name, names);
    return text.NameError(Below(path, name), fmt::format("a {} has no `{}`", what, name),
                          nearest.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                                          : fmt::format("did you mean `{}`?", nearest));
  }
  return std::nullopt;
}

std::variant<double, DescriptionError> ReadNumber(const Json& value, const DescriptionText& text,
                                                  const JsonPath& path, const char* name,
                                                  bool fraction, double least, double most) {
  if (!value.is_number()) {
    return text.Error(path, fmt::format("`{}` is {}, but a number is needed", name, value.dump()));
  }
  const auto number = value.get<double>();
  if (!fraction && number != std::floor(number)) {
    return text.Error(path, fmt::format("`{}` is {}, but must be an integer", name, value.dump()));
  }
  if (!(number >= least && number <= most)) {
    return text.Error(path, fmt::format("`{}` is {}, out of range", name, value.dump()),
                      fmt::format("it is from {} to {}", least, most));
  }
  return number;
}

ReadResult CheckComplete(const Json& json, const std::vector<std::string>& names,
                         const DescriptionText& text, const JsonPath& path, std::string_view hint) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (!json.contains(name)) missing.push_back(name);
  }
  if (missing.empty()) return std::nullopt;
  const std::string_view why = hint.empty() ? "it" : "without a `base` it";
  return text.Error(
      path,
      fmt::format("{} must say everything, but does not say {}", why, fmt::join(missing, ", ")),
      hint);
}

std::variant<Target, DescriptionError> ParseDescription(std::string_view file,
                                                        std::string_view text) {
  const DescriptionText description(file, text);
  constexpr const char* kExample =
      R"(an object of names and numbers, as {"base": "sm_90", "sms": 66})";
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    // Counted from 1, and one more for what is missing at the end.
    const auto at =
        static_cast<std::uint32_t>(std::min(std::max<std::size_t>(error.byte, 1) - 1, text.size()));
    return description.ErrorAt({at, at}, "this is not JSON", kExample);
  } catch (const Json::out_of_range&) {
    return DescriptionError{fmt::format("{}: a number is beyond what a double holds", file), "",
                            ""};
  }
  if (!json.is_object()) return description.Error({}, "the description is no object", kExample);
  if (!json.contains("kind") || json["kind"] == "gpu") return ReadGpu(json, description);
  if (json["kind"] == "cpu") return ReadCpu(json, description);
  return description.Error({"kind"}, fmt::format("there is no kind {}", json["kind"].dump()),
                           R"("kind": "gpu" or "cpu")");
}

std::string PrintDescription(const Target& target) {
  const Json json = Match(
      target, [](const Gpu& gpu) { return PrintGpu(gpu); },
      [](const Cpu& cpu) { return PrintCpu(cpu); });
  return json.dump(2) + "\n";
}

}  // namespace stencilgen::machine
