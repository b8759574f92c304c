#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"

namespace stencilgen::codegen {

/// What gives a generated file the runtime header `stencilgen/...`: an #include of it or, for a
/// standalone file, its text with that of the runtime headers it includes, in the file's language.
std::string RuntimeText(std::string_view header, bool standalone,
                        GpuLanguage language = GpuLanguage::Cuda);

/// The same for several headers; what they have in common is there once.
std::string RuntimeTexts(const std::vector<std::string_view>& headers, bool standalone,
                         GpuLanguage language = GpuLanguage::Cuda);

/// For a header in C and C++: the types of 16-bit floating elements, in C their bits. Begins with a
/// new line.
std::string HalfTypes(bool standalone, GpuLanguage language = GpuLanguage::Cuda);

/// The runtime headers that the code of a program needs.
std::vector<std::string_view> RuntimeHeaders(const kernel::Module& module,
                                             const FileOptions& options);

}  // namespace stencilgen::codegen
