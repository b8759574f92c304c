#include "frontend/common_mistakes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "IdslParser.h"
#include "frontend/build_ast.h"

namespace stencilgen::frontend {
namespace {

using idsl_grammar::IdslParser;

struct ForeignWord {
  std::string_view word;
  std::string_view hint;
};

constexpr std::string_view kLoopHint =
    "a statement runs over its whole domain by itself, and 'iterate 100 { ... }' repeats calls";
constexpr std::string_view kTypeHint =
    "the types are double, float, int, bool and complex; arrays may also be half, bfloat16, int8, "
    "uint8, int16 and uint16";

constexpr ForeignWord kForeignWords[] = {
    {"for", kLoopHint},
    {"while", kLoopHint},
    {"do", kLoopHint},
    {"if", "a value is chosen with 'condition ? a : b', a region with a domain '[lo:hi][lo:hi] :'"},
    {"else", "a value is chosen with 'condition ? a : b'"},
    {"return", "a stencil gives its results by assigning to its formals"},
    {"void", "a stencil is written 'stencil name (A, B) { ... }'"},
    {"const", "a constant scalar is written 'double c = 0.2;' inside a stencil"},
    {"real", kTypeHint},
    {"long", kTypeHint},
    {"short", kTypeHint},
    {"char", kTypeHint},
    {"unsigned", kTypeHint},
    {"size_t", kTypeHint},
    {"integer", kTypeHint},
    {"logical", kTypeHint},
};

/// Words that may start an item at program level, and in a body.
const std::vector<std::string> kProgramWords = {
    "parameter", "iterator", "double",   "float",       "int",    "bool",    "copyin",   "copyout",
    "allocin",   "constant", "boundary", "coefficient", "unroll", "stencil", "function", "iterate",
    "swap",      "half",     "bfloat16", "int8",        "uint8",  "int16",   "uint16",   "complex"};
const std::vector<std::string> kBodyWords = {"double", "float",    "int",    "bool",   "shmem",
                                             "gmem",   "no-shmem", "unroll", "half",   "bfloat16",
                                             "int8",   "uint8",    "int16",  "uint16", "complex"};

bool IsItemRule(std::size_t rule) {
  return rule == IdslParser::RuleItem || rule == IdslParser::RuleStencilItem ||
         rule == IdslParser::RuleCallItem;
}

bool InRule(const SyntaxProblem& problem, std::size_t rule) {
  return std::any_of(problem.rules.begin(), problem.rules.end(),
                     [&](const SyntaxProblem::Rule& r) { return r.rule == rule; });
}

/// The word that starts the item in error is none of the language.
std::optional<Mistake> WrongFirstWord(const SyntaxProblem& problem, const TokenView& view) {
  const auto item = std::find_if(problem.rules.begin(), problem.rules.end(),
                                 [](const SyntaxProblem::Rule& r) { return IsItemRule(r.rule); });
  if (item == problem.rules.end() || view.Type(item->start) != IdslParser::ID) return std::nullopt;
  const std::string word = view.Text(item->start);
  for (const ForeignWord& foreign : kForeignWords) {
    if (word != foreign.word) continue;
    return Mistake{view.SpanAt(item->start), fmt::format("'{}' is not part of the language", word),
                   std::string(foreign.hint),
                   foreign.hint == kTypeHint ? Repair::Skip : Repair::SkipBlock};
  }
  const std::size_t next = view.Type(item->start + 1);
  const bool like_keyword =
      view.found() == item->start + 1 && (next == IdslParser::ID || next == IdslParser::INTEGER ||
                                          next == IdslParser::LBRACE || IsReserved(next));
  if (!like_keyword || view.StartsLine()) return std::nullopt;
  const bool in_body = InRule(problem, IdslParser::RuleStencil);
  const std::string nearest = NearestName(word, in_body ? kBodyWords : kProgramWords);
  return Mistake{view.SpanAt(item->start),
                 fmt::format("'{}' starts neither a {} nor a {}", word,
                             in_body ? "declaration" : "section", in_body ? "statement" : "call"),
                 nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest)};
}

/// Operators of other languages.
std::optional<Mistake> WrongOperator(const SyntaxProblem& problem, const TokenView& view) {
  const std::size_t found = view.found();
  if (found == 0) return std::nullopt;
  const std::size_t rule = problem.rules.front().rule;
  const std::size_t type = view.Type();
  const std::size_t previous = view.Type(found - 1);
  const Span both = Cover(view.SpanAt(found - 1), view.SpanAt(found));
  if (type == IdslParser::STAR && previous == IdslParser::STAR && view.TouchesPrevious(found)) {
    return Mistake{both, "there is no operator '**'", "write 'a^b' or 'pow(a, b)' for a power"};
  }
  const bool shifts = (type == IdslParser::LESS && previous == IdslParser::LESS) ||
                      (type == IdslParser::GREATER && previous == IdslParser::GREATER);
  if (shifts && view.TouchesPrevious(found)) {
    return Mistake{both, fmt::format("there is no operator '{0}{0}'", view.Text(found)), ""};
  }
  if (rule == IdslParser::RuleAction && type == IdslParser::EQUAL) {
    return Mistake{view.SpanAt(found), "'==' compares and does not assign", "write '=' to assign"};
  }
  const std::size_t next = view.Type(found + 1);
  const bool steps = (type == IdslParser::PLUS || type == IdslParser::MINUS) && next == type;
  if (rule == IdslParser::RuleAction && steps) {
    return Mistake{Cover(view.SpanAt(found), view.SpanAt(found + 1)),
                   fmt::format("there is no operator '{0}{0}'", view.Text(found)),
                   fmt::format("write '{}= 1'", view.Text(found))};
  }
  const bool updates = next == IdslParser::ASSIGN && view.TouchesPrevious(found + 1);
  if (rule == IdslParser::RuleAction && updates) {
    return Mistake{Cover(view.SpanAt(found), view.SpanAt(found + 1)),
                   fmt::format("there is no operator '{}='", view.Text(found)),
                   "the assignments are = += -= *= /= &= |="};
  }
  return std::nullopt;
}

std::optional<Mistake> WrongAssignment(const SyntaxProblem& problem, const TokenView& view) {
  const std::size_t type = view.Type();
  const std::size_t rule = problem.rules.front().rule;
  const bool assigns = type >= IdslParser::ASSIGN && type <= IdslParser::OR_ASSIGN;
  if (!assigns || view.found() == 0) return std::nullopt;
  const bool after_call =
      rule == IdslParser::RuleStatement && view.Type(view.found() - 1) == IdslParser::RPAREN;
  const std::size_t assigned = view.FindAfter(problem.rules.front().start, IdslParser::ASSIGN);
  if (after_call && assigned == Scanner::kNone) {
    return Mistake{view.SpanAt(view.found()), "only a name or an array element can be assigned",
                   "indices are written in brackets: A[j][i]"};
  }
  const bool in_value = rule == IdslParser::RuleStatement || rule == IdslParser::RulePrimary ||
                        rule == IdslParser::RuleArguments;
  if (!in_value) return std::nullopt;
  return Mistake{view.SpanAt(view.found()),
                 fmt::format("{} cannot stand inside an expression", view.Describe()),
                 type == IdslParser::ASSIGN ? "'==' compares; a chain of assignments is written "
                                              "as several statements"
                                            : ""};
}

std::optional<Mistake> Misplaced(const SyntaxProblem& problem, const TokenView& view) {
  const std::size_t type = view.Type();
  const std::size_t rule = problem.rules.front().rule;
  const Span span = view.SpanAt(view.found());
  if (type == IdslParser::UNKNOWN) {
    return Mistake{span, fmt::format("{} has no meaning here", view.Describe()), ""};
  }
  const bool is_type = type >= IdslParser::KW_DOUBLE && type <= IdslParser::KW_BOOL;
  if (is_type && (rule == IdslParser::RuleStencil || rule == IdslParser::RuleFormal) &&
      !problem.expected->contains(static_cast<std::size_t>(IdslParser::RBRACE))) {
    return Mistake{span, "a formal is only a name", "its type and shape come from the actual"};
  }
  const bool at_items = problem.expected->contains(static_cast<std::size_t>(IdslParser::SEMI)) &&
                        problem.expected->contains(static_cast<std::size_t>(IdslParser::LBRACKET));
  if (rule == IdslParser::RuleProgram && type == IdslParser::RBRACE) {
    return Mistake{span, "this '}' closes nothing", ""};
  }
  if (at_items && rule == IdslParser::RuleProgram && type >= IdslParser::KW_SHMEM &&
      type <= IdslParser::KW_NO_SHMEM) {
    return Mistake{
        span, fmt::format("'{}' belongs in the body of a stencil", view.Text(view.found())), ""};
  }
  if (at_items && rule != IdslParser::RuleProgram && IsReserved(type)) {
    const bool definition = type == IdslParser::KW_STENCIL || type == IdslParser::KW_FUNCTION;
    const bool in_stencil = rule == IdslParser::RuleStencil;
    return Mistake{span,
                   definition ? "a stencil cannot be defined inside another block"
                              : fmt::format("'{}' cannot stand inside {}", view.Text(view.found()),
                                            in_stencil ? "a stencil" : "'iterate'"),
                   type == IdslParser::KW_ITERATE ? "repeat the call of the stencil instead"
                                                  : "move it out of the braces"};
  }
  return std::nullopt;
}

/// Between `iterate` and the brace of a loop.
std::optional<Mistake> WrongLoopHead(const SyntaxProblem& problem, const TokenView& view) {
  const bool wants_brace = problem.expected->contains(static_cast<std::size_t>(IdslParser::LBRACE));
  const auto loop =
      std::find_if(problem.rules.begin(), problem.rules.end(),
                   [](const SyntaxProblem::Rule& r) { return r.rule == IdslParser::RuleCallItem; });
  if (!wants_brace || loop == problem.rules.end() ||
      view.Type(loop->start) != IdslParser::KW_ITERATE) {
    return std::nullopt;
  }
  constexpr std::string_view kHead = "'iterate T until residual < 1e-6 every 10 { ... }'";
  const Span span = view.SpanAt(view.found());
  const std::string hint = fmt::format("a loop that ends by a condition: {}", kHead);
  if (view.found() == loop->start + 2 && view.Type(loop->start + 1) == IdslParser::KW_UNTIL) {
    return Mistake{view.SpanAt(loop->start + 1), "the most turns of the loop are missing", hint};
  }
  if (view.Type() == IdslParser::KW_EVERY) {
    return Mistake{span, "'every' needs a condition before it", hint};
  }
  if (view.Type() == IdslParser::KW_UNTIL) {
    return Mistake{span, "a loop ends by one condition", "conditions are joined by '&&' and '||'"};
  }
  if (view.Text(view.found()) == "while") {
    return Mistake{span, "there are no 'while' loops", hint};
  }
  if (view.Type() != IdslParser::ASSIGN) return std::nullopt;
  if (view.found() == loop->start + 2) {
    return Mistake{span, "the name of the turn is followed by ':'",
                   fmt::format("'iterate {} : 100 {{ ... }}'", view.Text(loop->start + 1))};
  }
  return Mistake{span, "'=' cannot stand inside an expression", "'==' compares"};
}

bool IsType(std::size_t token_type) {
  return token_type == IdslParser::KW_DOUBLE || token_type == IdslParser::KW_FLOAT ||
         token_type == IdslParser::KW_INT || token_type == IdslParser::KW_BOOL ||
         token_type == IdslParser::KW_NARROW;
}

/// A keyword in the place of a name.
std::optional<Mistake> KeywordAsName(const SyntaxProblem& problem, const TokenView& view) {
  const bool wants_name = problem.expected->contains(static_cast<std::size_t>(IdslParser::ID)) ||
                          problem.expected->isEmpty();
  if (!wants_name || !IsReserved(view.Type()) || view.StartsLine()) return std::nullopt;
  const std::string word(view.Text(view.found()));
  const bool in_expression =
      problem.expected->contains(static_cast<std::size_t>(IdslParser::LPAREN));
  if (in_expression && IsType(view.Type())) {
    return Mistake{view.SpanAt(view.found()),
                   fmt::format("'{}' is a type; there are no casts", word),
                   fmt::format("a local converts what it gets: `{} x = ...;`", word)};
  }
  return Mistake{view.SpanAt(view.found()),
                 fmt::format("'{}' is a keyword and cannot be a name", word),
                 "choose another name"};
}

}  // namespace

bool IsReserved(std::size_t token_type) {
  // `until` and `every` come after `swap`: they are words of loops, and names elsewhere.
  return token_type >= IdslParser::KW_PARAMETER && token_type <= IdslParser::KW_SWAP &&
         token_type != IdslParser::KW_BOUNDARY && token_type != IdslParser::KW_SWAP &&
         token_type != IdslParser::KW_UNROLL;
}

std::optional<Mistake> FindMistake(const SyntaxProblem& problem, const TokenView& view) {
  using Finder = std::optional<Mistake> (*)(const SyntaxProblem&, const TokenView&);
  constexpr std::array<Finder, 6> kFinders = {Misplaced,       WrongFirstWord, WrongOperator,
                                              WrongAssignment, WrongLoopHead,  KeywordAsName};
  for (const Finder find : kFinders) {
    if (std::optional<Mistake> mistake = find(problem, view)) return mistake;
  }
  return std::nullopt;
}

}  // namespace stencilgen::frontend
