// Regions that no array assignments can mean, and files that are wrong, draw messages that say
// where and why.
#include <filesystem>
#include <string>

#include "embedded_build.h"

using namespace stencilgen::test;

namespace {

/// What is said about a region in a function with some variables.
std::string Said(const std::string& region, int status = 1) {
  const Workplace work;
  work.Write("app.c",
             "double u[100][100], v[100][100], a[100], b[100], s;\n"
             "int index_of[100], flag;\n"
             "long wide; unsigned short letters[100]; unsigned tallies[100]; volatile double now; "
             "double parts[2][100];\n"
             "double five[9][9][9][9][9]; struct Point { double x; } points[100];\n"
             "double unknown(double);\n"
             "void run(int n, int m, double *p, double *q, double **rows, double c) {\n"
             "#pragma scop\n" +
                 region + "\n#pragma endscop\n}\n");
  const CliResult result = work.Run("app.c --emit idsl");
  CHECK(result.status == status);
  return result.err;
}

/// The first message without its place.
std::string First(const std::string& text) {
  const std::size_t at = text.find("error: ");
  if (at == std::string::npos) return text;
  return text.substr(at + 7, text.find('\n', at) - at - 7);
}

}  // namespace

TEST_CASE("dependences that no order of array assignments keeps are named by both accesses") {
  const std::string seidel = Said(
      "for (int i = 1; i < 99; i++)\n"
      "  for (int j = 1; j < 99; j++)\n"
      "    u[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);");
  CHECK(
      Contains(seidel,
               "app.c:10:23: error: `u[i-1][j]`, which has been written as `u[i][j]`, is read one "
               "iteration of `i` later [scop-dependence]"));
  CHECK(Contains(seidel, "app.c:10:5: note: written here"));
  CHECK(Contains(seidel, "app.c:8:1: note: the loop that is in the way"));
  CHECK(
      Contains(seidel,
               "app.c:10:47: error: `u[i][j-1]`, which has been written as `u[i][j]`, is read one "
               "iteration of `j` later [scop-dependence]"));
  CHECK_FALSE(Contains(seidel, "u[i+1][j]`, which"));
  CHECK(Contains(seidel, "hint: an array assignment computes all points at once"));

  CHECK(First(Said("for (int i = 3; i < n; i++) a[i] = a[i-3] + b[i];")) ==
        "`a[i-3]`, which has been written as `a[i]`, is read 3 iterations of `i` later "
        "[scop-dependence]");
  CHECK(First(Said("for (int i = 0; i < n; i++) a[i / 2] = b[i];")) ==
        "`a` is read at places that are no shift of the point that is computed [c-index]");
  CHECK(First(Said("double t = 0; for (int i = 0; i < n; i++) { t = t * c + a[i]; b[i] = t; }")) ==
        "`t`, which has been written as `t`, is read one iteration of `i` later [scop-dependence]");
}

TEST_CASE("what has no counterpart is refused, all of it in one run") {
  const std::string all = Said(
      "for (int i = 0; i < n; i++) {\n"
      "  if (a[i] < 0) break;\n"
      "  b[i] = unknown(a[i]);\n"
      "  a[index_of[i]] = 0;\n"
      "  rows[i][0] = 1;\n"
      "}");
  for (const char* id : {"c-statement", "c-call", "c-rows"}) CHECK(Contains(all, id));
  struct Case {
    const char* region;
    const char* message;
  };
  const Case cases[] = {
      {"for (int i = 0; i < n; i++) a[index_of[i]] = 0;",
       "this subscript is not a sum of loops' counters and sizes, each times a number "
       "[c-not-affine]"},
      {"for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i] += b[i + k];",
       "this subscript adds `k`, which counts a loop around the points, to a counter of the points "
       "[c-two-counters]"},
      {"while (flag) a[0] = 1;",
       "a region has no counterpart for a loop that is not `for` "
       "[c-statement]"},
      {"for (int i = 0; i < n; i *= 2) a[i] = 0;", "the step of this loop is no constant [c-loop]"},
      {"for (int i = 0; i < n; i--) a[i] = 0;", "this loop counts away from its bound [c-loop]"},
      {"for (int i = 0; a[i] < 1; i++) b[i] = 0;",
       "the condition of this loop does not compare its counter with a bound [c-loop]"},
      {"for (;;) a[0] = 0;", "this loop lacks a first value, a bound or a step [c-loop]"},
      {"for (int i = 0; i < n; i++) { a[i] = 0; i += 1; }",
       "`i` counts a loop, and is changed inside of it [c-iterator-assigned]"},
      {"for (int i = 0; i < n; i++) a[i] = 1 + (b[i] = 2);",
       "an assignment inside of an expression [c-side-effect]"},
      {"p = q;", "a region has no counterpart for a pointer that changes [c-statement]"},
      {"return;", "a region has no counterpart for `return` [c-statement]"},
      {"", ""},
      {"for (double x = 0; x < 1; x += 1) a[0] = x;",
       "`x` counts a loop, but is no integer [c-loop]"},
      {"for (int i = 0; i < n; i++) a[i] = unknown(b[i]);",
       "`unknown` is called, and what it does is not known here [c-call]"},
      {"static double w[10]; for (int i = 0; i < 10; i++) w[i] = 0;",
       "a region has no counterpart for an array that keeps its values [c-statement]"},
      {"for (int i = 0; i < n; i++) a[i] = index_of[i] << m;",
       "a region has no counterpart for the operator `<<` [c-expression]"},
      {"for (int i = 0; i < n; i++) undeclared[i] = 0;",
       "use of undeclared identifier 'undeclared' [c-error]"},
      {"for (int i = 0; i < n; i++) a[i] = 1", "expected ';' after expression [c-error]"},
      {"switch (n) { case 1: a[0] = 1; }",
       "a region has no counterpart for `switch` "
       "[c-statement]"},
      {"for (int i = 0; i < n; i++) a[200] = 1;", ""},
      {"for (int i = 0; i < 10; i++) a[i + 200] = 1;",
       "this reaches outside of `a` where the loops go so far [c-outside]"},
      {"for (int i = 0; i < n && i < m; i++) p[i] = 0;",
       "how many elements `p` has is not known: they end where one of several sizes is reached "
       "[c-extent]"},
      {"for (int i = 0; i < n; i += 2) p[i] = 0;",
       "how many elements `p` has is not known [c-extent]"},
      {"for (int i = 0; i < n; i++) points[i].x = 0;", "`x` is no variable [c-name]"},
      {"for (int i = 0; i < n; i++) for (int j = 0; j < i / 2; j++) s += u[i][j];",
       "the bounds of these loops are no sums of sizes [c-no-box]"},
      {"for (int t = 0; t < n; t++) { double *k = p; p = q; q = k;\n"
       "for (int i = 1; i < 99; i++) q[i] = p[i-1]; }",
       "pointers are exchanged at the end of a loop, after all else [c-swap]"},
      {"for (int t = 0; t < n && t < m; t++) for (int i = 0; i < 9; i++) a[i] = 2 * a[i];",
       "how often this loop runs is no sum of sizes [c-turns]"},
      {"for (int i = 0; i < 9; i++) tallies[i] = 0;",
       "`tallies` has the type `unsigned int`, which stencil programs have not [c-type]"},
      {"for (int i = 0; i < 9; i++) letters[i] <<= n;",
       "a region has no counterpart for the operator `<<=` [c-statement]"},
      {"for (int i = 0; i < 9; i++) a[i] = now;",
       "`now` is volatile: each access to it counts [c-volatile]"},
      {";", "this region assigns nothing [scop-empty]"},
      {"for (int i = 0; i < 9; i++) rows[i][0] = 0;",
       "`rows` is an array of pointers: its rows may lie anywhere [c-rows]"},
      {"for (int i = 0; i < 9; i++) (flag ? p : q)[i] = 0;",
       "this is no element of an array that the region names [c-place]"},
      {"for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) for (int k = 0; k < 9; k++)\n"
       "for (int l = 0; l < 9; l++) for (int h = 0; h < 9; h++) five[i][j][k][l][h] = 0;",
       "`five` has 5 dimensions: stencil programs have at most 4, three of which points run along "
       "[c-rank]"},
      {"for (int t = 0; t < n; t++) for (int i = 1; i < 99; i++)\n"
       "parts[(t + 1) % 2][i] = parts[t % 2][i-1];\n"
       "for (int i = 1; i < 99; i++) parts[0][i] = 0;",
       "`parts` is named by the turn of a loop here, and in another way in other places [c-parts]"},
      {"for (int i = 1; i < 99; i++) u[i][i] = u[i-1][i-1];",
       "`u[i-1][i-1]`, which has been written as `u[i][i]`, is read one iteration of `i` later "
       "[scop-dependence]"},
      {"for (int i = 98; i >= 0; i--) {\n"
       "double t = a[i] > 0 ? 1 : a[i]; for (int j = 0; j < 99; j++) u[i][j] = t; }",
       "`t` gets its value in other loops than those that read it [c-scalar-across]"},
      {"for (int i = 0; i < 9; i++) s = a[i]; s = s + 1;",
       "the region leaves a value in `s` that is used after it [c-value-after]"},
      {"for (int i = 0; i < 9; i++) a[i] = a[i] * (wide + 1);",
       "this is computed in an integer type other than `int`, which stencil programs have not "
       "[c-wide-integer]"},
      {"for (int i = 0; i < 9; i++) if (a[i] > 0) {\n"
       "for (int j = 0; j < 9; j++) u[i][j] = 0; a[i] = 0; b[i] = 1; }",
       "what this condition depends on changes below it [c-condition-changes]"},
      {"unknown(1);", "`unknown` is called, and what it does is not known here [c-call]"},
      {"n;", "a region has no counterpart for this statement [c-statement]"},
  };
  for (const Case& wrong : cases) {
    if (*wrong.message == '\0') continue;
    INFO(wrong.region);
    CHECK(First(Said(wrong.region)) == wrong.message);
  }
}

TEST_CASE("directives that do not match are reported") {
  const auto said = [](const std::string& text) {
    const Workplace work;
    work.Write("app.c", text);
    return First(work.Run("app.c -o app.gen.cpp").err);
  };
  CHECK(said("void f(void) {\n#pragma scop\n}\n") ==
        "this region has no `#pragma endscop` [missing-endscop]");
  CHECK(said("void f(void) {\n#pragma endscop\n}\n") ==
        "no `#pragma scop` stands before this `endscop` [missing-scop]");
  CHECK(said("void f(void) {\n#pragma scop\n#pragma scop\n;\n#pragma endscop\n}\n") ==
        "a region begins inside of another one [nested-scop]");
  CHECK(said("double a[9];\n#pragma scop\nint x;\n#pragma endscop\n") ==
        "a region stands inside the body of a function [scop-outside-function]");
  CHECK(said("double a[9];\nvoid f(int n) {\n#pragma scop\nfor (int i = 0; i < n; i++) {\n"
             "#pragma endscop\na[i] = 0;\n}\n}\n") ==
        "this statement begins inside of the region, but what is around it does not "
        "[scop-not-whole]");
}

TEST_CASE("arguments that no region follows are lost with a warning") {
  const Workplace work;
  work.Write("app.c", "#pragma stencilgen block:32,8\nint x;\n");
  const CliResult result = work.Run("app.c -o app.gen.cpp");
  CHECK(result.status == 0);
  CHECK(Contains(result.err,
                 "no `#pragma scop` follows, so these arguments do nothing "
                 "[lost-arguments]"));
}

TEST_CASE("a counter that is used after its region is refused") {
  const Workplace work;
  work.Write("app.c",
             "double a[9];\nint f(void) {\n  int i;\n#pragma scop\n"
             "  for (i = 0; i < 9; i++) a[i] = 0;\n#pragma endscop\n  return i;\n}\n");
  const CliResult result = work.Run("app.c -o app.gen.cpp");
  CHECK(result.status == 1);
  CHECK(Contains(result.err,
                 "app.c:7:10: error: the region leaves a value in `i` that is used "
                 "after it [c-value-after]"));
}

TEST_CASE("options that clang does not know are its error") {
  const Workplace work;
  work.Write("app.c", "void f(void) {\n#pragma scop\n#pragma endscop\n}\n");
  const CliResult result = work.Run("app.c -o app.gen.cpp -- -x nonsense");
  CHECK(result.status == 1);
  CHECK((Contains(result.err, "[c-unreadable]") || Contains(result.err, "[c-error]")));
}

TEST_CASE("a file whose regions the compiler skips is copied") {
  const Workplace work;
  const std::string text =
      "#ifdef NEVER\n#pragma scop\nfor (;;) oops\n#pragma endscop\n#endif\nint x;\n";
  work.Write("app.c", text);
  const CliResult result = work.Run("app.c -o app.gen.cpp");
  CHECK(result.status == 0);
  CHECK(work.Read("app.gen.cpp") == text);
}

TEST_CASE("names of a `#pragma dsl` block are not bound in C") {
  const Workplace work;
  work.Write("dsl.c", "#pragma dsl begin\n#pragma dsl end\n");
  const CliResult dsl = work.Run("dsl.c -o dsl.gen.c");
  CHECK(dsl.status == 1);
  CHECK(Contains(dsl.err,
                 "dsl.c:1:1: error: a `#pragma dsl` block binds its names by C++, but `dsl.gen.c` "
                 "is to be C [program-in-c]"));
  CHECK(!std::filesystem::exists(work.Path("dsl.gen.c")));
}

TEST_CASE("regions that stay C run on one machine") {
  const Workplace work;
  work.Write("app.c",
             "void blur(int n, double *restrict v, const double *restrict u) {\n"
             "#pragma scop\n"
             "  for (int i = 1; i < n - 1; i++) v[i] = 0.5*(u[i-1] + u[i+1]);\n"
             "#pragma endscop\n}\n");
  const CliResult result = work.Run("app.c --mpi --target cpp -o app.gen.c");
  CHECK(result.status == 1);
  CHECK(Contains(result.err,
                 "app.c:2:1: error: code for ranks of MPI is C++, and `app.gen.c` will be compiled "
                 "as C [mpi-of-c]"));
}

TEST_CASE("regions keep the types of the file's variables") {
  const Workplace work;
  work.Write("app.c",
             "double u[100];\n"
             "void halve(void) {\n"
             "#pragma scop\n"
             "  for (int i = 0; i < 100; i++) u[i] = 0.5*u[i];\n"
             "#pragma endscop\n}\n");
  for (const std::string output : {"app.gen.c", "app.gen.cpp"}) {
    const CliResult result = work.Run("app.c --precision u=half -o " + output);
    CHECK(result.status == 2);
    CHECK(First(result.err) == "--precision: regions of C have the types of the file's variables");
    CHECK_FALSE(std::filesystem::exists(work.Path(output)));
  }
}
