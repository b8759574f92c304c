#include "driver/prepared_emulator.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "driver/text_hash.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

/// What generated code includes beside the emulator is precompiled with it.
constexpr const char* kHeader =
    "#include <algorithm>\n"
    "#include <climits>\n"
    "#include <cmath>\n"
    "#include <cstdarg>\n"
    "#include <cstddef>\n"
    "#include <cstdint>\n"
    "#include <cstdio>\n"
    "#include <initializer_list>\n"
    "#include <type_traits>\n"
    "#include <utility>\n"
    "#include \"stencilgen/emulator.hpp\"\n";

/// A program's name, size and time: what differs where another one is installed.
std::string Stamp(const fs::path& program) {
  std::error_code failure;
  const auto size = fs::file_size(program, failure);
  if (failure) return "";
  const auto time = fs::last_write_time(program, failure).time_since_epoch().count();
  return fmt::format("{} {} {}", program.string(), size, time);
}

/// The command with the stamps of the programs that it names, and what of the environment decides
/// which files are included.
std::string CommandKey(const std::vector<std::string>& compile) {
  std::string text = kHeader;
  for (const std::string& word : compile) {
    text += word + "\n";
    if (word.rfind('-', 0) == 0) continue;
    std::error_code ignored;
    const fs::path program = FindProgram(word);
    if (!program.empty()) text += Stamp(fs::canonical(program, ignored)) + "\n";
  }
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(name);
    text += fmt::format("{}={}\n", name, value == nullptr ? "" : value);
  }
  return TextHash(text);
}

/// The prerequisites of a rule for Make, as a compiler writes it.
std::vector<std::string> Prerequisites(const fs::path& rule) {
  std::ifstream file(rule);
  std::vector<std::string> words;
  for (std::string word; file >> word;) {
    if (word != "\\") words.push_back(word);
  }
  if (!words.empty()) words.erase(words.begin());
  return words;
}

std::string Precompiled(const PreparedEmulator& emulator) {
  return emulator.header.string() + ".gch";
}

/// The first four bytes of a file, which tell its format.
std::string StartOf(const std::string& path) {
  std::string start(4, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), 4);
  return start;
}

/// One process at a time makes what has this key.
class Lock {
 public:
  explicit Lock(const fs::path& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) return;
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_ >= 0) close(file_);
  }

 private:
  int file_;
};

class Preparation {
 public:
  Preparation(const std::vector<std::string>& compile, const fs::path& cache)
      : compile_(compile), parent_(cache / "emulator"), key_(CommandKey(compile)) {}

  std::optional<PreparedEmulator> Find() const {
    const std::vector<std::string> included = ReadIncluded();
    if (included.empty()) return std::nullopt;
    const PreparedEmulator found = In(FolderOf(included));
    std::error_code ignored;
    if (!fs::exists(found.header, ignored)) return std::nullopt;
    return found;
  }

  std::optional<PreparedEmulator> Make() const {
    std::error_code failure;
    fs::create_directories(parent_, failure);
    if (failure) return std::nullopt;
    const Lock lock(parent_ / (key_ + ".lock"));
    if (auto made = Find()) return made;  // by another process, meanwhile
    RemoveOld();
    const TemporaryDirectory unfinished(parent_, key_ + "-unfinished-");
    if (unfinished.path().empty()) return std::nullopt;
    const auto start = fs::file_time_type::clock::now();
    if (!Compile(In(unfinished.path()))) return std::nullopt;
    std::vector<std::string> lasting;
    for (const std::string& file : Prerequisites(unfinished.path() / "rule")) {
      if (fs::path(file).parent_path() == unfinished.path()) continue;
      // What is written meanwhile may have been read before; clocks of files are coarse.
      const auto written = fs::last_write_time(file, failure);
      if (failure || written > start - std::chrono::seconds(1)) return std::nullopt;
      lasting.push_back(file);
    }
    if (lasting.empty()) return std::nullopt;
    const fs::path folder = FolderOf(lasting);
    fs::rename(unfinished.path(), folder, failure);
    if (failure) return std::nullopt;
    if (WriteOutputs({{Included().string(), fmt::format("{}\n", fmt::join(lasting, "\n"))}})) {
      return std::nullopt;
    }
    return In(folder);
  }

 private:
  static PreparedEmulator In(const fs::path& folder) {
    return {folder / "emulator.hpp", folder / "emulator.o"};
  }
  /// The file that names what was included the last time.
  fs::path Included() const { return parent_ / (key_ + ".included"); }
  std::vector<std::string> ReadIncluded() const {
    std::ifstream file(Included());
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) names.push_back(line);
    return names;
  }
  /// Where the emulator of these files is, with what is in them now.
  fs::path FolderOf(const std::vector<std::string>& included) const {
    std::string contents, unread;
    for (const std::string& file : included) {
      contents += file + "\n" + ReadInput(file, unread).value_or("");
    }
    return parent_ / fmt::format("{}-{}", key_, TextHash(contents));
  }

  /// Of other states of the files, and of processes that were killed: nobody uses them any more.
  void RemoveOld() const {
    std::error_code ignored;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& entry : fs::directory_iterator(parent_, ignored)) {
      const bool same = entry.path().filename().string().rfind(key_ + "-", 0) == 0;
      if (same && entry.last_write_time(ignored) < long_ago) fs::remove_all(entry.path(), ignored);
    }
  }

  bool Compile(const PreparedEmulator& emulator) const {
    std::ofstream(emulator.header) << kHeader;
    const fs::path folder = emulator.header.parent_path();
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> command = compile_;
      command.insert(command.end(), more.begin(), more.end());
      return RunProcess(command).status == 0;
    };
    auto object =
        std::async(std::launch::async, run,
                   std::vector<std::string>{
                       "-O2", "-w", "-fvisibility=hidden", "-DSTENCILGEN_EMULATOR_OBJECT", "-c",
                       "-o", emulator.object.string(), "-x", "c++", emulator.header.string()});
    const bool precompiled =
        run({"-w", "-DSTENCILGEN_EMULATOR_COMPILED", "-MD", "-MF", (folder / "rule").string(), "-o",
             Precompiled(emulator), "-x", "c++-header", emulator.header.string()});
    if (!object.get() || !precompiled) return false;
    // Clang's holds the paths that files have now. Without it, the header is read as it is.
    std::error_code failure;
    if (StartOf(Precompiled(emulator)) == "CPCH") fs::remove(Precompiled(emulator), failure);
    return !failure;
  }

  std::vector<std::string> compile_;
  fs::path parent_;
  std::string key_;
};

}  // namespace

std::vector<std::string> PreparedEmulator::CompileArguments() const {
  return {"-DSTENCILGEN_EMULATOR_COMPILED", "-include", header.string()};
}

std::optional<PreparedEmulator> PrepareEmulator(const std::vector<std::string>& compile,
                                                const fs::path& cache) {
  if (cache.empty() || compile.empty()) return std::nullopt;
  const Preparation preparation(compile, cache);
  if (auto found = preparation.Find()) return found;
  return preparation.Make();
}

}  // namespace stencilgen::driver
