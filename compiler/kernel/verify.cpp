#include "kernel/verify.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/print.h"
#include "kernel/uses.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

std::size_t Arity(const Operation& operation) {
  return Match(
      operation, [](Copy) { return 1; }, [](UnaryOp) { return 1; }, [](BinaryOp) { return 2; },
      [](stencilgen::Function function) { return Info(function).arity; }, [](Select) { return 3; },
      [](Convert) { return 1; });
}

class Verifier {
 public:
  explicit Verifier(const Body& body) : body_(body) {}

  std::vector<std::string> Run() {
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) CheckInstruction(k);
    for (const Result& result : body_.results) {
      if (!body_.values.Contains(result.value)) {
        Report("a result is no value");
      } else if (!IsTemporary(body_.values[result.value])) {
        Report("the result {} is not computed", body_.values[result.value].name);
      }
      CheckStatement(result.statement);
    }
    if (problems_.empty()) CheckOrder();
    return problems_;
  }

 private:
  template <typename... Args>
  void Report(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void CheckStatement(int statement) {
    if (statement < 0 || statement >= static_cast<int>(body_.statements.size())) {
      Report("there is no statement {}", statement);
    }
  }

  void CheckInstruction(std::size_t k) {
    const Instruction& instruction = body_.instructions[k];
    CheckStatement(instruction.statement);
    for (ValueId operand : instruction.operands) {
      if (!body_.values.Contains(operand)) return Report("instruction {}: no such operand", k);
    }
    if (!body_.values.Contains(instruction.dest)) return Report("instruction {}: no target", k);
    if (instruction.operands.size() != Arity(instruction.operation)) {
      return Report("instruction {} has {} operands", k, instruction.operands.size());
    }
    if (!IsTemporary(body_.values[instruction.dest])) {
      Report("{}: the target is not a temporary", Print(body_, instruction, true));
    }
    if (instruction.negative && instruction.combine != Combine::Sum) {
      Report("{}: only contributions to a sum are negative", Print(body_, instruction, true));
    }
  }

  void CheckOrder() {
    const Uses uses = FindUses(body_);
    std::set<std::string> names;
    for (ValueId id : body_.values.Ids()) {
      const Value& value = body_.values[id];
      if (!IsTemporary(value)) continue;
      if (!names.insert(value.name).second) Report("two temporaries {}", value.name);
      const auto& definitions = uses.definitions[id.index];
      const auto& users = uses.uses[id.index];
      if (definitions.empty()) {
        if (!users.empty()) Report("{} is used, but not defined", value.name);
        continue;
      }
      const Combine combine = body_.instructions[definitions.front()].combine;
      for (std::size_t k : definitions) {
        if (body_.instructions[k].combine != combine) Report("{}: two kinds of sums", value.name);
      }
      if (definitions.size() > 1 && combine == Combine::None) Report("{} is set twice", value.name);
      if (!users.empty() && users.front() <= definitions.back()) {
        Report("{}: {} is not complete", Print(body_, body_.instructions[users.front()], true),
               value.name);
      }
    }
    for (const Result& result : body_.results) {
      if (uses.definitions[result.value.index].empty()) {
        Report("the result {} is not defined", body_.values[result.value].name);
      }
    }
  }

  const Body& body_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> Verify(const Body& body) {
  return Verifier(body).Run();
}

}  // namespace stencilgen::kernel
