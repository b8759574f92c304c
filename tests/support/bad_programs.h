#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/idsl_files.h"

/// Broken programs for everything that reads programs: each must be refused with a located error.
namespace stencilgen::testing {

struct BadProgram {
  std::string name;
  std::string text;
  bool syntax = true;  ///< the parser alone must refuse it; otherwise semantic analysis must
};

/// The text with its comments blanked, so that every character left matters.
inline std::string WithoutComments(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const bool line = text.compare(at, 2, "//") == 0;
    if (!line && text.compare(at, 2, "/*") != 0) continue;
    const std::size_t end = line ? text.find_first_of("\r\n", at) : text.find("*/", at + 2) + 2;
    for (; at < std::min(end, text.size()); ++at) text[at] = ' ';
  }
  return text;
}

/// Cuts of a good program inside one of its stencils, and the program without one of its brackets:
/// broken for certain, since brackets no longer match.
inline void AppendDamaged(const IdslText& good, std::vector<BadProgram>& bad) {
  const std::string text = WithoutComments(good.text);
  std::vector<std::size_t> brackets;
  std::vector<std::size_t> inside_braces;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::string_view("()[]{}").find(text[at]) != std::string_view::npos) brackets.push_back(at);
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    if (depth > 0) inside_braces.push_back(at + 1);
  }
  constexpr std::size_t kOfEach = 8;
  for (std::size_t i = 0; i < kOfEach; ++i) {
    const std::size_t cut = inside_braces[inside_braces.size() * i / kOfEach];
    bad.push_back({good.name + " cut at byte " + std::to_string(cut), text.substr(0, cut)});
    const std::size_t bracket = brackets[brackets.size() * i / kOfEach];
    std::string without = text;
    without.erase(bracket, 1);
    bad.push_back({good.name + " without byte " + std::to_string(bracket), std::move(without)});
  }
}

inline std::string Repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result.append(text);
  return result;
}

/// Absurd sizes: deep nesting, long chains, a megabyte of this and that.
inline void AppendAbsurd(std::vector<BadProgram>& bad) {
  const std::string head = "parameter N=8; iterator i; double a[N]; stencil s (A) { A[i] = ";
  const std::string tail = "; } s (a); copyout a;";
  constexpr std::size_t kDeep = 10000;
  constexpr std::size_t kLong = 100000;
  constexpr std::size_t kMegabyte = 1000000;
  const auto value = [&](std::string_view name, const std::string& text) {
    bad.push_back({std::string(name), head + text + tail});
  };
  value("deep parentheses", Repeated("(", kDeep) + "1" + Repeated(")", kDeep));
  value("deep calls", Repeated("abs(", kDeep) + "1" + Repeated(")", kDeep));
  value("deep subscripts", Repeated("A[", kDeep) + "i" + Repeated("]", kDeep));
  value("deep conditionals", Repeated("i ? ", kDeep) + "1" + Repeated(" : 2", kDeep));
  value("open parentheses", Repeated("(", kMegabyte));
  value("long sum", Repeated("1+", kLong) + "1");
  value("long power", Repeated("2^", kLong) + "1");
  value("long signs", Repeated("-", kLong) + "1");
  value("long conditional", Repeated("i ? 1 : ", kLong) + "1");
  value("long number", Repeated("9", kMegabyte));
  value("long float", Repeated("9", kMegabyte) + ".0");
  bad.push_back({"deep iterate", "iterator i; " + Repeated("iterate 2 { ", kDeep)});
  bad.push_back({"deep braces", Repeated("{", kMegabyte)});
  bad.push_back({"closing braces", Repeated("}", kMegabyte)});
  bad.push_back({"long name", Repeated("a", kMegabyte)});
  bad.push_back({"semicolons", Repeated(";", kMegabyte), false});
  bad.push_back({"names", Repeated("a ", kMegabyte / 2)});
  bad.push_back({"zeros", std::string(kMegabyte, '\0')});
  bad.push_back({"bytes above 127", std::string(kMegabyte, '\xC3')});
  bad.push_back({"open comment", "/*" + std::string(kMegabyte, '*')});
  bad.push_back({"error after many lines", std::string(kMegabyte, '\n') + "stencil"});
}

/// The files of tests/bad (by their names, `syntax_` or `sema_`), damaged good programs, and absurd
/// ones: more than 250.
inline std::vector<BadProgram> BadPrograms() {
  std::vector<BadProgram> bad;
  for (IdslText& file : IdslFilesIn("tests/bad")) {
    const bool syntax = file.name.rfind("syntax_", 0) == 0;
    bad.push_back({std::move(file.name), std::move(file.text), syntax});
  }
  for (const IdslText& good : GoodPrograms()) AppendDamaged(good, bad);
  AppendAbsurd(bad);
  return bad;
}

}  // namespace stencilgen::testing
