#include "driver/progress.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace stencilgen::driver {

namespace {

constexpr const char* kErase = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { Show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_one();
  thread_.join();
}

void Progress::Update(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  part_ = 0;
}

void Progress::Done(double part) {
  const std::lock_guard lock(mutex_);
  part_ = part;
}

void Progress::Say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}{}\n", shown_ ? kErase : "", line);
  shown_ = false;
}

void Progress::Show() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ended_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ended_; })) {
    const std::string part = part_ > 0 ? fmt::format(" {:.0f}%,", part_ * 100) : "";
    fmt::print(stderr, "{}{} ...{} {} s", kErase, what_, part, ++seconds);
    std::fflush(stderr);
    shown_ = true;
  }
  if (shown_) fmt::print(stderr, "{}", kErase);
}

}  // namespace stencilgen::driver
