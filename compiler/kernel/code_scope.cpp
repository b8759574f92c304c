#include "kernel/code_scope.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencilgen::kernel {

void CodeScope::Define(const VarRef& var, Change change, const Argument* argument) {
  if (var == nullptr) return report_("a variable is missing");
  if (known_.count(var.get()) > 0) {
    report_(fmt::format("{} is defined twice", var->name));
  } else if (!names_.insert(var->name).second) {
    report_(fmt::format("two variables {}", var->name));
  } else {
    visible_.push_back(var.get());
  }
  known_[var.get()] = {change, Turns(), argument};
}

void CodeScope::Use(const VarRef& var, bool is_type) {
  const auto found = known_.find(var.get());
  if (found == known_.end()) {
    // A device's constant memory belongs to the whole program.
    if (target_ == Target::Device && var->storage == Storage::Constant) return;
    return report_(fmt::format("{} is not defined", var->name));
  }
  if ((found->second.change == Change::IsType) != is_type) {
    report_(fmt::format("{} is {} type", var->name, is_type ? "no" : "a"));
  }
}

void CodeScope::CheckChange(const VarRef& var) {
  CheckChangeFrom(var, Turns());
}

void CodeScope::CheckElementChange(const VarRef& array, const Expr& place) {
  const auto* var = place.As<VarExpr>();
  const auto found = var == nullptr ? known_.end() : known_.find(var->var.get());
  const bool own = found != known_.end() && found->second.change == Change::ByLoop && InTurns() &&
                   found->second.turns == Turns();
  CheckChangeFrom(array, own ? Turns() - 1 : Turns());
}

/// `turns`: how many loops of turns must be around the definition.
void CodeScope::CheckChangeFrom(const VarRef& var, std::size_t turns) {
  const auto found = known_.find(var.get());
  if (found == known_.end()) return;
  if (found->second.change == Change::Never) {
    report_(fmt::format("{} does not change", var->name));
  } else if (found->second.change == Change::ByLoop) {
    report_(fmt::format("{} is changed by its loop alone", var->name));
  } else if (found->second.turns < turns) {
    report_(fmt::format("{} is shared by the turns of a loop", var->name));
  }
}

void CodeScope::Leave(std::size_t size) {
  for (; visible_.size() > size; visible_.pop_back()) {
    names_.erase(visible_.back()->name);
    known_.erase(visible_.back());
  }
}

std::size_t CodeScope::Turns() const {
  return static_cast<std::size_t>(std::count_if(loops_.begin(), loops_.end(), &IsOfTurns));
}

const Argument* CodeScope::ArgumentOf(const Expr& address) const {
  if (const auto* sum = address.As<AddressExpr>()) return ArgumentOf(sum->array);
  if (const auto* var = address.As<VarExpr>()) return ArgumentOf(var->var);
  const auto* call = address.As<CallExpr>();
  if (call == nullptr || call->arguments.empty()) return nullptr;
  return ArgumentOf(call->arguments.back());
}

const Argument* CodeScope::ArgumentOf(const VarRef& var) const {
  const auto found = known_.find(var.get());
  return found == known_.end() ? nullptr : found->second.argument;
}

}  // namespace stencilgen::kernel
