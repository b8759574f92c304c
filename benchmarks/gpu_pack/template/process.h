#pragma once

// A process for each piece of work: what crashes or hangs there stops nothing else. Also in the
// folder of tests/gpu/pack.
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace pack {

struct Child {
  pid_t pid = -1;
  int answer = -1;  ///< the pipe that its answer comes through
};

/// Runs `body`, a function that returns a string, in a process of its own, for so many seconds.
template <typename Body>
Child Start(unsigned seconds, Body body) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    alarm(seconds);
    const std::string answer = body();
    std::size_t written = 0;
    while (written < answer.size()) {
      const ssize_t n = write(ends[1], answer.data() + written, answer.size() - written);
      if (n <= 0) break;
      written += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

/// Waits for the child's answer. Where it has none, `problem` says why.
inline std::string Finish(const Child& child, std::string* problem) {
  if (child.pid < 0) {
    *problem = "no process";
    return "";
  }
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = read(child.answer, buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(child.answer);
  int status = 0;
  waitpid(child.pid, &status, 0);
  if (WIFSIGNALED(status)) {
    *problem = WTERMSIG(status) == SIGALRM ? "timed out"
                                           : "killed by signal " + std::to_string(WTERMSIG(status));
    return "";
  }
  if (answer.empty()) *problem = "gave no answer";
  return answer;
}

template <typename Body>
std::string InProcess(unsigned seconds, std::string* problem, Body body) {
  return Finish(Start(seconds, body), problem);
}

}  // namespace pack
