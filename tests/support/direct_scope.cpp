#include "support/direct_scope.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace stencilgen::testing::direct {

Scope::Scope(const ast::Program& program, const std::map<std::string, std::int64_t>& parameters,
             DirectState& state)
    : program_(program), parameters_(parameters), state_(state) {
  for (const auto& [name, array] : state_) {
    for (const std::int64_t extent : array.shape) {
      largest_extent_ = std::max(largest_extent_, extent);
    }
  }
  for (const ast::BoundarySpec& spec : program_.boundaries) boundaries_[spec.array.text] = &spec;
}

void Scope::BindFormals(const ast::Stencil& stencil, const ast::StencilCall& call) {
  formals_.clear();
  local_arrays_.clear();
  local_scalars_.clear();
  for (std::size_t i = 0; i < stencil.formals.size(); ++i) {
    formals_[stencil.formals[i].name.text] = call.actuals[i];
  }
}

void Scope::AddLocalScalar(const std::string& name, ScalarType type) {
  local_scalars_[name].type = type;
}

void Scope::AddLocalArray(const std::string& name, DirectArray array) {
  local_arrays_[name] = std::move(array);
}

std::string Scope::Actual(const std::string& name) const {
  const auto found = formals_.find(name);
  if (found == formals_.end()) return name;
  const auto* actual = std::get_if<ast::NameRef>(&program_.exprs[found->second].node);
  return actual != nullptr ? actual->name : "";
}

const ast::ExprId* Scope::Number(const std::string& name) const {
  const auto found = formals_.find(name);
  return found != formals_.end() && Actual(name).empty() ? &found->second : nullptr;
}

std::string Scope::Identity(const std::string& name) const {
  const bool local = local_arrays_.count(name) > 0 || local_scalars_.count(name) > 0;
  return local ? "local " + name : Actual(name);
}

bool Scope::IsIterator(const std::string& name) const {
  return std::any_of(program_.iterators.begin(), program_.iterators.end(),
                     [&](const ast::Name& iterator) { return iterator.text == name; });
}

DirectArray* Scope::FindArray(const std::string& name) {
  const auto local = local_arrays_.find(name);
  if (local != local_arrays_.end()) return &local->second;
  if (local_scalars_.count(name) > 0) return nullptr;
  const auto found = state_.find(Actual(name));
  return found == state_.end() ? nullptr : &found->second;
}

LocalScalar* Scope::FindLocalScalar(const std::string& name) {
  const auto found = local_scalars_.find(name);
  return found == local_scalars_.end() ? nullptr : &found->second;
}

const ast::BoundarySpec* Scope::FindBoundary(const std::string& name) const {
  if (IsLocalArray(name)) return nullptr;
  const auto found = boundaries_.find(Actual(name));
  return found == boundaries_.end() ? nullptr : found->second;
}

}  // namespace stencilgen::testing::direct
