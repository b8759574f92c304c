#include "kernel/execute_module.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kernel/evaluate.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

void AddTo(ExecuteCounters& sum, const ExecuteCounters& more) {
  sum.global_loads += more.global_loads;
  sum.global_stores += more.global_stores;
  sum.global_load_bytes += more.global_load_bytes;
  sum.global_store_bytes += more.global_store_bytes;
  sum.shared_loads += more.shared_loads;
  sum.shared_stores += more.shared_stores;
  sum.barriers += more.barriers;
  sum.flops += more.flops;
  sum.threads += more.threads;
}

/// The first element.
ExecuteArgument ScalarIn(const Memory& memory) {
  return Match(memory.values, [](const auto& elements) -> ExecuteArgument {
    using T = typename std::decay_t<decltype(elements)>::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(elements[0]);
    } else {
      return static_cast<std::int64_t>(elements[0]);
    }
  });
}

class ModuleRun {
 public:
  ModuleRun(const Module& module, ModuleArguments arguments, ModuleOptions options)
      : module_(module), options_(std::move(options)), arguments_(std::move(arguments)) {
    for (const Function& function : module.functions) {
      options_.execution.callees.push_back(&function);
    }
    if (module.target == Target::Device) options_.execution.short_index = module.short_index;
  }

  ModuleResult Run() {
    TakeValues();
    TakeMemory();
    Run(module_.steps);
    result_.arrays = std::move(arguments_.arrays);
    for (std::size_t n = 0; n < module_.arrays.size() && !failed(); ++n) TakeResults(n);
    return std::move(result_);
  }

 private:
  bool failed() const { return !result_.error.empty(); }
  void Fail(std::string error) {
    if (!failed()) result_.error = std::move(error);
  }
  Memory& MemoryOf(std::size_t buffer) { return memory_[memory_of_[buffer]]; }

  void TakeValues() {
    for (std::size_t n = 0; n < module_.parameters.size(); ++n) {
      values_[module_.parameters[n].var] = arguments_.parameters[n];
    }
    for (const auto* counters : {&module_.turns, &module_.stages}) {
      for (const VarRef& var : *counters) values_[var] = std::int64_t{0};
    }
    for (const auto& [var, type] : module_.scalars) {
      values_[var] = ScalarIn(UnsetMemory(type, 1));
      for (std::size_t n = 0; n < module_.arrays.size(); ++n) {
        const Array& array = module_.arrays[n];
        const bool is_own = array.IsScalar() && array.name == var->name;
        if (is_own) values_[var] = ScalarIn(arguments_.arrays[n]);
      }
    }
  }

  void TakeMemory() {
    for (std::size_t n = 0; n < module_.buffers.size(); ++n) {
      const Buffer& buffer = module_.buffers[n];
      memory_of_.push_back(n);
      std::size_t count = buffer.used ? 1 : 0;
      for (const Expr& extent : buffer.extents) {
        count *= static_cast<std::size_t>(std::max<std::int64_t>(Value(extent), 0));
      }
      memory_.push_back(UnsetMemory(buffer.type, count));
    }
    for (std::size_t n = 0; n < module_.arrays.size(); ++n) {
      const std::vector<std::size_t>& parts = module_.arrays[n].buffers;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const Buffer& buffer = module_.buffers[parts[k]];
        if (!buffer.used || !buffer.needs_contents) continue;
        Memory& memory = memory_[parts[k]];
        const std::size_t count = arguments_.arrays[n].defined.size() / parts.size();
        memory = UnsetMemory(buffer.type, count);
        CopyElements(arguments_.arrays[n], k * count, memory, 0, count);
      }
    }
  }

  /// What has become of an array of the application.
  void TakeResults(std::size_t n) {
    const std::vector<std::size_t>& parts = module_.arrays[n].buffers;
    for (const Output& output : module_.results) {
      const auto at = std::find(parts.begin(), parts.end(), output.home);
      if (at == parts.end()) continue;
      Memory& memory = result_.arrays[n];
      const std::size_t count = memory.defined.size() / parts.size();
      const auto number = static_cast<std::size_t>(at - parts.begin());
      CopyElements(MemoryOf(output.buffer), 0, memory, number * count, count);
    }
  }

  /// What the program has for a variable.
  std::optional<ExecuteArgument> Lookup(const VarRef& var) {
    const auto value = values_.find(var);
    if (value != values_.end()) return value->second;
    for (std::size_t n = 0; n < module_.buffers.size(); ++n) {
      const Buffer& buffer = module_.buffers[n];
      if (buffer.var == var || (buffer.constant != nullptr && buffer.constant == var)) {
        return &MemoryOf(n);
      }
    }
    return std::nullopt;
  }

  std::int64_t Value(const Expr& expr) {
    if (const auto number = NumberOf(expr)) return *number;
    return EvaluateInteger(expr, "the host", lookup_, result_.error);
  }
  bool Holds(const Expr& condition) {
    return !condition.Valid() || Value(Choose(condition, Number(1), Number(0))) != 0;
  }

  void Run(const Steps& steps) {
    for (const Step& step : steps) {
      if (failed()) return;
      Match(step.what, [&](const auto& each) { Run(each); });
    }
  }

  void Run(const LaunchStep& launch) {
    if (module_.target == Target::Host) return Call(module_.calls[launch.kernel], {});
    const Launch& start = module_.launches[launch.kernel];
    Finish(Execute(FunctionNamed(start.function), start, lookup_, options_.execution));
  }

  void Run(const CodeStep& step) {
    for (HostValue& each : RunHostCode(step.code, "the host", lookup_, result_.error)) {
      values_[each.var] = each.value;
    }
  }

  void Run(const ReadStep& read) {
    Memory& memory = MemoryOf(read.buffer);
    const std::int64_t position = Value(read.position);
    if (position < 0 || position >= static_cast<std::int64_t>(memory.defined.size())) {
      return Fail(fmt::format("the host reads element {} of {}, which has {}", position,
                              module_.buffers[read.buffer].name(), memory.defined.size()));
    }
    Memory element = UnsetMemory(module_.buffers[read.buffer].type, 1);
    CopyElement(memory, static_cast<std::size_t>(position), element, 0);
    values_[read.var] = ScalarIn(element);
  }

  void Run(const CopyStep& copy) {
    Memory& to = MemoryOf(copy.to);
    const Memory& from = MemoryOf(copy.from);
    if (!copy.outside) {
      to = from;
      return;
    }
    std::vector<std::int64_t> extents, first, last;
    const bool is_empty = !Holds(copy.condition);
    for (std::size_t d = 0; d < copy.outside->size(); ++d) {
      extents.push_back(Value(module_.buffers[copy.to].extents[d]));
      first.push_back(is_empty ? 0 : Value((*copy.outside)[d].first));
      last.push_back(is_empty ? -1 : Value((*copy.outside)[d].last));
    }
    for (std::size_t n = 0; n < to.defined.size(); ++n) {
      auto rest = static_cast<std::int64_t>(n);
      bool inside = true;
      for (std::size_t d = extents.size(); d-- > 0;) {
        const std::int64_t place = rest % extents[d];
        inside = inside && first[d] <= place && place <= last[d];
        rest /= extents[d];
      }
      if (!inside) CopyElement(from, n, to, n);
    }
  }
  static void CopyElements(const Memory& from, std::size_t source, Memory& to, std::size_t target,
                           std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) CopyElement(from, source + k, to, target + k);
  }
  static void CopyElement(const Memory& from, std::size_t source, Memory& to, std::size_t target) {
    to.defined[target] = from.defined[source];
    Match(to.values, [&](auto& elements) {
      elements[target] = std::get<std::decay_t<decltype(elements)>>(from.values)[source];
    });
  }

  void Run(const RotateStep& rotate) {
    const std::vector<std::size_t>& cycle = rotate.cycle;
    const std::size_t first = memory_of_[cycle.front()];
    for (std::size_t n = 0; n + 1 < cycle.size(); ++n) {
      memory_of_[cycle[n]] = memory_of_[cycle[n + 1]];
    }
    memory_of_[cycle.back()] = first;
  }

  void Run(const RepeatStep& repeat) {
    values_[repeat.var] = repeat.first.Valid() ? Value(repeat.first) : 0;
    const std::int64_t turns = Value(repeat.turns);
    while (!failed() && Counted(repeat.var) < turns) {
      Run(repeat.body);
      if (repeat.until.Valid() && Holds(repeat.until)) return;
      values_[repeat.var] = Counted(repeat.var) + 1;  // which steps of the body may have raised
    }
  }
  std::int64_t Counted(const VarRef& var) const { return std::get<std::int64_t>(values_.at(var)); }

  void Run(const BandStep& band) {
    if (band.turns_of_tile == 0 && !options_.tiles) return Run(band.otherwise);
    TileSizes sizes = options_.tiles.value_or(TileSizes());
    if (band.turns_of_tile > 0 && !options_.tiles) {
      const std::int64_t width = band.slope * band.turns_of_tile;
      sizes.tiles = (Value(band.rows) + width - 1) / width;
      sizes.strip = 2 * width;
    }
    const std::int64_t turns = Value(band.turns);
    std::vector<ExecuteArgument> last = {turns, sizes.threads, sizes.tiles};
    if (band.strips) last.emplace_back(sizes.strip);
    result_.turns_in_tiles += turns;
    Call(band.call, last);
    Run(band.after);
  }

  void Run(const ScopeStep& scope) { Run(Holds(scope.condition) ? scope.body : scope.otherwise); }

  /// Calls a function of the host with what the call says and these.
  void Call(const CallStmt& call, const std::vector<ExecuteArgument>& last) {
    std::vector<ExecuteArgument> arguments;
    for (const Expr& each : call.arguments) {
      const auto* var = each.As<VarExpr>();
      if (var == nullptr) {
        arguments.emplace_back(Value(each));
        continue;
      }
      const auto value = Lookup(var->var);
      if (!value) return Fail(fmt::format("{}: {} has no value", call.function, var->var->name));
      arguments.push_back(*value);
    }
    arguments.insert(arguments.end(), last.begin(), last.end());
    Finish(Execute(FunctionNamed(call.function), arguments, options_.execution));
  }

  const Function& FunctionNamed(const std::string& name) const {
    return *std::find_if(module_.functions.begin(), module_.functions.end(),
                         [&](const Function& function) { return function.name == name; });
  }

  void Finish(const ExecuteResult& result) {
    AddTo(result_.counters, result.counters);
    Fail(result.error);
  }

  const Module& module_;
  ModuleOptions options_;
  ModuleArguments arguments_;
  ModuleResult result_;
  std::map<VarRef, ExecuteArgument> values_;  ///< the host's variables
  std::vector<std::size_t> memory_of_;        ///< by buffer, which memory it has now
  std::vector<Memory> memory_;
  const ArgumentLookup lookup_ = [this](const VarRef& var) { return Lookup(var); };
};

}  // namespace

ModuleResult Execute(const Module& module, ModuleArguments arguments, ModuleOptions options) {
  return ModuleRun(module, std::move(arguments), std::move(options)).Run();
}

}  // namespace stencilgen::kernel
