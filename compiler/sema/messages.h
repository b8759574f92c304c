#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "support/diagnostics.h"

/// The diagnostics that several parts of semantic analysis report. One that a single file reports
/// is declared there.
namespace stencilgen::sema {

// --- names ---

inline constexpr DiagnosticKind<std::string_view> kUndeclared{"undeclared-name", Severity::Error,
                                                              "'{}' is not declared"};
inline constexpr DiagnosticKind<std::string_view> kRedeclared{"redeclaration", Severity::Error,
                                                              "'{}' is already declared"};
inline constexpr DiagnosticKind<std::string_view> kInitializer{
    "initializer", Severity::Error, "'{}' cannot have an initial value here"};
inline constexpr DiagnosticKind<std::string_view> kUndefinedStencil{
    "undefined-stencil", Severity::Error, "there is no stencil '{}'"};
inline constexpr DiagnosticKind<std::string_view, std::string, std::size_t> kArgumentCount{
    "wrong-argument-count", Severity::Error, "stencil '{}' takes {}, {} given"};
inline constexpr DiagnosticKind<std::string_view, std::string_view> kSwapShape{
    "bad-swap", Severity::Error, "'{}' and '{}' differ in type or shape, they cannot be swapped"};
inline constexpr DiagnosticKind<std::string_view, std::string, std::size_t> kArity{
    "wrong-arity", Severity::Error, "'{}' takes {}, {} given"};

// --- indices ---

inline constexpr DiagnosticKind<std::string_view, std::string> kNeedsIndex{
    "missing-index", Severity::Error, "array '{}' needs {} here"};
inline constexpr DiagnosticKind<std::string_view> kNotIndexed{
    "wrong-rank", Severity::Error, "'{}' is not an array, it takes no index"};
inline constexpr DiagnosticKind<std::string_view, std::string, std::string> kWrongRank{
    "wrong-rank", Severity::Error, "array '{}' has {}, {} given"};
inline constexpr DiagnosticKind<std::string_view, std::int64_t> kIndexOutside{
    "index-outside", Severity::Error, "this index lies outside dimension {1} of '{0}'"};
inline constexpr DiagnosticKind<std::string_view, std::string_view> kMissingIterator{
    "missing-iterator", Severity::Error,
    "'{}' is not indexed by '{}', along which the right side varies"};

// --- numbers ---

inline constexpr DiagnosticKind<> kLiteralOverflow{"literal-overflow", Severity::Error,
                                                   "this integer does not fit in an int"};

}  // namespace stencilgen::sema
