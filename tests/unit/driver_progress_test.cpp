#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "driver/progress.h"
#include "support/catch.h"

using stencilgen::driver::Progress;

namespace {

/// Standard error for as long as it lives.
class StandardError {
 public:
  explicit StandardError(int file) : kept_(dup(STDERR_FILENO)) { dup2(file, STDERR_FILENO); }
  ~StandardError() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 private:
  int kept_;
};

/// What can be read until the text has come, or nothing comes for so many milliseconds.
std::string ReadUntil(int file, const std::string& wanted, int patience) {
  std::string text;
  char part[256];
  pollfd ready{file, POLLIN, 0};
  while (wanted.empty() || text.find(wanted) == std::string::npos) {
    if (poll(&ready, 1, patience) != 1 || (ready.revents & POLLIN) == 0) break;
    const ssize_t count = read(file, part, sizeof(part));
    if (count <= 0) break;
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a terminal shows what is done, for how long and how much of it, and then nothing") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(screen >= 0);
  constexpr int kLong = 60'000;
  {
    const StandardError redirected(screen);
    Progress progress("counting sheep");
    const std::string first = "counting sheep ... 1 s";
    CHECK(Contains(ReadUntil(terminal, first, kLong), first));
    progress.Done(0.5);
    const std::string half = "counting sheep ... 50%,";
    CHECK(Contains(ReadUntil(terminal, half, kLong), half));
  }
  const std::string last = ReadUntil(terminal, "", 100);
  const std::string erased = "\r\x1b[K";
  REQUIRE(last.size() >= erased.size());
  CHECK(last.substr(last.size() - erased.size()) == erased);
  close(screen);
  close(terminal);
}

TEST_CASE("a pipe gets no progress") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  {
    const StandardError redirected(ends[1]);
    Progress progress("counting sheep");
    progress.Done(0.5);
    CHECK(ReadUntil(ends[0], "", 1500).empty());
  }
  CHECK(ReadUntil(ends[0], "", 100).empty());
  close(ends[0]);
  close(ends[1]);
}
