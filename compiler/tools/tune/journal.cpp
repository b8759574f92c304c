#include "tools/tune/journal.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/files.h"
#include "driver/tuning_db.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Journal::Lines {
  std::vector<Json> all;
};

Journal::Journal(fs::path file, int descriptor)
    : file_(std::move(file)), descriptor_(descriptor), lines_(std::make_unique<Lines>()) {}

Journal::~Journal() {
  close(descriptor_);
}

std::variant<std::unique_ptr<Journal>, std::string> Journal::Open(const fs::path& file) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  // A process that was killed a moment ago may not be quite gone.
  constexpr int kAttempts = 15;
  for (int attempt = 1;; ++attempt) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      return fmt::format("cannot write `{}`: {}", file.string(), std::strerror(errno));
    }
    std::unique_ptr<Journal> journal(new Journal(file, descriptor));
    struct stat opened = {};
    struct stat named = {};
    if (fstat(descriptor, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      return fmt::format("`{}` is no file", file.string());
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (attempt < kAttempts) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        continue;
      }
      return fmt::format("`{}` is in use: the same program is being tuned", file.string());
    }
    // It may have been deleted before it was locked: by the process that had it open.
    if (stat(file.c_str(), &named) != 0 || named.st_ino != opened.st_ino) continue;
    if (auto error = journal->ReadLines()) return *error;
    return journal;
  }
}

std::optional<std::string> Journal::ReadLines() {
  std::string error;
  const auto text = ReadInput(file_.string(), error);
  if (!text) return error;
  std::size_t begin = 0;
  for (std::size_t end; (end = text->find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto line = ParseJson(file_.string(), text->substr(begin, end - begin), lines_->all.size() + 1);
    if (auto* wrong = std::get_if<std::string>(&line)) return *wrong;
    lines_->all.push_back(std::get<Json>(std::move(line)));
  }
  if (begin == text->size() || ftruncate(descriptor_, static_cast<off_t>(begin)) == 0) {
    return std::nullopt;
  }
  return fmt::format("cannot write `{}`: {}", file_.string(), std::strerror(errno));
}

const std::vector<Json>& Journal::lines() const {
  return lines_->all;
}

std::optional<std::string> Journal::Add(const Json& line) {
  const std::string text = line.dump() + "\n";
  struct stat before = {};
  const bool known = fstat(descriptor_, &before) == 0;
  std::size_t written = 0;
  while (known && written < text.size()) {
    const ssize_t count = write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (written == text.size() && fdatasync(descriptor_) == 0) return std::nullopt;
  std::string error = fmt::format("cannot write `{}`: {}", file_.string(), std::strerror(errno));
  // Without this the next process cuts it off.
  if (known && ftruncate(descriptor_, before.st_size) != 0) error += " (its last line is broken)";
  return error;
}

void Journal::Remove() {
  unlink(file_.c_str());
}

}  // namespace stencilgen::driver
