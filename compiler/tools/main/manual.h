#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/option_table.h"

/// What is made from the table of options for other programs than this one.
namespace stencilgen::driver {

/// The values that an option takes, where they are few; else none.
std::vector<std::string> ChoicesOf(const OptionSpec& spec);
/// The option's value is a file's name.
bool TakesFile(const OptionSpec& spec);

/// The manual page, stencilgen.1, for `man`.
std::string ManualPage(std::string_view version);

/// The script that completes command lines in a shell: `bash`, `zsh` or `fish`.
/// Requires: it is one of them.
std::string CompletionScript(std::string_view shell);

}  // namespace stencilgen::driver
