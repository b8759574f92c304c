#include "kernel/module.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "kernel/verify_code.h"
#include "kernel/verify_graphs.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

class ModuleVerifier {
 public:
  explicit ModuleVerifier(const Module& module) : module_(module) {}

  std::vector<std::string> Run() {
    CheckKernels();
    for (const Array& array : module_.arrays) {
      for (const std::size_t buffer : array.buffers) CheckBuffer(buffer, array.name);
    }
    for (const Output& result : module_.results) CheckMove(result, "a result");
    for (const Output& move : module_.moves) CheckMove(move, "a move");
    for (const auto& [to, from] : module_.lasting_copies) CheckMove({to, from}, "a lasting copy");
    for (const Function& function : module_.functions) {
      for (const std::string& problem : Verify(function)) {
        Report(fmt::format("{}: {}", function.name, problem));
      }
    }
    Check(module_.steps);
    if (problems_.empty()) problems_ = VerifyGraphs(module_);
    return problems_;
  }

 private:
  void Report(std::string problem) { problems_.push_back(std::move(problem)); }

  void CheckKernels() {
    const bool device = module_.target == Target::Device;
    const std::size_t kernels = device ? module_.launches.size() : module_.calls.size();
    if (device && !module_.calls.empty()) Report("calls of kernels on a device");
    if (!device && !module_.launches.empty()) Report("launches of kernels on the host");
    if (module_.summaries.size() != kernels) Report("kernels without a summary");
    std::map<std::string_view, const Function*> functions;
    for (const Function& function : module_.functions) {
      if (function.target != module_.target) Report(function.name + ": for another target");
      if (!functions.emplace(function.name, &function).second) {
        Report(function.name + ": defined twice");
      }
    }
    for (const Launch& launch : module_.launches) {
      const auto found = functions.find(launch.function);
      if (found == functions.end()) {
        Report(launch.function + ": no such kernel");
      } else if (found->second->either_index == launch.shapes.empty()) {
        Report(launch.function + ": its launch does not say which positions it has");
      }
    }
    for (const CallStmt& call : module_.calls) {
      if (functions.count(call.function) == 0) Report(call.function + ": no such function");
    }
  }

  bool CheckBuffer(std::size_t number, std::string_view who) {
    if (number < module_.buffers.size()) return true;
    Report(fmt::format("{}: no buffer {}", who, number));
    return false;
  }
  void CheckMove(const Output& move, std::string_view who) {
    CheckBuffer(move.home, who);
    CheckBuffer(move.buffer, who);
  }

  /// Requires: the buffer exists.
  void CheckUse(std::size_t number, bool writes) {
    const Buffer& buffer = module_.buffers[number];
    if (!buffer.used) Report(fmt::format("{} is used", buffer.name()));
    if (writes && !buffer.written) Report(fmt::format("{} is written", buffer.name()));
  }

  void Check(const CopyStep& copy) {
    if (!CheckBuffer(copy.to, "a copy") || !CheckBuffer(copy.from, "a copy")) return;
    CheckUse(copy.to, true);
    CheckUse(copy.from, false);
    const Buffer& to = module_.buffers[copy.to];
    if (to.type != module_.buffers[copy.from].type) {
      Report(fmt::format("{} gets elements of another type", to.name()));
    }
    if (copy.outside && copy.outside->size() != to.extents.size()) {
      Report(fmt::format("a box of another rank in {}", to.name()));
    }
  }

  void Check(const RotateStep& rotate) {
    if (rotate.cycle.size() < 2) Report("a rotation of one buffer");
    for (const std::size_t buffer : rotate.cycle) {
      if (!CheckBuffer(buffer, "a rotation")) return;
      CheckUse(buffer, false);
      if (module_.buffers[buffer].written != module_.buffers[rotate.cycle.front()].written) {
        Report("a rotation of memory that is written with memory that is not");
      }
    }
  }

  void Check(const ReadStep& read) {
    if (module_.target != Target::Device) Report("the host reads its own memory by itself");
    if (CheckBuffer(read.buffer, "a read")) CheckUse(read.buffer, false);
  }

  void Check(const BandStep& band) {
    const bool known = std::any_of(
        module_.functions.begin(), module_.functions.end(), [&](const Function& function) {
          // The call gets the turns, threads, tiles and the width of strips as well.
          const std::size_t others = band.strips ? 4 : 3;
          return function.name == band.call.function &&
                 function.arguments.size() == band.call.arguments.size() + others;
        });
    if (!known) Report(band.call.function + ": no such function of a band");
    if (!band.turns.Valid() || !band.rows.Valid() || !band.columns.Valid() || !band.bytes.Valid()) {
      Report("a band of unknown size");
    }
    Check(band.after);
    Check(band.otherwise);
  }

  void Check(const Steps& steps) {
    for (const Step& step : steps) {
      Match(
          step.what,
          [&](const LaunchStep& launch) {
            if (launch.kernel >= module_.summaries.size()) Report("no such kernel is launched");
          },
          [](const CodeStep&) {}, [&](const ReadStep& read) { Check(read); },
          [&](const CopyStep& copy) { Check(copy); },
          [&](const RotateStep& rotate) { Check(rotate); },
          [&](const RepeatStep& repeat) {
            if (!repeat.turns.Valid()) Report("a loop without a number of turns");
            if (repeat.until.Valid() && repeat.until.type() != kBool) {
              Report("a loop ends by what is no truth");
            }
            if (repeat.graph && module_.target != Target::Device) Report("a graph on the host");
            Check(repeat.body);
          },
          [&](const BandStep& band) { Check(band); },
          [&](const ScopeStep& scope) {
            Check(scope.body);
            Check(scope.otherwise);
          });
    }
  }

  const Module& module_;
  std::vector<std::string> problems_;
};

}  // namespace

bool Module::HasConstants() const {
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const Buffer& buffer) { return buffer.constant != nullptr; });
}

bool HasFittedChunks(const Launch& launch) {
  return std::any_of(launch.values.begin(), launch.values.end(), [](const LaunchValue& value) {
    return value.kind == LaunchValue::Kind::FittedChunk;
  });
}

bool Module::Uses(const Array& array) const {
  return std::any_of(array.buffers.begin(), array.buffers.end(),
                     [&](std::size_t each) { return buffers[each].used; });
}

bool Module::Writes(const Array& array) const {
  return std::any_of(array.buffers.begin(), array.buffers.end(),
                     [&](std::size_t each) { return buffers[each].used && buffers[each].written; });
}

bool Module::NeedsContents(const Array& array) const {
  return Uses(array) && std::any_of(array.buffers.begin(), array.buffers.end(),
                                    [&](std::size_t each) { return buffers[each].needs_contents; });
}

bool Module::TouchesHost(const Array& array) const {
  return std::any_of(array.buffers.begin(), array.buffers.end(),
                     [&](std::size_t each) { return buffers[each].TouchesHost(); });
}

std::vector<std::string> Verify(const Module& module) {
  return ModuleVerifier(module).Run();
}

}  // namespace stencilgen::kernel
