// `stencilgen machine` from the outside: a short measurement, and what it is good for.
#include <string>

#include <nlohmann/json.hpp>

#include "cli.h"

using namespace stencilgen::test;
using nlohmann::json;

TEST_CASE("a machine is measured, kept and used") {
  const Workplace work;
  const std::string keep = "STENCILGEN_TUNING_DB=" + work.Path("kept/t.json");
  const CliResult table = work.Run("machine --seconds 0.1", "/dev/null", keep);
  INFO(table.out << table.err);
  REQUIRE(table.status == 0);
  CHECK(Contains(table.out, "level 1 cache"));
  CHECK(Contains(table.out, "GHz"));
  CHECK(Contains(table.err, "kept in"));
  const json cpu = json::parse(work.Read("kept/machine.json"));
  CHECK(cpu["kind"] == "cpu");
  for (const auto& [name, value] : cpu.items()) {
    INFO(name << " " << value);
    if (!value.is_number()) continue;
    CHECK(value.get<double>() > 0);
  }
  // What any machine of these years is within, with much else going on.
  CHECK(cpu["clock"].get<double>() > 1e8);
  CHECK(cpu["clock"].get<double>() < 1e10);
  CHECK(cpu["vector_bytes"].get<int>() >= 8);
  CHECK(cpu["copy_one"].get<double>() > 1e7);
  CHECK(cpu["copy_one"].get<double>() < 1e13);
  for (const json& cache : cpu["caches"]) CHECK(cache["one"].get<double>() > 1e7);
  work.Write("p.idsl", kSmooth);
  CHECK(work.Run("p.idsl --target cpp -o p.cpp --device-file native", "/dev/null", keep).status ==
        0);
}

TEST_CASE("a measurement goes to a file, or to standard output") {
  const Workplace work;
  const CliResult file = work.Run("machine --seconds 0.02 --threads 1 -o m.json");
  REQUIRE(file.status == 0);
  CHECK(Contains(file.out, "1 core,"));
  work.Write("p.idsl", kSmooth);
  CHECK(work.Run("p.idsl --target cpp -o - --device-file m.json --depfile p.d -o p.cpp").status ==
        2);
  CHECK(work.Run("p.idsl --target cpp --device-file m.json --depfile p.d -o p.cpp").status == 0);
  CHECK(Contains(work.Read("p.d"), "m.json"));
  const CliResult printed = work.Run("machine --seconds 0.02 --threads 1 -o -");
  REQUIRE(printed.status == 0);
  CHECK(json::parse(printed.out)["cores"] == 1);
}

TEST_CASE("a measurement that cannot be made says why") {
  const Workplace work;
  CHECK(work.Run("machine p.idsl").status == 2);
  CHECK(work.Run("machine --tile j=3").status == 2);
  CHECK(Contains(work.Run("p.idsl --seconds 3").err, "it belongs to `stencilgen machine`"));
  for (const char* bad : {"0", "-1", "x", "1e9", "nan"}) {
    CHECK(work.Run(std::string("machine --seconds '") + bad + "'").status == 2);
  }
  const CliResult no_compiler =
      work.Run("machine", "/dev/null", "PATH=/nonexistent CXX=/nonexistent");
  CHECK(no_compiler.status == 1);
  CHECK(Contains(no_compiler.err, "no C++ compiler"));
  CHECK(work.Run("machine --seconds 0.01 --threads 1 -o /nonexistent/m.json").status == 1);
}
