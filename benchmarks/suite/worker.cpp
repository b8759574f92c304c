#include "suite/worker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace stencilgen::suite {
namespace {

/// Of one answer: compilers take their time.
constexpr int kMostSeconds = 300;

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// The last line that is not empty.
std::string LastWords(int file) {
  std::string text(1 << 16, '\0');
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t count = pread(file, text.data(), text.size(), begin);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::unique_ptr<Worker> Worker::Start(std::vector<std::string> arguments, std::string& error) {
  std::unique_ptr<Worker> worker(new Worker());
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  worker->memory_ = memfd_create("stencilgen-arrays", MFD_CLOEXEC);
  worker->errors_ = memfd_create("stencilgen-errors", MFD_CLOEXEC);
  if (worker->memory_ < 0 || worker->errors_ < 0 || pipe2(to, O_CLOEXEC) != 0 ||
      pipe2(from, O_CLOEXEC) != 0) {
    error = std::strerror(errno);
    Close(to[0]);
    Close(to[1]);
    return nullptr;
  }
  worker->to_ = to[1];
  worker->from_ = from[0];
  arguments.push_back(fmt::format("{}", worker->memory_));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, worker->errors_, STDERR_FILENO);
  // Onto itself: inherited.
  posix_spawn_file_actions_adddup2(&actions, worker->memory_, worker->memory_);
  const int failed =
      posix_spawnp(&worker->child_, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  Close(to[0]);
  Close(from[1]);
  if (failed != 0) {
    worker->child_ = 0;
    error = fmt::format("cannot start `{}`: {}", arguments.front(), std::strerror(failed));
    return nullptr;
  }
  const auto ready = worker->Answer(error);
  if (!ready) return nullptr;
  worker->ready_ = *ready;
  return worker;
}

Worker::~Worker() {
  End();
  Share(0);
  for (int* descriptor : {&to_, &from_, &errors_, &memory_}) Close(*descriptor);
}

std::optional<Json> Worker::Ask(const Json& request, std::string& error) {
  if (!alive()) {
    error = "the process is gone";
    return std::nullopt;
  }
  const std::string line = request.dump() + "\n";
  // A process that is gone is noticed when its answer does not come.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t count = write(to_, line.data() + at, line.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    at += static_cast<std::size_t>(count);
  }
  std::signal(SIGPIPE, before);
  auto answer = Answer(error);
  if (!answer || !answer->contains("error")) return answer;
  error = answer->value("error", "");
  return std::nullopt;
}

std::optional<Json> Worker::Answer(std::string& error) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  for (;;) {
    const std::size_t newline = read_.find('\n');
    if (newline != std::string::npos) {
      Json answer = Json::parse(read_.substr(0, newline), nullptr, false);
      read_.erase(0, newline + 1);
      // Anything else is what libraries print.
      if (answer.is_object()) return answer;
      continue;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{from_, POLLIN, 0};
    const int polled = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) {
      End();
      error = fmt::format("no answer in {} s", kMostSeconds);
      return std::nullopt;
    }
    char buffer[1 << 12];
    const ssize_t count = read(from_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      error = End();
      return std::nullopt;
    }
    read_.append(buffer, static_cast<std::size_t>(count));
  }
}

std::byte* Worker::Share(std::size_t bytes) {
  if (bytes == bytes_ && shared_ != nullptr) return shared_;
  if (shared_ != nullptr) munmap(shared_, bytes_);
  shared_ = nullptr;
  bytes_ = 0;
  if (bytes == 0 || ftruncate(memory_, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (mapped == MAP_FAILED) return nullptr;
  shared_ = static_cast<std::byte*>(mapped);
  bytes_ = bytes;
  return shared_;
}

std::string Worker::End() {
  if (child_ <= 0) return "";
  // One that has closed its output ends by itself; all others wait for requests.
  int status = 0;
  Close(to_);
  for (int tries = 0; tries < 200 && waitpid(child_, &status, WNOHANG) == 0; ++tries) {
    usleep(10'000);
    if (tries == 199) {
      kill(child_, SIGKILL);
      while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  child_ = 0;
  const std::string how = WIFEXITED(status)
                              ? fmt::format("it ended with status {}", WEXITSTATUS(status))
                              : fmt::format("signal {} ended it", WTERMSIG(status));
  const std::string words = LastWords(errors_);
  return words.empty() ? how : fmt::format("{}: {}", how, words);
}

}  // namespace stencilgen::suite
