#include "support/random_body.h"

#include <fmt/format.h>

#include "support/evaluate_body.h"

namespace stencilgen {
namespace {

using kernel::Body;
using kernel::Combine;
using kernel::Instruction;
using kernel::ValueId;

class BodyMaker {
 public:
  BodyMaker(testing::Prng& random, int size) : random_(random), size_(size) {}

  Body Run() {
    const int elements = random_.Range(1, 12);
    for (int k = 0; k < elements; ++k) {
      graph::Access access;
      access.version = graph::VersionId{static_cast<std::uint32_t>(k % 3)};
      access.indices = {{0, 1, graph::LinearForm::Constant(k)}};
      leaves_.push_back(
          body_.values.Add({kernel::Element{access}, ScalarType::Double, fmt::format("in{}", k)}));
    }
    for (int k = 0; k < 3; ++k) {
      leaves_.push_back(body_.values.Add(
          {graph::Literal{0.5 + k, 0}, ScalarType::Double, fmt::format("{}.5", k)}));
    }
    while (static_cast<int>(body_.instructions.size()) < size_) Statement();
    return body_;
  }

 private:
  ValueId Temporary() {
    return body_.values.Add(
        {kernel::Temporary{}, ScalarType::Double, fmt::format("t{}", temporaries_++)});
  }

  void Statement() {
    statement_ = static_cast<int>(body_.statements.size());
    body_.statements.push_back({0, {statement_}});
    const ValueId value = Expression(random_.Range(0, 3));
    shared_.push_back(value);
    // A statement may serve others alone.
    if (random_.Percent(70)) body_.results.push_back({value, statement_});
  }

  ValueId Operand(int depth) {
    const bool room = static_cast<int>(body_.instructions.size()) < size_;
    if (depth > 0 && room && random_.Percent(50)) return Expression(depth - 1);
    if (!shared_.empty() && random_.Percent(20)) return random_.Pick(shared_);
    return random_.Pick(leaves_);
  }

  void Add(ValueId dest, Combine combine, int depth) {
    Instruction instruction;
    instruction.dest = dest;
    instruction.combine = combine;
    instruction.negative = combine == Combine::Sum && random_.Percent(30);
    instruction.statement = statement_;
    if (random_.Percent(10)) {
      instruction.operation = Function::Sqrt;
      instruction.operands = {Operand(depth)};
    } else if (random_.Percent(30)) {
      instruction.operation = kernel::Copy{};
      instruction.operands = {Operand(depth)};
    } else {
      static const std::vector<BinaryOp> kOperators = {BinaryOp::Mul, BinaryOp::Mul, BinaryOp::Sub,
                                                       BinaryOp::Div, BinaryOp::Add};
      instruction.operation = random_.Pick(kOperators);
      instruction.operands = {Operand(depth), Operand(depth)};
    }
    body_.instructions.push_back(instruction);
  }

  ValueId Expression(int depth) {
    const ValueId dest = Temporary();
    const int kind = random_.Below(10);
    const Combine combine = kind < 5 ? Combine::Sum : kind < 6 ? Combine::Product : Combine::None;
    const int contributions = combine == Combine::None ? 1 : random_.Range(1, 10);
    for (int k = 0; k < contributions; ++k) Add(dest, combine, depth);
    return dest;
  }

  testing::Prng& random_;
  int size_;
  Body body_;
  std::vector<ValueId> leaves_, shared_;
  int temporaries_ = 0, statement_ = 0;
};

PrimeField Hashed(std::uint64_t seed, std::uint64_t value) {
  return PrimeField(testing::Prng(seed * 0x9e3779b97f4a7c15ULL + value).Next());
}

}  // namespace

Body RandomBody(testing::Prng& random, int size) {
  return BodyMaker(random, size).Run();
}

std::vector<PrimeField> ExactResults(const Body& body, std::uint64_t seed) {
  const auto values = EvaluateBody<PrimeField>(
      body, [&](ValueId id) { return Hashed(seed, testing::HashName(body.values[id].name)); },
      [](const kernel::Operation& operation, const std::vector<PrimeField>& operands, ScalarType) {
        const auto* binary = std::get_if<BinaryOp>(&operation);
        if (binary != nullptr && *binary == BinaryOp::Div) return operands[0] / operands[1];
        std::uint64_t law = operation.index() + 17;
        PrimeField result;
        for (PrimeField operand : operands) result = result + Hashed(++law, operand.value());
        return result;
      });
  std::vector<PrimeField> results;
  for (const kernel::Result& result : body.results) {
    results.push_back(values[result.value.index]);
  }
  return results;
}

}  // namespace stencilgen
