#include "driver/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/interrupts.h"

extern char** environ;

namespace stencilgen::driver {

namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;

/// How a child starts: nothing to read, output into the pipe, usual signals, none blocked.
class SpawnSetup {
 public:
  explicit SpawnSetup(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    sigset_t blocked;
    sigemptyset(&blocked);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

using Clock = std::chrono::steady_clock;

/// Milliseconds until then, for poll; -1 without an end.
int Left(std::optional<Clock::time_point> end) {
  if (!end) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1000000000));
}

/// Collects what comes out of the pipe until the other end is closed. False where that takes too
/// long.
bool ReadAll(int pipe, std::optional<Clock::time_point> end, std::string& output) {
  char buffer[1 << 14];
  for (;;) {
    pollfd waited{pipe, POLLIN, 0};
    const int ready = poll(&waited, 1, Left(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && end && Clock::now() >= *end) return false;
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    // What comes after the limit is read, so that the child does not block, and dropped.
    if (output.size() < kMostOutput) output.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& arguments, double seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  const SpawnSetup setup(ends[1]);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int failed = 0;
  const pid_t child = StartChild([&] {
    pid_t started = 0;
    failed = posix_spawnp(&started, argv.front(), setup.actions(), setup.attributes(), argv.data(),
                          environ);
    return failed == 0 ? started : 0;
  });
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return {-1, fmt::format("cannot start `{}`: {}", arguments.front(), std::strerror(failed))};
  }
  ProcessResult result;
  std::optional<Clock::time_point> end;
  if (seconds > 0) {
    end = Clock::now() +
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  int status = 0;
  result.timed_out = !ReadAll(ends[0], end, result.output);
  if (result.timed_out) EndChild(child);
  close(ends[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ForgetChild(child);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

namespace {

/// A shell and starters of ranks end with so much more than the signal that has ended a process.
constexpr int kSignals = 128;

}  // namespace

bool EndedBySignal(const ProcessResult& result) {
  // Not each status above is one of these: starters say 255 of their own.
  return result.status > kSignals && result.status < kSignals + NSIG;
}

std::string HowItEnded(const ProcessResult& result) {
  if (result.status < 0) return "no start";
  if (!EndedBySignal(result)) return fmt::format("status {}", result.status);
  const int signal = result.status - kSignals;
  return fmt::format("signal {} ({})", signal, strsignal(signal));
}

std::string FindProgram(const std::string& name) {
  namespace fs = std::filesystem;
  const auto executable = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return executable(name) ? name : "";
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/usr/bin:/bin" : variable;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path folder = path.substr(begin, end - begin);
    if (!folder.empty() && executable(folder / name)) return (folder / name).string();
    begin = end + 1;
  }
  return "";
}

}  // namespace stencilgen::driver
