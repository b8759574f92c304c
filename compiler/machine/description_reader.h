#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "machine/description.h"
#include "machine/json_place.h"

/// How objects of named numbers are read from JSON and printed: what Gpu, Cpu and Cache share.
namespace stencilgen::machine {

using Json = nlohmann::ordered_json;

inline constexpr double kMostBytes = 1e15;
inline constexpr double kMostRate = 1e18;

/// A member of T as descriptions name it.
template <typename T>
struct Field {
  const char* name;
  std::variant<std::string T::*, int T::*, std::int64_t T::*, double T::*> member;
  double least = 0, most = 0;  ///< of a number
};

using ReadResult = std::optional<DescriptionError>;

/// Makes errors with the place of what they are about.
class DescriptionText {
 public:
  DescriptionText(std::string_view file, std::string_view text)
      : source_(std::string(file), std::string(text)) {}

  const SourceFile& source() const { return source_; }
  /// At a place of the text.
  DescriptionError ErrorAt(Span span, std::string_view message, std::string_view hint) const;
  /// At the value there.
  DescriptionError Error(const JsonPath& path, std::string_view message,
                         std::string_view hint = "") const;
  /// At the name of the member there.
  DescriptionError NameError(const JsonPath& path, std::string_view message,
                             std::string_view hint) const;

 private:
  SourceFile source_;
};

/// The path with one more step.
template <typename Step>
JsonPath Below(JsonPath path, Step step) {
  path.emplace_back(std::move(step));
  return path;
}

/// An error at the first member that is none of the names.
ReadResult CheckNames(const Json& json, const DescriptionText& text, const JsonPath& path,
                      std::string_view what, const std::vector<std::string>& names);

/// The number of a field, in its bounds.
std::variant<double, DescriptionError> ReadNumber(const Json& value, const DescriptionText& text,
                                                  const JsonPath& path, const char* name,
                                                  bool fraction, double least, double most);

/// Stores the value of a field.
template <typename T>
ReadResult ReadField(T& object, const Field<T>& field, const Json& value,
                     const DescriptionText& text, const JsonPath& path) {
  if (const auto* member = std::get_if<std::string T::*>(&field.member)) {
    if (!value.is_string() || value.get<std::string>().empty()) {
      return text.Error(path,
                        fmt::format("`{}` is {}, but a text is needed", field.name, value.dump()));
    }
    object.** member = value.get<std::string>();
    return std::nullopt;
  }
  const bool fraction = std::holds_alternative<double T::*>(field.member);
  auto number = ReadNumber(value, text, path, field.name, fraction, field.least, field.most);
  if (auto* error = std::get_if<DescriptionError>(&number)) return *error;
  const double read = std::get<double>(number);
  if (const auto* small = std::get_if<int T::*>(&field.member)) {
    object.** small = static_cast<int>(read);
  } else if (const auto* large = std::get_if<std::int64_t T::*>(&field.member)) {
    object.** large = static_cast<std::int64_t>(read);
  } else {
    object.*std::get<double T::*>(field.member) = read;
  }
  return std::nullopt;
}

/// Stores the members that are there.
template <typename T>
ReadResult ReadFields(T& object, const std::vector<Field<T>>& fields, const Json& json,
                      const DescriptionText& text, const JsonPath& path) {
  for (const Field<T>& field : fields) {
    if (!json.contains(field.name)) continue;
    if (auto error =
            ReadField(object, field, json[field.name], text, Below(path, std::string(field.name))))
      return error;
  }
  return std::nullopt;
}

template <typename T>
std::vector<std::string> NamesOf(const std::vector<Field<T>>& fields) {
  std::vector<std::string> names;
  for (const Field<T>& field : fields) names.emplace_back(field.name);
  return names;
}

/// An error where one of the names is missing.
ReadResult CheckComplete(const Json& json, const std::vector<std::string>& names,
                         const DescriptionText& text, const JsonPath& path, std::string_view hint);

template <typename T>
Json PrintFields(const T& object, const std::vector<Field<T>>& fields) {
  Json json;
  for (const Field<T>& field : fields) {
    std::visit([&](auto member) { json[field.name] = object.*member; }, field.member);
  }
  return json;
}

/// The whole object of one kind. Requires: `json` is an object.
std::variant<Target, DescriptionError> ReadGpu(const Json& json, const DescriptionText& text);
std::variant<Target, DescriptionError> ReadCpu(const Json& json, const DescriptionText& text);
Json PrintGpu(const Gpu& gpu);
Json PrintCpu(const Cpu& cpu);

}  // namespace stencilgen::machine
