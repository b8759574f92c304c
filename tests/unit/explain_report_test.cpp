#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "driver/options.h"
#include "frontend/read_program.h"
#include "support/catch.h"
#include "tools/explain/html_page.h"
#include "tools/explain/report.h"

using namespace stencilgen;
using namespace stencilgen::driver;
using Json = nlohmann::ordered_json;

namespace {

/// A program with its plan.
struct Planned {
  SourceFile source;
  PipelineOptions options;
  graph::Graph graph;
  ChosenPlan chosen;
};

Planned Plan(const std::string& text, std::vector<std::string> arguments) {
  SourceFile source("a.idsl", text);
  arguments.insert(arguments.begin(), {"explain", "a.idsl"});
  const auto parsed = ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<Options>(parsed));
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  REQUIRE(program);
  PipelineOptions options = MakePipelineOptions(std::get<Options>(parsed), program->interface);
  auto graph = CompileToGraph(*program, options, sink);
  REQUIRE(graph);
  ChosenPlan chosen = CompileToChosenPlan(*graph, options);
  return {std::move(source), std::move(options), *std::move(graph), std::move(chosen)};
}

Json ReportOf(const Planned& planned) {
  return MakeReport({planned.source, planned.graph, planned.chosen, planned.options,
                     machine::DefaultGpu(), machine::DefaultCpu(), "stencilgen explain a.idsl",
                     planned.chosen.notes});
}
Json Report(const std::string& text, std::vector<std::string> arguments) {
  return ReportOf(Plan(text, std::move(arguments)));
}

const char* const kHeat = R"(// A comment, </script> and <!--.
parameter L=256, M=256, N=256, T=9;
iterator k, j, i;
double u[L,M,N], a;
copyin u, a;
stencil heat (A, c) {
  A[k][j][i] += c*(A[k-1][j][i] + A[k][j-1][i] + A[k][j][i-1] - 6.0*A[k][j][i] +
                   A[k][j][i+1] + A[k][j+1][i] + A[k+1][j][i]);
}
iterate T { heat (u, a); }
copyout u;
)";

const std::vector<std::string> kTimeTile = {
    "--shared-mem", "true",       "--time-tile", "2",        "--concurrent-stream",
    "k:64",         "--blockdim", "x=32,y=8",    "--unroll", "k=1,j=4,i=1",
    "--prefetch",   "none",       "--halo",      "threads",  "--barriers",
    "level",        "-D",         "T=9"};

const char* const kWaves = R"(
parameter M=4000, N=4000, T=200;
iterator j, i;
double u[M,N], v[M,N];
copyin u;
stencil s (B, A) { B[j][i] = 0.25*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]); }
iterate T { s (v, u); swap u, v; }
copyout u;
)";

}  // namespace

TEST_CASE("the report of a tile has the plan's numbers") {
  const Planned planned = Plan(kHeat, kTimeTile);
  const Json report = ReportOf(planned);
  const Json& kernel = report["kernels"][0];
  REQUIRE(kernel["mapping"] == "tile");
  const Json& tile = kernel["tile"];
  const plan::Tile& expected = *planned.chosen.plan.kernels[plan::KernelId{0}].tile;

  // Two steps of a star of radius 1: 32 x 32 points, of which a frame of 2 is halo.
  CHECK(tile["stream"] == 0);
  CHECK(tile["threads"] == 256);
  CHECK(tile["dimensions"][1]["iterator"] == "j");
  CHECK(tile["dimensions"][1]["computed"] == 32);
  CHECK(tile["dimensions"][1]["stored"] == 28);
  CHECK(tile["dimensions"][2]["halo"] == Json::array({2, 2}));
  CHECK(tile["dimensions"][0]["stored"] == 64);
  CHECK(tile["dimensions"][0]["grid"] == Json::array({1, 254}));
  CHECK(tile["dimensions"][0]["blocks"] == 4);
  CHECK(tile["steps_before"] == expected.StepsBefore());
  CHECK(tile["steps_after"] == expected.StepsAfter());
  CHECK(tile["shared_bytes"] == expected.shared_bytes);

  REQUIRE(tile["versions"].size() == expected.versions.size());
  for (std::size_t v = 0; v < expected.versions.size(); ++v) {
    const plan::TileVersion& version = expected.versions[v];
    const Json& shown = tile["versions"][v];
    CHECK(shown["lag"] == version.lag);
    CHECK(shown["loaded"] == version.loaded);
    CHECK(shown["slots"] == version.slots);
    CHECK(shown["halo"][2] == Json::array({version.halo.lo[2], version.halo.hi[2]}));
    REQUIRE(shown["planes"].size() == version.planes.size());
    for (std::size_t age = 0; age < version.planes.size(); ++age) {
      CHECK(shown["planes"][age]["registers"] == version.planes[age].registers);
      CHECK(shown["planes"][age]["shared"] == version.planes[age].shared);
    }
  }
  CHECK(tile["steps"].size() == expected.steps.size());
  CHECK(tile["steps"][0]["kind"] == "load");
  // The star has seven points, and each is read by some path.
  REQUIRE(tile["operators"].size() == 2);
  CHECK(tile["operators"][0]["reads"].size() == 7);
}

TEST_CASE("the report of a matrix tile has its loops, points and boxes") {
  const char* const product = R"(
parameter M=600, N=700, K=500;
iterator i, j;
double C[M,N], A[M,K], B[K,N];
copyin C, A, B;
stencil s (C, A, B) { C[i][j] = C[i][j] + A[i][k]*B[k][j]; }
iterate k : K { s (C, A, B); }
copyout C;
)";
  const Json grid = Report(product, {"--blockdim", "x=16,y=8", "--stream", "i"})["kernels"][0];
  CHECK(grid["mapping"] == "matrix");
  CHECK(grid["launches"] == 1);
  CHECK(!grid.contains("threads"));
  const Json& matrix = grid["matrix"];
  CHECK(matrix["loops"] == Json::parse(R"([{"turn": "k", "turns": 500}])"));
  REQUIRE(matrix["dimensions"].size() == 2);
  CHECK(matrix["dimensions"][0]["threads"] == 8);
  CHECK(matrix["dimensions"][1]["threads"] == 16);
  CHECK(matrix["dimensions"][1]["grid"] == Json::array({0, 699}));
  REQUIRE(matrix["boxes"].size() == 2);
  const int points = matrix["dimensions"][0]["points"];
  CHECK(matrix["boxes"][0]["array"] == "A");
  CHECK(matrix["boxes"][0]["extents"] == Json::array({8 * points, matrix["depth"].get<int>()}));

  const Json whole = Report(product, {"--target", "cpp"});
  const Json& nest = whole["kernels"][0];
  CHECK(nest["mapping"] == "matrix");
  CHECK(nest["launches"] == 1);
  CHECK(nest["seconds"].is_null());
  CHECK(!nest.contains("nest"));
  CHECK(nest["matrix"]["dimensions"][0]["threads"].is_null());
  CHECK(nest["matrix"]["dimensions"][0]["tile"] == 32);
  CHECK(nest["matrix"]["vectors"] == true);
  CHECK(nest["matrix"]["boxes"].empty());
}

TEST_CASE("the report of a kernel has its time and its place in the roofline") {
  const Json report = Report(kHeat, kTimeTile);
  const Json& kernel = report["kernels"][0];
  CHECK(kernel["launches"] == 4);  // and the ninth step in another kernel
  CHECK(report["kernels"][1]["launches"] == 1);
  const Json& point = kernel["roofline"];
  CHECK(point["intensity"].get<double>() ==
        Approx(point["flops"].get<double>() / point["bytes"].get<double>()));
  CHECK(point["flops_per_second"].get<double>() ==
        Approx(point["flops"].get<double>() / kernel["seconds"].get<double>()));
  CHECK(kernel["units"].size() == 6);
  double seconds = 0;
  for (const Json& each : report["kernels"]) {
    seconds += each["launches"].get<double>() * each["seconds"].get<double>();
  }
  CHECK(report["prediction"]["seconds"].get<double>() == Approx(seconds).epsilon(0.05));
  CHECK(report["device"]["bandwidths"][0]["bytes_per_second"] ==
        machine::DefaultGpu().memory_achieved);
  CHECK(report["device"]["peak"] == machine::DefaultGpu().fp64_peak);
}

TEST_CASE("the report has the graph, with lines of the program and the kernel of each statement") {
  const Json report = Report(kHeat, kTimeTile);
  const Json& loop = report["graph"]["nodes"][0];
  CHECK(loop["kind"] == "loop");
  CHECK(loop["count"] == 4);
  REQUIRE(loop["nodes"].size() == 2);
  const Json& statement = loop["nodes"][1];
  CHECK(statement["stencil"] == "heat");
  CHECK(statement["lines"] == Json::array({7, 8}));
  CHECK(statement["kernel"] == 0);
  CHECK(statement["domain"][0] == Json::array({1, 254}));
  CHECK(statement["flops"].get<int>() > 6);
  // Of the array seven elements, of the scalar its value.
  REQUIRE(statement["reads"].size() == 2);
  std::size_t most = 0;
  for (const Json& read : statement["reads"]) most = std::max(most, read["offsets"].size());
  CHECK(most == 7);
  CHECK(report["sizes"].size() == 4);
  CHECK(report["sizes"][3]["value"] == 9);
}

TEST_CASE("what is left open was priced, and the report says how the others do") {
  const Json report = Report(kHeat, {});
  const Json& others = report["alternatives"];
  CHECK(others["tried"].get<int>() > 10);
  CHECK(others["schedules"].size() > 5);
  int taken = 0;
  for (const Json& one : others["schedules"]) taken += one["taken"] == true ? 1 : 0;
  CHECK(taken == 1);
  CHECK(others["options"].size() > 4);
  CHECK(others["faster_parts"].size() == 3);
  // What cannot run has no time.
  const Json text = Json::parse(ReportText(report));
  for (const Json& one : text["alternatives"]["options"]) {
    CHECK((one["seconds"].is_number() || one["seconds"].is_null()));
  }
}

TEST_CASE("kernels that follow each other are apart for a reason") {
  const char* const two = R"(
parameter M=512, N=512;
iterator j, i;
double u[M,N], v[M,N], w[N,M];
copyin u;
stencil first (B, A) { B[j][i] = A[j-1][i] + A[j+1][i]; }
stencil second (C, B) { C[i][j] = B[j][i]; }
first (v, u);
second (w, v);
copyout w;
)";
  const Json report = Report(two, {});
  const Json& apart = report["alternatives"]["kernels_apart"];
  REQUIRE(apart.size() == 1);
  CHECK(apart[0]["first"] == report["kernels"][0]["name"]);
  CHECK(apart[0]["reason"].get<std::string>().size() > 10);
}

TEST_CASE("the report of loops on a CPU has nests, caches and tiles of turns") {
  const Json report = Report(kWaves, {"--target", "cpp"});
  CHECK(report["target"] == "cpp");
  const Json& kernel = report["kernels"][0];
  CHECK(kernel["mapping"] == "nest");
  CHECK(kernel["nest"]["caches"].size() == machine::DefaultCpu().caches.size());
  // Three rows of u and one of v: 4000 doubles each, which half of the second level holds.
  const Json& layer = kernel["nest"]["layers"][0];
  CHECK(layer["bytes"].get<double>() == Approx(4 * 3998 * 8));
  CHECK(layer["held_by_level"] == 2);
  const Json& repeat =
      report["steps"].back()["kind"] == "repeat" ? report["steps"].back() : report["steps"][1];
  REQUIRE(repeat["kind"] == "repeat");
  CHECK(repeat["band"]["outer"]["slope"] == 1);
  CHECK(repeat["band"]["tiles"].get<int>() > 0);
  const Json asked = Report(kWaves, {"--target", "cpp", "--time-tile", "8"});
  CHECK(asked["steps"].back()["band"]["turns_of_tile"] == 8);
  CHECK(asked["steps"].back()["band"]["width"] == 8);
  const Json single = Report(kWaves, {"--target", "cpp", "--time-tile", "1"});
  CHECK(single["steps"].back()["band"].is_null());
  CHECK(single["steps"].back().contains("no_band"));
}

TEST_CASE("a page stands alone, has the report in it, and no text of the program is markup") {
  const Json report = Report(kHeat, kTimeTile);
  const std::string page = HtmlPage(report);
  const std::string begin = R"(<script id="report" type="application/json">)";
  const std::size_t first = page.find(begin);
  REQUIRE(first != std::string::npos);
  const std::size_t from = first + begin.size();
  const std::string embedded = page.substr(from, page.find("</script>", from) - from);
  CHECK(Json::parse(embedded) == Json::parse(ReportText(report)));
  CHECK(embedded.find('<') == std::string::npos);
  CHECK(page.find("<title>a: the plan") != std::string::npos);
  for (const char* outside : {"src=", "@import", "href=\"http", "url(http", "fetch("}) {
    INFO(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
}

TEST_CASE("bytes that are no text do not stop a report") {
  std::string text = kWaves;
  text += "// \xff\xfe and \xe2\x80\xa8\n";
  const Json report = Report(text, {});
  const Json read = Json::parse(ReportText(report));
  CHECK(read["source"].get<std::string>().find("\xef\xbf\xbd") != std::string::npos);
  CHECK(HtmlPage(report).find("</html>") != std::string::npos);
}
