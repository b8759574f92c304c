#include "driver/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/interrupts.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 28;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string SystemError() {
  return std::strerror(errno);
}

/// The system's folder for temporary files.
fs::path SystemFolder() {
  std::error_code status;
  const fs::path folder = fs::temp_directory_path(status);
  return status ? "/tmp" : folder;
}

/// Writes and flushes. Empty on success.
std::optional<std::string> WriteAll(std::FILE* file, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (whole && std::fflush(file) == 0) return std::nullopt;
  return SystemError();
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() : TemporaryDirectory(SystemFolder(), "stencilgen-") {}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent, std::string_view prefix) {
  std::string name = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  RemoveOnInterrupt(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (path_.empty()) return;
  fs::remove_all(path_, ignored);
  KeepOnInterrupt(path_);
}

bool IsCppFile(const std::string& path) {
  static constexpr std::array kExtensions = std::to_array<std::string_view>(
      {".c",   ".cc",  ".cp",  ".cpp", ".cxx", ".c++", ".C",   ".CPP", ".cu",
       ".cuh", ".h",   ".hh",  ".hp",  ".hpp", ".hxx", ".h++", ".H",   ".HPP",
       ".inl", ".ipp", ".ixx", ".tcc", ".tpp", ".txx", ".cppm"});
  const std::string extension = std::filesystem::path(path).extension().string();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a != "-" && b != "-" && fs::equivalent(a, b, ignored);
}

std::optional<std::string> ReadInput(const std::string& path, std::string& error) {
  std::error_code ignored;
  if (path != "-" && fs::is_directory(path, ignored)) {
    error = fmt::format("`{}` is a folder", path);
    return std::nullopt;
  }
  File opened;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (!opened) {
      error = fmt::format("cannot read `{}`: {}", path, SystemError());
      return std::nullopt;
    }
  }
  std::FILE* file = opened ? opened.get() : stdin;
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, count);
    if (text.size() > kLargestInput) {
      error = fmt::format("`{}` is too large for a program", path);
      return std::nullopt;
    }
  }
  if (std::ferror(file) != 0) {
    error = fmt::format("cannot read `{}`: {}", path, SystemError());
    return std::nullopt;
  }
  return text;
}

bool IsWrittenInPlace(const std::string& path) {
  std::error_code status;
  return fs::exists(path, status) && !fs::is_directory(path, status) &&
         !fs::is_regular_file(path, status);
}

FilesBeside::~FilesBeside() {
  for (const Pending& file : files_) {
    if (!file.taken) unlink(file.beside.c_str());
    KeepOnInterrupt(file.beside);
  }
}

std::optional<std::string> FilesBeside::Add(const std::string& path, std::string& beside) {
  std::error_code status;
  const fs::path target = fs::weakly_canonical(path, status);
  if (status) return status.message();
  if (fs::is_directory(target, status)) return "it is a folder";
  if (access(target.c_str(), F_OK) == 0 && access(target.c_str(), W_OK) != 0) return SystemError();
  beside = target.string() + ".XXXXXX";
  const int descriptor = mkstemp(beside.data());
  if (descriptor < 0) return SystemError();
  RemoveOnInterrupt(beside);
  files_.push_back({target, beside});
  // mkstemp makes private files; an output file has the usual permissions.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  close(descriptor);
  return std::nullopt;
}

std::optional<std::string> FilesBeside::TakePlaces() {
  for (Pending& file : files_) {
    if (rename(file.beside.c_str(), file.target.c_str()) != 0) {
      return fmt::format("cannot write `{}`: {}", file.target.string(), SystemError());
    }
    KeepOnInterrupt(file.beside);
    file.taken = true;
  }
  return std::nullopt;
}

namespace {

/// Writes the file, or one beside it. Empty on success.
std::optional<std::string> Write(const OutputFile& output, FilesBeside& beside) {
  std::string path = output.path;
  if (!IsWrittenInPlace(path)) {
    if (auto error = beside.Add(output.path, path)) return error;
  }
  const File file(std::fopen(path.c_str(), "wb"));
  return file ? WriteAll(file.get(), output.text) : SystemError();
}

}  // namespace

std::optional<std::string> WriteOutputs(const std::vector<OutputFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (files[i].path == files[j].path || SameFile(files[i].path, files[j].path)) {
        return fmt::format("cannot write `{}` twice", files[i].path);
      }
    }
  }
  FilesBeside beside;
  for (const OutputFile& file : files) {
    if (file.path == "-") continue;
    if (auto error = Write(file, beside)) {
      return fmt::format("cannot write `{}`: {}", file.path, *error);
    }
  }
  for (const OutputFile& file : files) {
    if (file.path != "-") continue;
    if (auto error = WriteStandardOutput(file.text)) return error;
  }
  return beside.TakePlaces();
}

std::optional<std::string> WriteStandardOutput(std::string_view text) {
  if (auto error = WriteAll(stdout, text)) {
    return fmt::format("cannot write to standard output: {}", *error);
  }
  return std::nullopt;
}

}  // namespace stencilgen::driver
