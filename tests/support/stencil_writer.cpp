#include "support/stencil_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

bool Mentions(const std::string& text, const std::string& name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string Extent(const World& world, const Dimension& dim) {
  if (dim.iterator < 0) return fmt::format("{}", dim.extent);
  const std::string& size = world.parameters[static_cast<std::size_t>(dim.iterator)];
  return dim.pad == 0 ? size : fmt::format("{}+{}", size, dim.pad);
}

}  // namespace

std::string RandomDomain(Prng* prng, const World& world, int margin) {
  std::vector<std::string> ranges;
  const char* const colon = prng->Percent(80) ? ":" : "..";
  for (const std::string& size : world.parameters) {
    std::string lo = fmt::format("{}", margin + (prng->Percent(50) ? 0 : prng->Range(1, 3)));
    std::string hi =
        fmt::format("{}-{}", size, margin + (prng->Percent(50) ? 1 : prng->Range(1, 4)));
    switch (prng->Below(8)) {
      case 0:
        hi = lo;
        break;
      case 1:
        lo = hi;
        break;
      case 2:
        hi = fmt::format("{}", prng->Range(3, 12));
        break;
      default:
        break;
    }
    ranges.push_back(fmt::format("{}{}{}", lo, colon, hi));
  }
  return fmt::format("[{}]", fmt::join(ranges, prng->Percent(50) ? "][" : ","));
}

ScalarType StencilWriter::FloatType() {
  std::vector<ScalarType> types;
  for (const ProgramObject& object : world_.objects) {
    if (IsFloating(object.type)) types.push_back(object.type);
  }
  return types.empty() ? ScalarType::Double : prng_.Pick(types);
}

void StencilWriter::AddUse(std::size_t object, bool written) {
  static const std::vector<std::string> kNames = {"A", "B", "C", "D", "E", "F", "G", "H"};
  Use use;
  use.object = object;
  use.written = written;
  use.formal = prng_.Percent(80);
  use.inout = use.formal && written && prng_.Percent(20);
  use.name = use.formal ? kNames[uses_.size()] : world_.objects[object].name;
  uses_.push_back(use);
}

void StencilWriter::ChooseUses() {
  std::vector<std::size_t> writable, readable;
  for (std::size_t n = 0; n < world_.objects.size(); ++n) {
    const ProgramObject& object = world_.objects[n];
    if (!object.constant && !object.dims.empty()) writable.push_back(n);
    if (object.has_value) readable.push_back(n);
  }
  const auto add = [&](std::size_t object, bool written) {
    const bool used = std::any_of(uses_.begin(), uses_.end(),
                                  [&](const Use& use) { return use.object == object; });
    if (!used) AddUse(object, written);
  };
  const int writes = prng_.Percent(75) ? 1 : 2;
  for (int n = 0; n < writes; ++n) add(prng_.Pick(writable), true);
  const int reads = prng_.Range(1, 4);
  for (int n = 0; n < reads && !readable.empty(); ++n) add(prng_.Pick(readable), false);
}

Scope StencilWriter::StatementScope(const std::vector<bool>& varies, int reach) {
  Scope scope;
  scope.iterators = world_.iterators;
  scope.parameters = world_.parameters;
  scope.varies = varies;
  scope.discontinuous = world_.discontinuous;
  scope.reach = reach;
  scope.turns = world_.turns;
  scope.places = world_.places;
  const bool all = std::find(varies.begin(), varies.end(), false) == varies.end();
  for (const Use& use : uses_) {
    const ProgramObject& object = world_.objects[use.object];
    if (!object.has_value) continue;
    if (object.dims.empty()) {
      scope.scalars.push_back({use.name, object.type, true});
    } else {
      scope.arrays.push_back({use.name, object.type, object.dims, false});
    }
  }
  for (const Local& local : locals_) {
    // A local has values on a part of its extents only, and a point-local scalar varies along
    // every iterator: both need them all.
    if (!all && !local.uniform) continue;
    if (local.dims.empty()) {
      scope.scalars.push_back({local.name, local.type, local.uniform});
    } else {
      scope.arrays.push_back({local.name, local.type, local.dims, true});
    }
  }
  return scope;
}

std::string StencilWriter::Value(const Scope& scope, ScalarType type, int depth) {
  if (type == ScalarType::Int) {
    if (scope.discontinuous && prng_.Percent(15)) {
      return fmt::format("10.0*({})", expressions_.Float(scope, depth));
    }
    return expressions_.Int(scope, depth);
  }
  if (type == ScalarType::Bool) return expressions_.Bool(scope, depth);
  if (prng_.Percent(50)) {
    const std::string sum = expressions_.Neighbours(scope);
    if (!sum.empty()) return sum;
  }
  return expressions_.Float(scope, depth);
}

std::string StencilWriter::Assign(const Scope& scope, const std::string& target, ScalarType type) {
  const int depth = prng_.Range(1, 3);
  return fmt::format("{} = {};", target, Value(scope, type, depth));
}

std::string StencilWriter::Update(const Scope& scope, const std::string& target, ScalarType type) {
  const int depth = prng_.Range(1, 3);
  const std::string value = Value(scope, type, depth);
  if (type == ScalarType::Bool) {
    return fmt::format("{} {} {};", target, prng_.Percent(50) ? "&=" : "|=", value);
  }
  if (type == ScalarType::Int) {
    switch (prng_.Below(4)) {
      case 0:
        return fmt::format("{} &= {};", target, expressions_.Int(scope, 1));
      case 1:
        return fmt::format("{} |= {};", target, expressions_.Int(scope, 1));
      case 2:
        return fmt::format("{} -= {};", target, expressions_.Int(scope, 2));
      default:
        return fmt::format("{} += {};", target, expressions_.Int(scope, 2));
    }
  }
  switch (prng_.Below(8)) {
    case 0:
    case 1:
      return fmt::format("{} -= 0.2*({});", target, value);
    case 2:
      return fmt::format("{} *= cos({});", target, value);
    case 3:
      return fmt::format("{} /= 1.5 + fabs({});", target, value);
    default:
      return fmt::format("{} += 0.2*({});", target, value);
  }
}

void StencilWriter::MarkReads(const std::string& line) {
  for (Use& use : uses_) {
    if (Mentions(line, use.name)) use.needs_value = true;
  }
}

void StencilWriter::Statement(const std::string& text, int margin) {
  const std::string domain = prng_.Percent(20) ? RandomDomain(&prng_, world_, margin) + " : " : "";
  statements_.push_back(domain + text);
}

std::string StencilWriter::Target(const Use& use, std::vector<bool>* varies, int* shift) {
  const ProgramObject& object = world_.objects[use.object];
  varies->assign(world_.iterators.size(), false);
  std::vector<std::string> indices;
  for (const Dimension& dim : object.dims) {
    if (dim.iterator < 0) {
      const bool by_turn = !world_.turns.empty() && prng_.Percent(80);
      indices.push_back(by_turn ? expressions_.TurnIndex(world_.turns, dim.extent)
                                : std::to_string(prng_.Below(dim.extent)));
      continue;
    }
    const auto it = static_cast<std::size_t>(dim.iterator);
    if (prng_.Percent(4)) {
      indices.push_back(prng_.Percent(50) ? "0" : world_.parameters[it] + "-1");
      continue;
    }
    (*varies)[it] = true;
    const int offset = prng_.Percent(6) ? prng_.Range(-2, 2) : 0;
    indices.push_back(offset == 0 ? world_.iterators[it]
                                  : fmt::format("{}{:+}", world_.iterators[it], offset));
    *shift = std::max(*shift, std::abs(offset));
  }
  return fmt::format("{}[{}]", use.name, fmt::join(indices, "]["));
}

void StencilWriter::WriteTarget(Use* use) {
  const ProgramObject& object = world_.objects[use->object];
  std::vector<bool> varies;
  int shift = 0;
  const std::string target = Target(*use, &varies, &shift);
  shift_ = std::max(shift_, shift);
  const Scope scope = StatementScope(varies, prng_.Range(0, 3));
  if (object.has_value && prng_.Percent(40)) {
    const std::string update = Update(scope, target, object.type);
    MarkReads(update);
    Statement(update, shift);
  } else {
    const std::string assignment = Assign(scope, target, object.type);
    MarkReads(assignment.substr(target.size()));
    Statement(assignment, shift);
  }
  if (object.has_value && prng_.Percent(25)) {
    const Scope again = StatementScope(varies, prng_.Range(0, 2));
    const std::string update = Update(again, target, object.type);
    MarkReads(update);
    Statement(update, shift);
  }
}

void StencilWriter::WriteLocalArray() {
  Local local{};
  local.name = fmt::format("t{}", next_local_++);
  local.type = prng_.Percent(10) ? ScalarType::Int : FloatType();
  std::vector<std::string> extents, indices;
  std::vector<bool> varies(world_.iterators.size(), false);
  const auto rank = static_cast<int>(world_.iterators.size());
  const int missing = rank > 1 && prng_.Percent(12) ? prng_.Below(rank) : -1;
  for (int it = 0; it < rank; ++it) {
    if (it == missing) continue;
    varies[static_cast<std::size_t>(it)] = true;
    local.dims.push_back({it, prng_.Percent(8) ? 1 : 0, 0});
    extents.push_back(Extent(world_, local.dims.back()));
    indices.push_back(world_.iterators[static_cast<std::size_t>(it)]);
  }
  declarations_.push_back(
      fmt::format("{} {}[{}];", ToString(local.type), local.name, fmt::join(extents, ",")));
  const std::string target = fmt::format("{}[{}]", local.name, fmt::join(indices, "]["));
  const Scope scope = StatementScope(varies, prng_.Range(0, 2));
  const std::string first = Assign(scope, target, local.type);
  MarkReads(first);
  Statement(first, 0);
  const int updates = prng_.Percent(25) ? prng_.Range(1, 2) : 0;
  for (int n = 0; n < updates; ++n) {
    // Without a domain of its own the update joins the accumulation group.
    const std::string update = Update(scope, target, local.type);
    MarkReads(update);
    statements_.push_back(update);
  }
  locals_.push_back(local);
}

void StencilWriter::WritePointScalar() {
  Local local{fmt::format("p{}", next_local_++), FloatType(), {}, false};
  if (prng_.Percent(15)) local.type = prng_.Percent(60) ? ScalarType::Int : ScalarType::Bool;
  const Scope scope = StatementScope(AllVary(), prng_.Range(0, 2));
  const std::string value = Value(scope, local.type, 2);
  MarkReads(value);
  if (prng_.Percent(50)) {
    statements_.push_back(fmt::format("{} {} = {};", ToString(local.type), local.name, value));
  } else {
    declarations_.push_back(fmt::format("{} {};", ToString(local.type), local.name));
    statements_.push_back(fmt::format("{} = {};", local.name, value));
  }
  locals_.push_back(local);
  if (!IsFloating(local.type) || !prng_.Percent(30)) return;
  const std::string again = Value(StatementScope(AllVary(), 1), local.type, 2);
  MarkReads(again);
  statements_.push_back(prng_.Percent(50)
                            ? fmt::format("{} += 0.3*({});", local.name, again)
                            : fmt::format("{0} = 0.4*{0} - 0.5*({1});", local.name, again));
}

void StencilWriter::WriteUniformScalar() {
  const Local local{fmt::format("c{}", next_local_++), FloatType(), {}, true};
  Scope scope = StatementScope(std::vector<bool>(world_.iterators.size(), false), 0);
  scope.arrays.clear();
  const std::string value = expressions_.Float(scope, prng_.Range(0, 2));
  MarkReads(value);
  statements_.push_back(fmt::format("{} {} = {};", ToString(local.type), local.name, value));
  locals_.push_back(local);
  if (prng_.Percent(20)) {
    statements_.push_back(fmt::format("{} = 0.5*{} + 0.1;", local.name, local.name));
  }
}

void StencilWriter::WriteProgramScalar() {
  for (Use& use : uses_) {
    const ProgramObject& object = world_.objects[use.object];
    if (!object.dims.empty() || object.constant || !IsFloating(object.type)) continue;
    if (!prng_.Percent(25)) continue;
    use.written = true;
    use.needs_value = true;
    statements_.push_back(
        fmt::format("{} = {}*{} - 0.1;", use.name, expressions_.Fraction(), use.name));
  }
}

/// A reduction of an expression that varies along all iterators, kept small.
std::string StencilWriter::Reduced(const Scope& scope, const std::string& element) {
  const std::string value = element.empty() || prng_.Percent(70)
                                ? fmt::format("{} + 0.5*({})", element.empty() ? "0.1" : element,
                                              expressions_.Float(scope, prng_.Range(0, 2)))
                                : element;
  switch (prng_.Below(scope.discontinuous ? 6 : 4)) {
    case 0:
      return fmt::format("0.0005*sum({})", value);
    case 1:
      return fmt::format("0.01*norm2({})", value);
    case 2:
      return fmt::format("max(-2.0, min(2.0, min({})))", value);
    case 3:
      return fmt::format("max(-2.0, min(2.0, max({})))", value);
    default:
      return fmt::format("({}({} > {}) ? 0.5 : -0.25)", prng_.Percent(50) ? "any" : "all", value,
                         expressions_.Fraction());
  }
}

void StencilWriter::WriteReduction() {
  std::vector<std::size_t> scalars;
  std::string element;
  for (std::size_t n = 0; n < uses_.size(); ++n) {
    const ProgramObject& object = world_.objects[uses_[n].object];
    if (object.dims.empty()) {
      if (!object.constant && IsFloating(object.type)) scalars.push_back(n);
      continue;
    }
    const bool full = object.has_value && IsFloating(object.type) &&
                      object.dims.size() == world_.iterators.size() &&
                      std::all_of(object.dims.begin(), object.dims.end(),
                                  [](const Dimension& dim) { return dim.iterator >= 0; });
    if (!full || (!element.empty() && prng_.Percent(50))) continue;
    std::vector<std::string> indices;
    for (const std::string& iterator : world_.iterators) {
      const int offset = prng_.Percent(30) ? prng_.Range(-2, 2) : 0;
      indices.push_back(offset == 0 ? iterator : fmt::format("{}{:+}", iterator, offset));
    }
    element = fmt::format("{}[{}]", uses_[n].name, fmt::join(indices, "]["));
  }
  if (scalars.empty() || element.empty() || !prng_.Percent(40)) return;
  Use& use = uses_[prng_.Pick(scalars)];
  use.written = use.reduced = true;
  Scope scope = StatementScope(AllVary(), prng_.Range(0, 2));
  // Which points a local scalar has, its own reads say: not seen here.
  std::erase_if(scope.scalars, [](const auto& scalar) { return !scalar.uniform; });
  const bool update = prng_.Percent(25);
  const std::string value =
      update              ? fmt::format("0.5*{} + {}", use.name, Reduced(scope, element))
      : prng_.Percent(30) ? fmt::format("{}({})", prng_.Percent(50) ? "sum" : "norm2", element)
                          : Reduced(scope, element);
  MarkReads(value);
  const std::string domain =
      prng_.Percent(20) ? RandomDomain(&prng_, world_, 2) + " : " : std::string();
  statements_.push_back(fmt::format("{}{} = {};", domain, use.name, value));
  // What a plain sum leaves may be large.
  statements_.push_back(fmt::format("{0} = 0.0005*{0};", use.name));
}

void StencilWriter::WritePlacement() {
  static const std::vector<std::string> kWishes = {"shmem", "gmem", "no-shmem"};
  for (const Use& use : uses_) {
    if (world_.objects[use.object].dims.empty() || !use.formal || !prng_.Percent(4)) continue;
    declarations_.push_back(fmt::format("{} {};", prng_.Pick(kWishes), use.name));
  }
}

WrittenStencil StencilWriter::Write(const std::string& name) {
  ChooseUses();
  const auto targets = static_cast<std::size_t>(
      std::count_if(uses_.begin(), uses_.end(), [](const Use& use) { return use.written; }));
  for (int n = prng_.Range(0, 3); n > 0; --n) {
    switch (prng_.Below(5)) {
      case 0:
      case 1:
        WriteLocalArray();
        break;
      case 2:
      case 3:
        WritePointScalar();
        break;
      default:
        WriteUniformScalar();
        break;
    }
  }
  WriteProgramScalar();
  WriteReduction();
  for (std::size_t n = 0; n < targets; ++n) WriteTarget(&uses_[n]);
  WritePlacement();

  WrittenStencil result;
  result.name = name;
  std::vector<std::string> formals;
  for (const Use& use : uses_) {
    if (use.formal) formals.push_back(use.inout ? fmt::format("inout:{}", use.name) : use.name);
  }
  result.uses = uses_;
  result.turns = world_.turns;
  result.shift = shift_;
  result.lines.push_back(fmt::format("{} {} ({}) {{", prng_.Percent(80) ? "stencil" : "function",
                                     name, fmt::join(formals, ", ")));
  for (const std::string& line : declarations_) result.lines.push_back("  " + line);
  for (const std::string& line : statements_) result.lines.push_back("  " + line);
  result.lines.emplace_back("}");
  return result;
}

}  // namespace stencilgen::testing
