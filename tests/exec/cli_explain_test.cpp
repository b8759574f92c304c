#include <string>

#include <nlohmann/json.hpp>

#include "cli.h"

using namespace stencilgen;
using namespace stencilgen::test;
using nlohmann::json;

namespace {

/// The report that is in a page.
json ReportIn(const std::string& page) {
  const std::string begin = R"(<script id="report" type="application/json">)";
  const std::size_t first = page.find(begin);
  REQUIRE(first != std::string::npos);
  const std::size_t from = first + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace

TEST_CASE("explain gives text, an object, or a page with the same object") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  for (const std::string target : {"", " --target cpp"}) {
    const std::string command = "explain smooth.idsl -D M=200,N=300" + target;
    const CliResult text = work.Run(command);
    CHECK(text.status == 0);
    CHECK(Contains(text.out, " computes smooth"));
    const CliResult object = work.Run(command + " --json");
    REQUIRE(object.status == 0);
    const json report = json::parse(object.out);
    CHECK(report["name"] == "smooth");
    CHECK(report["source"] == kSmooth);
    const CliResult page = work.Run(command + " --page plan.html");
    CHECK(page.status == 0);
    CHECK(page.out == "wrote plan.html\n");
    CHECK(ReportIn(work.Read("plan.html")) == report);
    // Both at once, and the page alone on standard output.
    const CliResult both = work.Run(command + " --page=both.html --json");
    CHECK(json::parse(both.out) == report);
    CHECK(ReportIn(work.Read("both.html")) == report);
    CHECK(ReportIn(work.Run(command + " --page -").out) == report);
  }
}

TEST_CASE("a page that cannot be written leaves nothing behind") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult nowhere = work.Run("explain smooth.idsl --page no/such/plan.html --json");
  CHECK(nowhere.status == 1);
  CHECK(Contains(nowhere.err, "cannot write `no/such/plan.html`: No such file or directory"));
  CHECK(nowhere.out.empty());
  const CliResult folder = work.Run("explain smooth.idsl --page .");
  CHECK(folder.status == 1);
  CHECK(Contains(folder.err, "it is a folder"));
  const CliResult input = work.Run("explain smooth.idsl --page ./smooth.idsl");
  CHECK(input.status == 2);
  CHECK(Contains(input.err, "it is the input file"));
  CHECK(work.Read("smooth.idsl") == kSmooth);
  // A program that is wrong leaves an older page as it is.
  work.Write("plan.html", "older");
  work.Write("wrong.idsl",
             "parameter M; iterator i; double u[M]; stencil s (A) { A[i] = B[i]; } s (u);");
  CHECK(work.Run("explain wrong.idsl --page plan.html").status == 1);
  CHECK(work.Read("plan.html") == "older");
  CHECK(work.Entries() == 3);
}

TEST_CASE("a program that leaves no size open is explained without any") {
  const Workplace work;
  work.Write("fixed.idsl",
             "iterator i; double u[1000], v[1000]; copyin u;"
             "stencil s (v, u) { v[i] = 0.5*(u[i-1] + u[i+1]); } s (v, u); copyout v;");
  for (const std::string target : {"", " --target cpp"}) {
    const CliResult result = work.Run("explain fixed.idsl" + target);
    CHECK(result.status == 0);
    const std::string first = result.out.substr(0, result.out.find('\n'));
    CHECK(first.back() != ' ');
    CHECK_FALSE(Contains(first, "on H200 SXM with"));
  }
}

TEST_CASE("what makes no page is a clear error") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  work.Write("app.cpp", "int main() {}\n");
  const auto error = [&](const std::string& arguments, const std::string& message) {
    const CliResult result = work.Run(arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(Contains(result.err, message));
    CHECK(result.out.empty());
  };
  error("explain app.cpp --page plan.html", "has no `#pragma dsl` block and no `#pragma scop`");
  error("explain app.cpp", "has no `#pragma dsl` block and no `#pragma scop` region to explain");
  error("explain app.c", "cannot read `app.c`");
  error("explain smooth.idsl --page ''", "--page: the file's name is empty");
  error("explain smooth.idsl --page", "--page needs a value");
  error("explain smooth.idsl --page - --json", "--json and `--page -` both go to standard output");
  error("explain smooth.idsl --page a.html -o b.html", "is no option of `stencilgen explain FILE`");
  error("smooth.idsl --page a.html", "it belongs to `stencilgen explain FILE`");
  error("run smooth.idsl --page a.html", "it belongs to `stencilgen explain FILE`");
  CHECK(work.Entries() == 2);
}
