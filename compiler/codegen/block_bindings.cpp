#include "codegen/block_bindings.h"

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "kernel/print.h"

namespace stencilgen::codegen {
namespace {

/// A scalar that takes the result of a reduction.
bool IsResult(const kernel::Array& array) {
  return array.extents.size() == 1 && kernel::Print(array.extents[0]) == "1";
}

/// Of an array whose elements are of the type. `names`: what the runtime's functions that check and
/// bind are about.
Binding BindElements(const kernel::Array& array, const std::string& bound, std::string_view type,
                     std::string_view names, std::string_view kind) {
  const bool result = IsResult(array);
  const std::string element = ElementType(array);
  const std::string place = result ? fmt::format("::stencilgen::embedded::One({})", bound) : bound;
  const std::string_view writable = array.copy_out ? " that is not const" : "";
  return {fmt::format("decltype(::stencilgen::embedded::Binds{}<{}>({}))::value", names, element,
                      place),
          result ? "a result" : kind,
          result ? fmt::format("a variable of the type {}{}, or a pointer to one", type, writable)
                 : fmt::format("a pointer to {0}{1}, or a contiguous array of {0}{1}, not one of "
                               "variable length",
                               type, writable),
          fmt::format("::stencilgen::embedded::Bind{}<{}>({})", names, element, place)};
}

}  // namespace

std::optional<PairPart> FindPairPart(const kernel::Array& array,
                                     const std::set<std::string>& complex) {
  constexpr std::size_t kSuffix = 3;  // `_re`, `_im`
  const std::string& name = array.source_name;
  if (complex.empty() || name.size() <= kSuffix) return std::nullopt;
  PairPart part{name.substr(0, name.size() - kSuffix), name.back() == 'm'};
  if (complex.count(part.whole) == 0) return std::nullopt;
  return part;
}

std::string ElementType(const kernel::Array& array) {
  return fmt::format("{}{}", array.copy_out ? "" : "const ", CppName(array));
}

Binding BindVariable(const kernel::Array& array, const std::string& bound) {
  const std::string_view type = CppName(array);
  if (array.IsScalar()) {
    return {fmt::format("::stencilgen::embedded::kBindsScalar<decltype(({}))>", bound), "a scalar",
            "an arithmetic variable",
            fmt::format("::stencilgen::embedded::BindScalar<{}>({})", type, bound)};
  }
  return BindElements(array, bound, type, "Array", "an array");
}

Binding BindPair(const kernel::Array& array, const PairPart& part, const std::string& bound) {
  const std::string_view number = CppName(array);
  if (array.IsScalar()) {
    return {fmt::format("::stencilgen::embedded::kBindsComplex<decltype(({}))>", bound),
            "a complex scalar", "a variable of complex or real numbers",
            fmt::format("::stencilgen::embedded::Bind{}<{}>({})",
                        part.imaginary ? "Imaginary" : "Real", number, bound)};
  }
  return BindElements(array, bound, fmt::format("std::complex<{}>", number), "Pairs",
                      "a complex array");
}

}  // namespace stencilgen::codegen
