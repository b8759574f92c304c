#include "lower/form.h"

namespace stencilgen::lower {

kernel::Expr FormOf(const graph::LinearForm& form, const std::vector<kernel::VarRef>& vars) {
  const auto scaled = [&](graph::ParameterId id, std::int64_t factor) {
    return kernel::Number(factor) * kernel::Read(vars[id.index]);
  };
  bool any_positive = false;
  kernel::Expr sum = kernel::Number(0);
  for (const auto& [id, factor] : form.terms) {
    if (factor > 0) sum = sum + scaled(id, factor);
    any_positive = any_positive || factor > 0;
  }
  if (!any_positive) sum = kernel::Number(form.constant);
  for (const auto& [id, factor] : form.terms) {
    if (factor < 0) sum = sum - scaled(id, -factor);
  }
  return any_positive ? sum + kernel::Number(form.constant) : sum;
}

}  // namespace stencilgen::lower
