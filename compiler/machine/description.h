#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "machine/target.h"

namespace stencilgen::machine {

/// Why a text describes nothing.
struct DescriptionError {
  std::string message;  ///< with the file's name, and line and column where there is a place
  std::string excerpt;  ///< the line of that place and a caret below it; empty without one
  std::string hint;     ///< empty where there is none
};

/// A machine from a JSON object: the fields of Gpu or Cpu by name, in their units, `"kind": "gpu"`
/// (which may be left out) or `"cpu"`, and of a CPU `caches`, an array of objects with the fields
/// of Cache, first level first. What is not said is taken from `"base"`, a GPU's architecture
/// (`"sm_90"`) or the CPU `"generic"`; without it every field must be there. `file`: its name, for
/// messages.
std::variant<Target, DescriptionError> ParseDescription(std::string_view file,
                                                        std::string_view text);

/// The description as ParseDescription reads it, complete.
std::string PrintDescription(const Target& target);

}  // namespace stencilgen::machine
