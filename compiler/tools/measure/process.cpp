#include "tools/measure/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stencilgen::measure {
namespace {

/// Closes all descriptors from this one on.
void CloseFrom(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (int one = first; one < most; ++one) close(one);
}

bool Never() {
  return false;
}

}  // namespace

Process::Process(const std::function<void(int)>& body) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  std::fflush(stdout);
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
    CloseFrom(answers + 1);
    std::signal(SIGINT, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    body(answers);
    _exit(0);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Process::~Process() {
  if (pipe_ >= 0) close(pipe_);
  if (pid_ <= 0 || waited_) return;
  kill(pid_, SIGKILL);
  Wait();
}

Process::Outcome Process::ReadLine(double seconds, const std::function<bool()>& stopped,
                                   std::string* line) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLook = 100;  // milliseconds between looks at the clock
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const std::size_t at = buffer_.find('\n');
    if (at != std::string::npos) {
      *line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return Outcome::Line;
    }
    if (stopped()) return Outcome::Stopped;
    if (Clock::now() >= end) return Outcome::Late;
    pollfd waiting = {pipe_, POLLIN, 0};
    if (poll(&waiting, 1, kLook) <= 0) continue;
    char text[4096];
    const ssize_t count = read(pipe_, text, sizeof text);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Outcome::Ended;
    buffer_.append(text, static_cast<std::size_t>(count));
  }
}

std::string Process::Ending() {
  const int status = Wait();
  if (!WIFSIGNALED(status)) return "its process ended";
  const int signal = WTERMSIG(status);
  return "it was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

int Process::Wait() {
  int status = 0;
  while (!waited_ && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  waited_ = true;
  return status;
}

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

std::string AnswerOf(double seconds, std::string* problem,
                     const std::function<std::string()>& body) {
  Process process([&](int to) { WriteLine(to, body()); });
  if (!process.started()) {
    *problem = std::string("cannot start a process: ") + std::strerror(errno);
    return "";
  }
  std::string line;
  switch (process.ReadLine(seconds, Never, &line)) {
    case Process::Outcome::Line:
      return line;
    case Process::Outcome::Ended:
      *problem = process.Ending();
      break;
    case Process::Outcome::Late:
    case Process::Outcome::Stopped:
      *problem = "it took longer than " + std::to_string(static_cast<int>(seconds)) + " s";
      break;
  }
  return "";
}

}  // namespace stencilgen::measure
