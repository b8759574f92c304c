#pragma once

// A process for each piece of work: what crashes or hangs there stops nothing else.
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace pack {

/// What `body`, a function that returns a string, answers in a process of its own within so many
/// seconds. Where it does not, `problem` says why.
template <typename Body>
std::string InProcess(unsigned seconds, std::string* problem, Body body) {
  int ends[2];
  if (pipe(ends) != 0) {
    *problem = "no pipe";
    return "";
  }
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
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) {
    *problem = WTERMSIG(status) == SIGALRM ? "timed out"
                                           : "killed by signal " + std::to_string(WTERMSIG(status));
    return "";
  }
  if (answer.empty()) *problem = "gave no answer";
  return answer;
}

}  // namespace pack
