#pragma once

#include <string>
#include <variant>
#include <vector>

#include "driver/options.h"
#include "support/catch.h"

/// What the tests of the command line share.
namespace stencilgen::testing {

/// What a command line that is right says.
inline driver::Options Good(const std::vector<std::string>& arguments) {
  const auto parsed = driver::ParseCommandLine(arguments);
  if (const auto* error = std::get_if<driver::UsageError>(&parsed)) {
    FAIL("refused: " << error->message << " / " << error->hint);
  }
  return std::get<driver::Options>(parsed);
}

/// What is said of a command line that is refused.
inline driver::UsageError Bad(const std::vector<std::string>& arguments) {
  const auto parsed = driver::ParseCommandLine(arguments);
  const auto* error = std::get_if<driver::UsageError>(&parsed);
  std::string text;
  for (const std::string& argument : arguments) text += " " + argument;
  INFO("arguments:" << text);
  REQUIRE(error != nullptr);
  return *error;
}

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace stencilgen::testing
