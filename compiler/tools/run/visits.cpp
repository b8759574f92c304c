#include "tools/run/visits.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/arguments.h"
#include "tools/run/other_load.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

namespace {

/// A child process that answers in lines.
class Child {
 public:
  /// Runs `body` in it with the descriptor to write to.
  explicit Child(const std::function<void(int)>& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      // It ends with its parent, however that ends.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      // What a generated program or a runtime prints is not for the user. Files of the parent are
      // closed: with a journal of it a lock would outlive it.
      const int nowhere = open("/dev/null", O_RDWR);
      dup2(nowhere, STDIN_FILENO);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      const int answers = dup2(ends[1], STDERR_FILENO + 1);
      close_range(static_cast<unsigned>(answers) + 1, ~0U, 0);
      std::signal(SIGINT, SIG_IGN);
      body(answers);
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pipe_ >= 0) close(pipe_);
    if (pid_ <= 0 || waited_) return;
    kill(pid_, SIGKILL);
    Wait();
  }
  bool started() const { return pid_ > 0; }

  enum class Outcome { Line, Ended, Late, Stopped };
  /// The next line, waited for at most so many seconds.
  Outcome ReadLine(double seconds, const std::function<bool()>& stopped, std::string& line) {
    using Clock = std::chrono::steady_clock;
    constexpr int kLook = 100;  // milliseconds between looks at the clock
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      if (const std::size_t at = buffer_.find('\n'); at != std::string::npos) {
        line = buffer_.substr(0, at);
        buffer_.erase(0, at + 1);
        return Outcome::Line;
      }
      if (stopped()) return Outcome::Stopped;
      if (Clock::now() >= end) return Outcome::Late;
      pollfd waiting = {pipe_, POLLIN, 0};
      const int ready = poll(&waiting, 1, kLook);
      if (ready <= 0) continue;
      char text[4096];
      const ssize_t count = read(pipe_, text, sizeof text);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Outcome::Ended;
      buffer_.append(text, static_cast<std::size_t>(count));
    }
  }
  /// How it ended. Requires: it has, or is about to.
  std::string Ending() {
    const int status = Wait();
    if (WIFSIGNALED(status)) {
      return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    }
    return "its process ended";
  }

 private:
  int Wait() {
    int status = 0;
    while (!waited_ && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    waited_ = true;
    return status;
  }

  pid_t pid_ = -1;
  int pipe_ = -1;
  bool waited_ = false;
  std::string buffer_;
};

void WriteLine(int to, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = write(to, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
}

/// What the child does.
class Visitor {
 public:
  explicit Visitor(const VisitInputs& inputs) : inputs_(inputs) {}

  /// `ok MILLISECONDS`, or what went wrong.
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
    return "ok 0";
  }

  std::string Time(const HostLibrary& library, const VisitRequest& request) {
    if (timed_) {
      timed_->Restore();
    } else {
      timed_ = std::make_unique<HostArguments>(inputs_.timed);
    }
    const OtherLoad load;
    std::vector<double> times = library.Time(inputs_.name, timed_->arrays, timed_->scalars,
                                             timed_->params, request.warmups, request.repeats);
    const double others = load.Processors();
    if (times.empty()) return Failure(library);
    std::sort(times.begin(), times.end());
    const std::size_t middle = times.size() / 2;
    const double median =
        times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    return fmt::format("ok {} {}", median, others);
  }

  const VisitInputs& inputs_;
  std::unique_ptr<HostArguments> timed_;
};

bool IsOk(const std::string& answer) {
  return answer.rfind("ok ", 0) == 0;
}

}  // namespace

Backend BackendOf(Executor executor) {
  return executor == Executor::Cuda           ? Backend::Cuda
         : executor == Executor::CudaEmulated ? Backend::CudaEmulated
                                              : Backend::Cpp;
}

std::vector<Visit> RunVisits(const VisitInputs& inputs, const std::vector<VisitRequest>& requests,
                             const std::function<bool()>& stopped) {
  std::vector<Visit> visits(requests.size());
  std::size_t next = 0;
  while (next < requests.size()) {
    const std::size_t first = next;
    Child child([&](int to) {
      Visitor visitor(inputs);
      for (std::size_t k = first; k < requests.size(); ++k) {
        const std::string answer = visitor.Answer(requests[k]);
        WriteLine(to, answer);
        // An error of a GPU stays with the process.
        if (!IsOk(answer)) break;
      }
    });
    if (!child.started()) {
      visits[next++].failure = fmt::format("cannot start a process: {}", std::strerror(errno));
      continue;
    }
    bool going = true;
    while (going && next < requests.size()) {
      Visit& visit = visits[next];
      std::string line;
      switch (child.ReadLine(requests[next].limit, stopped, line)) {
        case Child::Outcome::Line:
          if (IsOk(line)) {
            std::istringstream(line.substr(3)) >> visit.milliseconds >> visit.others;
          } else {
            visit.failure = line;
            going = false;
          }
          break;
        case Child::Outcome::Ended:
          visit.failure = child.Ending();
          going = false;
          break;
        case Child::Outcome::Late:
          visit.failure = fmt::format("it took longer than {:.3g} s", requests[next].limit);
          going = false;
          break;
        case Child::Outcome::Stopped:
          for (; next < visits.size(); ++next) visits[next].failure = "stopped";
          return visits;
      }
      ++next;
    }
  }
  return visits;
}

std::optional<GpuName> AskGpu() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto attribute =
      reinterpret_cast<int (*)(int*, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  constexpr int kMajor = 75;
  constexpr int kMinor = 76;
  std::array<char, 200> model = {};
  int major = 0;
  int minor = 0;
  if (init == nullptr || name == nullptr || attribute == nullptr || init(0) != 0 ||
      name(model.data(), static_cast<int>(model.size()) - 1, 0) != 0 ||
      attribute(&major, kMajor, 0) != 0 || attribute(&minor, kMinor, 0) != 0) {
    return std::nullopt;
  }
  return GpuName{model.data(), fmt::format("sm_{}{}", major, minor)};
}

std::optional<GpuName> FindGpu() {
  Child child([](int to) {
    if (const auto gpu = AskGpu()) WriteLine(to, fmt::format("{} {}", gpu->arch, gpu->model));
  });
  constexpr double kPatience = 60;
  std::string line;
  const auto never = [] { return false; };
  if (!child.started() || child.ReadLine(kPatience, never, line) != Child::Outcome::Line) {
    return std::nullopt;
  }
  const std::size_t space = line.find(' ');
  return GpuName{line.substr(space + 1), line.substr(0, space)};
}

}  // namespace stencilgen::driver
