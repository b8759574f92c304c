#include "scop/clang_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "scop/cursor.h"
#include "scop/read_region.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kClangError{"c-error", Severity::Error, "{}"};
constexpr DiagnosticKind<std::string> kUnreadable{"c-unreadable", Severity::Error,
                                                  "clang cannot read this file: {}"};
constexpr DiagnosticKind<> kOutsideFunction{"scop-outside-function", Severity::Error,
                                            "a region stands inside the body of a function"};
constexpr DiagnosticKind<> kNotWhole{
    "scop-not-whole", Severity::Error,
    "this statement begins inside of the region, but what is around it does not"};

/// True for what clang says in other words at another place, or what no region depends on.
bool IsError(CXDiagnosticSeverity severity) {
  return severity == CXDiagnostic_Error || severity == CXDiagnostic_Fatal;
}

/// The place of a diagnostic in the main file. One in a header is shown where it is included.
Span PlaceIn(CXTranslationUnit unit, CXDiagnostic diagnostic, const SourceFile& source,
             std::string& elsewhere) {
  CXSourceLocation at = clang_getDiagnosticLocation(diagnostic);
  CXFile file = nullptr;
  Span span;
  unsigned line = 0;
  clang_getExpansionLocation(at, &file, &line, nullptr, &span.begin);
  const CXFile main = clang_getFile(unit, source.name().c_str());
  if (file != nullptr && main != nullptr && clang_File_isEqual(file, main) != 0) {
    const std::string& text = source.text();
    span.end = span.begin + 1;
    while (
        span.end < text.size() &&
        (std::isalnum(static_cast<unsigned char>(text[span.end])) != 0 || text[span.end] == '_') &&
        (std::isalnum(static_cast<unsigned char>(text[span.begin])) != 0 ||
         text[span.begin] == '_')) {
      ++span.end;
    }
    return span;
  }
  if (file != nullptr) elsewhere = fmt::format("{}:{}", TakeString(clang_getFileName(file)), line);
  return {0, 0};
}

struct Inclusion {
  CXFile file;
  Span place;
};

/// `#include` lines of the main file, by what they include, directly or not.
Span PlaceOfInclude(CXTranslationUnit unit, CXDiagnostic diagnostic) {
  struct Search {
    CXFile wanted = nullptr;
    Span found;
  } search;
  clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &search.wanted, nullptr,
                             nullptr, nullptr);
  clang_getInclusions(
      unit,
      [](CXFile file, CXSourceLocation* stack, unsigned depth, CXClientData data) {
        auto& to = *static_cast<Search*>(data);
        if (depth == 0 || to.wanted == nullptr || clang_File_isEqual(file, to.wanted) == 0) return;
        clang_getExpansionLocation(stack[depth - 1], nullptr, nullptr, nullptr, &to.found.begin);
        to.found.end = to.found.begin + 1;
      },
      &search);
  return search.found;
}

void ReportDiagnostics(CXTranslationUnit unit, const SourceFile& source, DiagnosticSink& sink) {
  for (unsigned k = 0; k < clang_getNumDiagnostics(unit); ++k) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, k);
    if (IsError(clang_getDiagnosticSeverity(diagnostic))) {
      std::string elsewhere;
      Span place = PlaceIn(unit, diagnostic, source, elsewhere);
      std::string text = TakeString(clang_getDiagnosticSpelling(diagnostic));
      if (!elsewhere.empty()) {
        place = PlaceOfInclude(unit, diagnostic);
        text = fmt::format("{} says: {}", elsewhere, text);
      }
      auto report = sink.Report(place, kClangError, text);
      if (text.find("file not found") != std::string::npos) {
        report.Hint(
            "give the compiler's options after `--`: stencilgen app.c -o app.gen.cpp -- "
            "-Iinclude -DSIZE=100");
      }
    }
    clang_disposeDiagnostic(diagnostic);
  }
}

/// The statements that stand directly in the region, and what is cut by its ends.
struct Search {
  Span region;
  std::vector<CXCursor> found;
  std::vector<Span> cut;
  bool has_parent = false;
  CXCursor function = clang_getNullCursor();
};

bool Inside(Span inner, Span outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}
bool Meets(Span a, Span b) {
  return a.begin < b.end && b.begin < a.end;
}

bool IsFunction(CXCursorKind kind) {
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
         kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
         kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

void FindStatements(CXCursor cursor, CXCursor function, Search& search) {
  for (const CXCursor child : ChildrenOf(cursor)) {
    const auto place = PlaceOf(child);
    if (!place || !Meets(*place, search.region)) continue;
    const CXCursorKind kind = clang_getCursorKind(child);
    const bool statement = clang_isStatement(kind) != 0 || clang_isExpression(kind) != 0;
    if (Inside(*place, search.region)) {
      const bool in_block = clang_getCursorKind(cursor) == CXCursor_CompoundStmt;
      if (!statement || !in_block) {
        search.cut.push_back(*place);
        search.function = function;
        continue;
      }
      search.found.push_back(child);
      search.function = function;
      continue;
    }
    FindStatements(child, IsFunction(kind) ? child : function, search);
  }
}

}  // namespace

struct ClangFile::Unit {
  CXIndex index = nullptr;
  CXTranslationUnit unit = nullptr;
  ~Unit() {
    if (unit != nullptr) clang_disposeTranslationUnit(unit);
    if (index != nullptr) clang_disposeIndex(index);
  }
};

ClangFile::ClangFile(std::unique_ptr<Unit> unit) : unit_(std::move(unit)) {}
ClangFile::~ClangFile() = default;

std::unique_ptr<ClangFile> ClangFile::Parse(const SourceFile& source,
                                            const std::vector<std::string>& arguments,
                                            DiagnosticSink& sink) {
  auto unit = std::make_unique<Unit>();
  unit->index = clang_createIndex(0, 0);
  std::vector<const char*> flags;
  flags.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) flags.push_back(argument.c_str());
  // Unknown pragmas are what regions begin with; -w leaves clang's other warnings to compilers.
  flags.push_back("-w");
  CXUnsavedFile text{source.name().c_str(), source.text().c_str(), source.text().size()};
  const CXErrorCode status = clang_parseTranslationUnit2(
      unit->index, source.name().c_str(), flags.data(), static_cast<int>(flags.size()), &text, 1,
      CXTranslationUnit_None, &unit->unit);
  if (status != CXError_Success || unit->unit == nullptr) {
    sink.Report({0, 0}, kUnreadable, "it refuses the compiler's options")
        .Hint("what follows `--` are options of clang, as `-Iinclude -DSIZE=100`");
    return nullptr;
  }
  const std::size_t errors = sink.ErrorCount();
  ReportDiagnostics(unit->unit, source, sink);
  if (sink.ErrorCount() > errors) return nullptr;
  return std::unique_ptr<ClangFile>(new ClangFile(std::move(unit)));
}

std::optional<Region> ClangFile::Read(Span begin, Span end, bool& skipped, bool& complete,
                                      DiagnosticSink& sink) const {
  Search search;
  search.region = {begin.end, end.begin};
  FindStatements(clang_getTranslationUnitCursor(unit_->unit), clang_getNullCursor(), search);
  skipped = search.found.empty() && search.cut.empty();
  if (skipped) return std::nullopt;
  for (const Span cut : search.cut) {
    if (search.found.empty() && clang_Cursor_isNull(search.function) != 0) {
      sink.Report(cut, kOutsideFunction).Hint("put the directives around loops in a function");
    } else {
      sink.Report(cut, kNotWhole).Note(begin, "the region begins here");
    }
    return std::nullopt;
  }
  return ReadRegion(search.found, search.function, {begin.begin, end.end}, begin, complete, sink);
}

std::vector<std::string> ClangFile::Includes() const {
  std::vector<std::string> files;
  clang_getInclusions(
      unit_->unit,
      [](CXFile file, CXSourceLocation*, unsigned depth, CXClientData data) {
        if (depth > 0) {
          static_cast<std::vector<std::string>*>(data)->push_back(
              TakeString(clang_getFileName(file)));
        }
      },
      &files);
  return files;
}

}  // namespace stencilgen::scop
