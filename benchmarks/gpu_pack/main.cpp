// benchmarks/pack: writes a folder that measures the benchmark stencils on a machine with a GPU,
// nvcc and make alone.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include "gpu_pack/expected.h"
#include "gpu_pack/pack_versions.h"
#include "suite/environment.h"
#include "suite/results.h"

namespace stencilgen::suite {
namespace {

namespace fs = std::filesystem;

struct PackOptions {
  std::string folder, filter = "*";
  std::vector<std::string> suites = {"A", "B", "C", "D"}, types = {"double", "float"};
  PackedVersions versions;
};

/// One program of the pack as text: its lines of the index, its files.
struct Piece {
  std::string name, index;
  std::vector<std::string> libraries;
  std::vector<std::pair<std::string, std::string>> files;  ///< name, text
  std::string problem;
};

std::string SizeName(const Program& program) {
  std::string name;
  for (const auto& [parameter, value] : program.sizes) {
    name += fmt::format("{}{}{}", name.empty() ? "" : "_", parameter, value);
  }
  return name;
}

/// The members of a JSON object, without its braces.
std::string Members(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

void AddVersion(const PackedProgram& packed, const PackedVersion& version, int registers,
                Piece* piece) {
  const std::string& function = version.version.function;
  const std::string suffix = registers > 0 ? fmt::format("__r{}", registers) : "";
  const std::string name =
      version.version.name + (registers > 0 ? fmt::format("_{}", registers) : "");
  piece->index += fmt::format("version {} {}{} {} {} {}\n", name, function, suffix, function,
                              version.version.fused_steps, version.version.how);
  piece->libraries.push_back(function + suffix);
  for (std::size_t n = 0; n < packed.sizes.size(); ++n) {
    if (n > 0 && version.main_size_only) break;
    piece->index += fmt::format("measure {} {}\n", SizeName(packed.sizes[n]),
                                n == 0 ? version.version.predicted : 0);
  }
}

Piece MakePiece(const testing::Benchmark& benchmark, bool single, const PackedVersions& versions) {
  Piece piece;
  piece.name = fmt::format("{}_{}", benchmark.Identifier(), single ? "float" : "double");
  const PackedProgram packed = MakePacked(benchmark, single, versions);
  piece.problem = packed.problem;
  if (!piece.problem.empty()) return piece;
  piece.index = fmt::format("group {}\n", piece.name);
  piece.index += DescribeArguments(packed.graph, benchmark, piece.problem);
  for (const Program& size : packed.sizes) {
    std::map<std::string, std::int64_t> sizes = size.sizes;
    const graph::ParameterValues values = ValuesOf(packed.graph, sizes);
    piece.index += fmt::format("describe {0} {1}\nparameters {0} {2}\ncounts {0} {3}\n",
                               SizeName(size), Members(DescribeProgram(size, driver::Target::Cuda)),
                               fmt::join(values, " "), CountsText(packed.graph, values));
  }
  for (const PackedVersion& version : packed.versions) {
    piece.files.emplace_back(version.version.function + ".cu", version.version.text);
    if (version.registers.empty()) AddVersion(packed, version, 0, &piece);
    for (const int count : version.registers) AddVersion(packed, version, count, &piece);
  }
  return piece;
}

int Fail(const std::string& message) {
  fmt::print(stderr, "benchmarks/pack: error: {}\n", message);
  return 1;
}

int Write(const PackOptions& options, const Json& header) {
  std::vector<std::future<Piece>> pieces;
  const std::vector<testing::Benchmark> benchmarks = testing::Benchmarks();
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  // What matters most comes first: time may run out where the pack runs.
  for (const std::string& suite : options.suites) {
    for (const std::string& type : options.types) {
      for (const testing::Benchmark& benchmark : benchmarks) {
        if (benchmark.suite != suite.front() ||
            fnmatch(options.filter.c_str(), benchmark.name.c_str(), 0) != 0) {
          continue;
        }
        if (pieces.size() >= most) pieces[pieces.size() - most].wait();
        pieces.push_back(std::async(std::launch::async, MakePiece, std::cref(benchmark),
                                    type == "float", std::cref(options.versions)));
      }
    }
  }
  if (pieces.empty()) return Fail(fmt::format("no program is called {}", options.filter));

  const fs::path folder = options.folder;
  std::error_code error;
  fs::create_directories(folder / "src", error);
  if (error) return Fail(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  const auto write = [&](const fs::path& name, const std::string& text) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    file.close();
    if (!file) error = std::make_error_code(std::errc::io_error);
  };
  std::string index, libraries;
  std::size_t count = 0, size = 0;
  for (std::future<Piece>& future : pieces) {
    const Piece piece = future.get();
    if (!piece.problem.empty()) return Fail(fmt::format("{}: {}", piece.name, piece.problem));
    index += piece.index;
    for (const std::string& library : piece.libraries) libraries += library + "\n";
    count += piece.libraries.size();
    for (const auto& [name, text] : piece.files) {
      write(fs::path("src") / name, text);
      size += text.size();
    }
  }
  write("index.txt", index);
  write("libraries.txt", libraries);
  write("header.json", Members(header));
  const fs::path root = STENCILGEN_SOURCE_DIR;
  const auto copy = [&](const fs::path& from, const fs::path& to) {
    for (const auto& entry : fs::directory_iterator(from)) {
      if (error || entry.path().filename() == "CMakeLists.txt") continue;
      fs::copy_file(entry.path(), to / entry.path().filename(),
                    fs::copy_options::overwrite_existing, error);
    }
  };
  fs::create_directories(folder / "tools" / "measure", error);
  copy(root / "benchmarks" / "gpu_pack" / "template", folder);
  copy(root / "compiler" / "tools" / "measure", folder / "tools" / "measure");
  if (error) return Fail(fmt::format("cannot write into {}: {}", folder.string(), error.message()));
  fmt::print("{}: {} programs, {} libraries, {:.1f} MB of code\n", folder.string(), pieces.size(),
             count, static_cast<double>(size) / 1e6);
  return 0;
}

}  // namespace
}  // namespace stencilgen::suite

int main(int argc, char** argv) {
  using namespace stencilgen::suite;
  PackOptions options;
  CLI::App app(
      "Writes a folder that measures the benchmark stencils on a machine with a GPU, nvcc "
      "and make alone.",
      "benchmarks/pack");
  app.add_option("DIR", options.folder, "the folder to write")->required();
  app.add_option("--suite", options.suites, "A,B,C; all")
      ->delimiter(',')
      ->check(CLI::IsMember({"A", "B", "C", "D"}));
  app.add_option("--filter", options.filter, "programs, a glob such as 'j2d*'");
  app.add_option("--type", options.types, "float,double; both")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double"}));
  app.add_option("--registers", options.versions.registers,
                 "of a thread, for suite B; 32,64,128,255")
      ->delimiter(',')
      ->check(CLI::IsMember({32, 48, 64, 96, 128, 168, 255}));
  app.add_option("--megabytes", options.versions.megabytes,
                 "arrays of a program, at most; sizes of the literature")
      ->check(CLI::Range(0.01, 1e6));
  app.add_option("--plans", options.versions.plans,
                 "also the cheapest plans, so many: what the model's constants are fitted to; 0")
      ->check(CLI::Range(0, 64));
  std::vector<std::string> also;
  app.add_option("--also", also,
                 "NAME=OPTIONS: a version with these options, such as 't4=--time-tile 4'")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const std::size_t equals = text.find('=');
        return equals == 0 || equals == std::string::npos ? "NAME=OPTIONS is wanted" : "";
      });
  CLI11_PARSE(app, argc, argv);
  for (const std::string& version : also) {
    const std::size_t equals = version.find('=');
    std::istringstream words(version.substr(equals + 1));
    options.versions.also.emplace_back(
        version.substr(0, equals),
        std::vector<std::string>{std::istream_iterator<std::string>(words), {}});
  }
  const Json header = {{"schema", kSchema},
                       {"kind", "stencilgen-benchmarks"},
                       {"command", "benchmarks/pack"},
                       {"arguments", std::vector<std::string>(argv + 1, argv + argc)},
                       {"packed", Now()},
                       {"revision", DescribeRevision()}};
  return Write(options, header);
}
