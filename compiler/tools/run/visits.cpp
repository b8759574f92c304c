#include "tools/run/visits.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tools/measure/other_load.h"
#include "tools/run/arguments.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

namespace {

/// What looks at the libraries.
class Visitor {
 public:
  explicit Visitor(const VisitInputs& inputs) : inputs_(inputs) {}

  /// measure::OkAnswer, or what went wrong.
  std::string Answer(const VisitRequest& request) {
    std::string error;
    const auto library = HostLibrary::Load(request.library, BackendOf(inputs_.executor), error);
    if (!library) return error;
    return request.check ? Check(*library) : Time(*library, request);
  }

 private:
  std::string Failure(const HostLibrary& library) const {
    const std::string error = library.Error(inputs_.name);
    return error.empty() ? "the host function failed" : error;
  }

  std::string Check(const HostLibrary& library) const {
    HostArguments arguments(inputs_.checked);
    if (library.Call(inputs_.name, arguments.arrays, arguments.scalars, arguments.params) != 0) {
      return Failure(library);
    }
    std::vector<graph::Values> outputs;
    for (const std::string& output : OutputNames(*inputs_.graph)) {
      outputs.push_back(arguments.Contents(output));
    }
    for (const Comparison& one : CompareOutputs(*inputs_.graph, inputs_.checked, outputs,
                                                inputs_.reference, inputs_.executor, inputs_.fp)) {
      if (one.passed) continue;
      return fmt::format("`{}` differs from the reference by {:.2e} (relative RMS)", one.name,
                         one.rel_rms);
    }
    return measure::OkAnswer(0, 0);
  }

  std::string Time(const HostLibrary& library, const VisitRequest& request) {
    if (timed_) {
      timed_->Restore();
    } else {
      timed_ = std::make_unique<HostArguments>(inputs_.timed);
    }
    const measure::OtherLoad load;
    std::vector<double> times = library.Time(inputs_.name, timed_->arrays, timed_->scalars,
                                             timed_->params, request.warmups, request.repeats);
    const double others = load.Processors();
    if (times.empty()) return Failure(library);
    return measure::OkAnswer(measure::MedianOf(std::move(times)), others);
  }

  const VisitInputs& inputs_;
  std::unique_ptr<HostArguments> timed_;
};

}  // namespace

Backend BackendOf(Executor executor) {
  return executor == Executor::Cuda           ? Backend::Cuda
         : executor == Executor::CudaEmulated ? Backend::CudaEmulated
                                              : Backend::Cpp;
}

std::vector<measure::Visit> RunVisits(const VisitInputs& inputs,
                                      const std::vector<VisitRequest>& requests,
                                      const std::function<bool()>& stopped) {
  std::vector<double> limits;
  for (const VisitRequest& request : requests) limits.push_back(request.limit);
  const auto start = [&]() -> measure::Worker {
    const auto visitor = std::make_shared<Visitor>(inputs);
    return [&requests, visitor](std::size_t k) { return visitor->Answer(requests[k]); };
  };
  return measure::VisitAll(start, limits, stopped);
}

}  // namespace stencilgen::driver
