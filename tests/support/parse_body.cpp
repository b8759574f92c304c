#include "support/parse_body.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

#include "support/catch.h"

namespace stencilgen {
namespace {

using kernel::Body;
using kernel::ValueId;

class BodyParser {
 public:
  Body Run(const std::string& text) {
    std::vector<std::string> lines;
    std::string line;
    for (char c : text + "\n") {
      if (c == '\n' || c == ';') {
        line = std::regex_replace(line, std::regex(R"(^\s+|\s+$)"), "");
        if (!line.empty()) lines.push_back(line);
        line.clear();
      } else {
        line += c;
      }
    }
    const std::regex assign(R"(([\w\[\]+-]+?)\s+([-+*]?=)\s+(.+))");
    std::smatch parts;
    for (const std::string& each : lines) {
      if (std::regex_match(each, parts, assign)) Define(parts[1]);
    }
    for (const std::string& each : lines) {
      if (each == "statement") {
        body_.statements.emplace_back();
      } else if (std::regex_match(each, parts, std::regex(R"(store\s+(\S+))"))) {
        body_.results.push_back({Name(parts[1]), Statement()});
      } else {
        INFO(each);
        REQUIRE(std::regex_match(each, parts, assign));
        Assign(parts[1], parts[2], parts[3]);
      }
    }
    Finish();
    return body_;
  }

 private:
  int Statement() {
    if (body_.statements.empty()) body_.statements.emplace_back();
    return static_cast<int>(body_.statements.size()) - 1;
  }

  void Define(const std::string& name) {
    if (names_.count(name) > 0) return;
    names_[name] = body_.values.Add({kernel::Temporary{}, ScalarType::Double, name});
  }

  ValueId Name(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    kernel::Value value{kernel::Element{}, ScalarType::Double, name};
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      value.what = graph::Literal{std::strtod(name.c_str(), nullptr), 0};
    } else {
      graph::Access access;
      access.indices = {
          {0, 1, graph::LinearForm::Constant(static_cast<std::int64_t>(names_.size()))}};
      value.what = kernel::Element{access};
    }
    return names_[name] = body_.values.Add(value);
  }

  void Assign(const std::string& dest, const std::string& how, const std::string& right) {
    kernel::Instruction instruction;
    instruction.dest = Name(dest);
    instruction.statement = Statement();
    if (how == "+=" || how == "-=") instruction.combine = kernel::Combine::Sum;
    if (how == "*=") instruction.combine = kernel::Combine::Product;
    instruction.negative = how == "-=";
    Operate(instruction, right);
    body_.instructions.push_back(instruction);
  }

  void Operate(kernel::Instruction& instruction, const std::string& right) {
    std::smatch parts;
    const std::string name = R"(([\w\[\].+-]*[\w\].]))";
    if (std::regex_match(right, parts, std::regex(name + R"(\s+([-+*/])\s+)" + name))) {
      static const std::map<std::string, BinaryOp> kOperators = {
          {"+", BinaryOp::Add}, {"-", BinaryOp::Sub}, {"*", BinaryOp::Mul}, {"/", BinaryOp::Div}};
      instruction.operation = kOperators.at(parts[2]);
      instruction.operands = {Name(parts[1]), Name(parts[3])};
    } else if (std::regex_match(right, parts, std::regex(R"((\w+)\((.*)\))"))) {
      const auto function = FindFunction(parts[1].str());
      REQUIRE(function.has_value());
      instruction.operation = *function;
      std::istringstream list(std::regex_replace(parts[2].str(), std::regex(","), " "));
      for (std::string argument; list >> argument;) instruction.operands.push_back(Name(argument));
    } else if (std::regex_match(right, parts, std::regex("-" + name))) {
      instruction.operation = UnaryOp::Negate;
      instruction.operands = {Name(parts[1])};
    } else {
      INFO(right);
      REQUIRE(std::regex_match(right, std::regex(name)));
      instruction.operation = kernel::Copy{};
      instruction.operands = {Name(right)};
    }
  }

  /// The first contribution was written as an assignment.
  void Finish() {
    std::map<ValueId, kernel::Combine> combines;
    for (const auto& each : body_.instructions) {
      if (each.combine != kernel::Combine::None) combines[each.dest] = each.combine;
    }
    std::map<ValueId, bool> used;
    for (auto& each : body_.instructions) {
      const auto found = combines.find(each.dest);
      if (found != combines.end()) each.combine = found->second;
      for (ValueId operand : each.operands) used[operand] = true;
    }
    if (!body_.results.empty()) return;
    std::map<ValueId, int> ends;
    for (const auto& each : body_.instructions) {
      if (!used[each.dest]) ends[each.dest] = each.statement;
    }
    for (const auto& [value, statement] : ends) body_.results.push_back({value, statement});
  }

  Body body_;
  std::map<std::string, ValueId> names_;
};

}  // namespace

Body ParseBody(const std::string& text) {
  return BodyParser().Run(text);
}

}  // namespace stencilgen
