#pragma once

#include <utility>
#include <variant>

namespace stencilgen {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// Exhaustive dispatch over a variant: a forgotten alternative does not compile.
template <typename Variant, typename... Fs>
decltype(auto) Match(Variant&& variant, Fs&&... fs) {
  return std::visit(Overloaded{std::forward<Fs>(fs)...}, std::forward<Variant>(variant));
}

}  // namespace stencilgen
