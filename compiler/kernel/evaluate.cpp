#include "kernel/evaluate.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/parts.h"

namespace stencilgen::kernel {
namespace {

constexpr Type kDouble = {Elementary::Double};

/// A function around code of the host, whose arguments are what that takes from outside.
class HostCode {
 public:
  HostCode(const std::string& who, const ArgumentLookup& lookup, std::string& error)
      : lookup_(lookup), error_(error) {
    function_.name = who;
  }
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  Block& body() { return function_.body; }

  void Take(const VarRef& var, bool written) {
    const auto value = lookup_(var);
    if (!value) return Fail(fmt::format("{}: {} has no value", function_.name, var->name));
    function_.arguments.push_back({var, true, written && var->storage != Storage::Value});
    arguments_.push_back(*value);
  }
  /// An element that the body sets.
  Expr Result(std::vector<Memory>& results, std::size_t n) {
    const VarRef result = MakeVar(fmt::format("result_{}", n), kDouble, Storage::Global);
    function_.arguments.push_back({result, false, true});
    arguments_.emplace_back(&results[n]);
    return ElementAt(result, Number(0));
  }
  void Run() {
    if (!error_.empty()) return;
    ExecuteOptions options;
    options.unset = UnsetValues::Allow;
    Fail(Execute(function_, arguments_, options).error);
  }

 private:
  void Fail(std::string error) {
    if (error_.empty()) error_ = std::move(error);
  }

  const ArgumentLookup& lookup_;
  std::string& error_;
  Function function_;
  std::vector<ExecuteArgument> arguments_;
};

double ValueOf(const Memory& result) {
  return std::get<std::vector<double>>(result.values)[0];
}

}  // namespace

std::vector<HostValue> RunHostCode(const Block& block, const std::string& who,
                                   const ArgumentLookup& lookup, std::string& error) {
  std::set<VarRef> declared;
  std::set<VarRef> inner;  // those out of sight at the end
  std::set<const Var*> changed;
  const auto walk = [&](const auto& self, const Block& each, bool outermost) -> void {
    for (const Stmt& stmt : each.stmts) {
      for (const VarRef& var : DeclaredBy(stmt)) (outermost ? declared : inner).insert(var);
      if (const Var* var = ChangedBy(stmt)) changed.insert(var);
      for (const Block* part : BlocksOf(stmt)) self(self, *part, false);
    }
  };
  walk(walk, block, true);
  std::vector<HostValue> values;
  HostCode code(who, lookup, error);
  for (const VarRef& var : VarsOf(block)) {
    if (declared.count(var) > 0 || inner.count(var) > 0) continue;
    const bool changes = changed.count(var.get()) > 0;
    code.Take(var, changes);
    if (changes && var->storage == Storage::Value) values.push_back({var, std::int64_t{0}});
  }
  for (const VarRef& var : declared) values.push_back({var, std::int64_t{0}});
  std::vector<Memory> results(values.size(), UnsetMemory(ScalarType::Double, 1));
  code.body() = block;
  for (std::size_t n = 0; n < values.size(); ++n) {
    code.body().Add(AssignStmt{code.Result(results, n), AssignOp::Assign,
                               ConvertTo(kDouble, Read(values[n].var))});
  }
  code.Run();
  for (std::size_t n = 0; n < values.size() && error.empty(); ++n) {
    const double value = ValueOf(results[n]);
    if (IsFloating(values[n].var->type)) {
      values[n].value = value;
    } else {
      values[n].value = static_cast<std::int64_t>(value);
    }
  }
  return values;
}

std::int64_t EvaluateInteger(const Expr& expr, const std::string& who, const ArgumentLookup& lookup,
                             std::string& error) {
  Block code;
  code.Add(LetStmt{MakeVar("value", kIndex), ConvertTo(kIndex, expr)});
  const std::vector<HostValue> values = RunHostCode(code, who, lookup, error);
  return error.empty() ? std::get<std::int64_t>(values.front().value) : 0;
}

}  // namespace stencilgen::kernel
