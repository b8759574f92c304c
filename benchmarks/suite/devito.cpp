#include "suite/devito.h"

#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "driver/subprocess.h"
#include "suite/devito_code.h"

namespace stencilgen::suite {
namespace {

/// As many as OpenMP takes in this process.
int Threads() {
  const char* given = std::getenv("OMP_NUM_THREADS");
  const int wanted = given == nullptr ? 0 : std::atoi(given);
  return wanted > 0 ? wanted : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// A program that the worker has built, on arrays of this process.
class BuiltProgram {
 public:
  BuiltProgram(std::shared_ptr<Worker> worker, const graph::Graph& graph)
      : worker_(std::move(worker)), names_(graph::ParameterNames(graph)) {
    for (const graph::Array& array : graph.arrays) {
      if (!array.local) objects_.push_back(array);
    }
  }

  double Run(const CallArguments& arguments, int calls, std::string& error) const {
    const graph::ParameterValues values(arguments.parameters.begin(), arguments.parameters.end());
    Json request = {{"do", "run"}, {"calls", calls}, {"threads", Threads()}};
    for (std::size_t n = 0; n < names_.size(); ++n) request["parameters"][names_[n]] = values[n];
    request["arrays"] = Json::array();
    request["scalars"] = Json::object();
    std::vector<std::size_t> sizes;
    std::size_t bytes = 0, scalars = 0;
    for (const graph::Array& array : objects_) {
      if (array.rank() == 0) {
        request["scalars"]["a_" + array.name] = ValueOf(arguments.scalars[scalars++], array.type);
        continue;
      }
      Json shape = Json::array();
      auto size = static_cast<std::size_t>(SizeInBytes(array.type));
      for (const graph::LinearForm& extent : array.extents) {
        shape.push_back(graph::Evaluate(extent, values));
        size *= static_cast<std::size_t>(graph::Evaluate(extent, values));
      }
      request["arrays"].push_back({{"name", array.name}, {"shape", shape}, {"offset", bytes}});
      sizes.push_back(size);
      bytes += (size + 63) / 64 * 64;
    }
    request["bytes"] = bytes;
    std::byte* const shared = worker_->Share(bytes);
    if (shared == nullptr) {
      error = "not enough memory to share arrays";
      return -1;
    }
    std::size_t at = 0;
    for (std::size_t n = 0; n < sizes.size(); at += (sizes[n++] + 63) / 64 * 64) {
      std::memcpy(shared + at, arguments.arrays[n], sizes[n]);
    }
    const auto answer = worker_->Ask(request, error);
    if (!answer || !answer->contains("seconds")) return -1;
    at = 0;
    for (std::size_t n = 0; n < sizes.size(); at += (sizes[n++] + 63) / 64 * 64) {
      std::memcpy(arguments.arrays[n], shared + at, sizes[n]);
    }
    return answer->value("seconds", -1.0);
  }

 private:
  static double ValueOf(const void* scalar, ScalarType type) {
    return type == ScalarType::Float ? static_cast<double>(*static_cast<const float*>(scalar))
                                     : *static_cast<const double*>(scalar);
  }

  std::shared_ptr<Worker> worker_;
  std::vector<std::string> names_;
  std::vector<graph::Array> objects_;  ///< in the order of arguments
};

}  // namespace

std::shared_ptr<Devito> Devito::Find(bool asked, std::string& note) {
  std::string python;
  if (const char* given = std::getenv("DEVITO_PYTHON"); given != nullptr && *given != '\0') {
    python = given;
  } else {
    // Quick, where importing it takes seconds.
    constexpr const char* kLook =
        "import importlib.util as u, sys; sys.exit(u.find_spec('devito') is None)";
    const std::string found = driver::FindProgram("python3");
    if (!found.empty() && driver::RunProcess({found, "-c", kLook}).status == 0) python = found;
    if (python.empty()) {
      if (asked) note = "Devito is not installed";
      return nullptr;
    }
  }
  std::shared_ptr<Devito> devito(new Devito(python));
  note = fmt::format("Devito is in {}: measured too", python);
  return devito;
}

void Devito::AddTo(Versions* versions, const Program& program) {
  Version version;
  std::string none;
  const auto description = DevitoProgram(versions->graph, none);
  if (!description) return;
  version.name = "devito";
  version.rival = true;
  if (worker_ == nullptr || !worker_->alive()) {
    const std::string script =
        std::string(STENCILGEN_SOURCE_DIR) + "/benchmarks/rivals/devito_worker.py";
    worker_ = Worker::Start({python_, script}, version.problem);
  }
  if (worker_ != nullptr) {
    version.how = fmt::format("Devito {}, OpenMP; time of its code alone",
                              worker_->ready().value("ready", ""));
    Json request = {{"do", "build"}, {"program", *description}};
    for (const auto& [name, value] : program.benchmark.small) request["parameters"][name] = value;
    if (worker_->Ask(request, version.problem)) {
      const BuiltProgram built(worker_, versions->graph);
      version.elsewhere = [built](const CallArguments& arguments, int calls, std::string& error) {
        return built.Run(arguments, calls, error);
      };
    }
  }
  if (!version.problem.empty()) version.problem = "Devito: " + version.problem;
  versions->all.push_back(std::move(version));
}

}  // namespace stencilgen::suite
