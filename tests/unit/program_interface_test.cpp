// What a program says of itself before there is a graph is what its graph says.
#include <string>
#include <tuple>
#include <vector>

#include "frontend/read_program.h"
#include "sema/interface.h"
#include "support/catch.h"
#include "support/idsl_files.h"

namespace {

using namespace stencilgen;

graph::Program Read(const std::string& text) {
  DiagnosticSink sink;
  auto program = ReadProgram(SourceFile("p.idsl", text), sink);
  REQUIRE(program);
  return *std::move(program);
}

constexpr const char* kProgram =
    "parameter M=8, N;\niterator j, i;\n"
    "double u[M,N], c[N], s;\nfloat unused[M];\nint flag;\n"
    "copyin u;\nconstant c;\ncoefficient s;\n"
    "stencil double_it (A) { A[j][i] = 2.0*A[j][i] + c[i]*s + flag; }\n"
    "double_it (u);\ncopyout u, s;\n";

}  // namespace

TEST_CASE("the interface of a program lists what it declares in order") {
  const graph::ProgramInterface interface = Read(kProgram).interface;
  CHECK(Texts(interface.parameters) == std::vector<std::string>{"M", "N"});
  CHECK(Texts(interface.iterators) == std::vector<std::string>{"j", "i"});
  CHECK(interface.iterators[1].span == Span{30, 31});
  REQUIRE(interface.arrays.size() == 5);
  const auto& [u, c, s, unused, flag] =
      std::tie(interface.arrays[0], interface.arrays[1], interface.arrays[2], interface.arrays[3],
               interface.arrays[4]);
  CHECK((u.name.text == "u" && u.rank == 2 && u.copy_in && u.copy_out && !u.constant));
  CHECK((c.name.text == "c" && c.rank == 1 && c.copy_in && !c.copy_out && c.constant));
  CHECK((s.name.text == "s" && s.rank == 0 && s.copy_in && !s.copy_out && s.constant));
  CHECK((unused.type == ScalarType::Float && !unused.copy_in && !unused.copy_out));
  CHECK((flag.type == ScalarType::Int && flag.copy_in && !flag.constant));
}

TEST_CASE("the interface of a program is that of its graph") {
  std::vector<testing::IdslText> programs = testing::GoodPrograms();
  for (const auto& program : testing::IdslFilesIn("benchmarks/stencils"))
    programs.push_back(program);
  programs.push_back({"here", kProgram});
  int compared = 0;
  for (const testing::IdslText& file : programs) {
    INFO(file.name);
    const graph::Program program = Read(file.text);
    DiagnosticSink sink;
    const auto graph = program.build({}, sink);
    if (!graph) continue;  // good in its syntax alone
    graph::ProgramInterface declared = program.interface;
    for (graph::DeclaredName& iterator : declared.iterators) iterator.span = {};
    declared.locals.clear();  // which graphs do not know
    CHECK(declared == InterfaceOf(*graph));
    ++compared;
  }
  CHECK(compared > 5);
}
