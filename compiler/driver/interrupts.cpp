#include "driver/interrupts.h"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace stencilgen::driver {

namespace {

namespace fs = std::filesystem;

/// What an interrupt ends and removes.
struct Belongings {
  std::mutex mutex;  ///< held for good once an interrupt ends the process
  std::vector<pid_t> children;
  std::vector<fs::path> paths;
  std::function<void()> asked;
};

Belongings& All() {
  // Never destroyed: the thread that waits for signals is there to the end.
  static Belongings* const all = new Belongings;
  return *all;
}

void RemoveAll(const std::vector<fs::path>& paths) {
  std::error_code ignored;
  for (const fs::path& path : paths) fs::remove_all(path, ignored);
}

/// Ends the process by the signal.
void Die(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

void WaitForSignals(const sigset_t& signals) {
  Belongings& all = All();
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    all.mutex.lock();
    if (!all.asked) {
      for (const pid_t child : all.children) EndChild(child);
      RemoveAll(all.paths);
      Die(signal);
    }
    all.asked();
    all.mutex.unlock();
  }
}

}  // namespace

void HandleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  // Threads have what blocks the one that starts them: the signals reach who waits for them alone.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { WaitForSignals(signals); }).detach();
}

void CallOnInterrupt(std::function<void()> asked) {
  Belongings& all = All();
  const std::lock_guard lock(all.mutex);
  all.asked = std::move(asked);
}

void RemoveOnInterrupt(const fs::path& path) {
  Belongings& all = All();
  const std::lock_guard lock(all.mutex);
  all.paths.push_back(path);
}

void KeepOnInterrupt(const fs::path& path) {
  Belongings& all = All();
  const std::lock_guard lock(all.mutex);
  std::erase(all.paths, path);
}

pid_t StartChild(const std::function<pid_t()>& start) {
  Belongings& all = All();
  const std::lock_guard lock(all.mutex);
  const pid_t child = start();
  if (child > 0) all.children.push_back(child);
  return child;
}

void ForgetChild(pid_t child) {
  Belongings& all = All();
  const std::lock_guard lock(all.mutex);
  std::erase(all.children, child);
}

void EndChild(pid_t child) {
  constexpr int kTenths = 50;
  kill(child, SIGTERM);
  for (int n = 0; n < kTenths; ++n) {
    siginfo_t ended = {};
    const int status = waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (status != 0 || ended.si_pid == child) return;
    usleep(100000);
  }
  kill(child, SIGKILL);
}

}  // namespace stencilgen::driver
