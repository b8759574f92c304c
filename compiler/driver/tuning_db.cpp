#include "driver/tuning_db.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "driver/files.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kFormat = 1;

std::string SystemError() {
  return std::strerror(errno);
}

/// A file descriptor, closed with it, and with it any lock.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Reads members of an object, and remembers the first that is not as it must be.
class MemberReader {
 public:
  explicit MemberReader(const Json& json) : json_(json) {
    if (!json.is_object()) error_ = "it is no object";
  }

  template <typename T>
  void Read(const char* name, T& value) {
    if (!error_.empty()) return;
    const auto at = json_.find(name);
    if (at == json_.end()) {
      error_ = fmt::format("it has no `{}`", name);
      return;
    }
    try {
      at->get_to(value);
    } catch (const Json::exception&) {
      error_ = fmt::format("its `{}` is {}, which it cannot be", name, at->type_name());
    }
  }
  const std::string& error() const { return error_; }

 private:
  const Json& json_;
  std::string error_;
};

/// Replaces the file by one with this text: a new file, on disk before it gets the name. Nobody
/// else may do so at the same time.
std::optional<std::string> Replace(const fs::path& file, const std::string& text) {
  const std::string fresh = file.string() + ".new";
  const auto failed = [&]() -> std::optional<std::string> {
    const std::string why = SystemError();
    unlink(fresh.c_str());
    return fmt::format("cannot write `{}`: {}", file.string(), why);
  };
  const Descriptor to(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (to.get() < 0) return fmt::format("cannot write `{}`: {}", file.string(), SystemError());
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(to.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed();
    written += static_cast<std::size_t>(count);
  }
  if (fsync(to.get()) != 0 || rename(fresh.c_str(), file.c_str()) != 0) return failed();
  return std::nullopt;
}

}  // namespace

Json ToJson(const TuningKey& key) {
  Json json;
  json["program"] = key.program;
  json["type"] = key.type;
  json["target"] = key.target;
  json["arch"] = key.arch;
  json["device"] = key.device;
  json["sizes"] = key.sizes;
  json["given"] = key.given;
  json["compiler"] = key.compiler;
  json["version"] = key.version;
  return json;
}

Json ToJson(const TuningEntry& entry) {
  Json json;
  json["name"] = entry.name;
  json["key"] = ToJson(entry.key);
  json["options"] = entry.options;
  json["default_ms"] = entry.default_ms;
  json["tuned_ms"] = entry.tuned_ms;
  json["gain"] = entry.gain;
  json["pairs"] = entry.pairs;
  json["candidates"] = entry.candidates;
  return json;
}

std::variant<TuningKey, std::string> KeyFromJson(const Json& json) {
  TuningKey key;
  MemberReader reader(json);
  reader.Read("program", key.program);
  reader.Read("type", key.type);
  reader.Read("target", key.target);
  reader.Read("arch", key.arch);
  reader.Read("device", key.device);
  reader.Read("sizes", key.sizes);
  reader.Read("given", key.given);
  reader.Read("compiler", key.compiler);
  reader.Read("version", key.version);
  if (!reader.error().empty()) return reader.error();
  return key;
}

std::variant<TuningEntry, std::string> EntryFromJson(const Json& json) {
  TuningEntry entry;
  Json key;
  MemberReader reader(json);
  reader.Read("name", entry.name);
  reader.Read("key", key);
  reader.Read("options", entry.options);
  reader.Read("default_ms", entry.default_ms);
  reader.Read("tuned_ms", entry.tuned_ms);
  reader.Read("gain", entry.gain);
  reader.Read("pairs", entry.pairs);
  reader.Read("candidates", entry.candidates);
  if (!reader.error().empty()) return reader.error();
  auto read = KeyFromJson(key);
  if (auto* error = std::get_if<std::string>(&read)) return fmt::format("its key: {}", *error);
  entry.key = std::get<TuningKey>(std::move(read));
  return entry;
}

std::variant<Json, std::string> ParseJson(const std::string& file, const std::string& text,
                                          std::size_t first_line) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t begin = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t column = begin == std::string::npos ? at + 1 : at - begin;
    return fmt::format("{}:{}:{}: this is not JSON", file,
                       first_line + static_cast<std::size_t>(line), column);
  } catch (const Json::exception&) {
    return fmt::format("{}:{}: a number is beyond what a double holds", file, first_line);
  }
}

std::variant<TuningDatabase, std::string> ReadTuningDatabase(const fs::path& file) {
  std::error_code status;
  if (!fs::exists(file, status)) {
    if (!status || status == std::errc::no_such_file_or_directory) return TuningDatabase{};
    return fmt::format("cannot read `{}`: {}", file.string(), status.message());
  }
  if (!fs::is_regular_file(file, status)) return fmt::format("`{}` is no file", file.string());
  std::string error;
  const auto text = ReadInput(file.string(), error);
  if (!text) return error;
  auto parsed = ParseJson(file.string(), *text);
  if (auto* wrong = std::get_if<std::string>(&parsed)) return *wrong;
  const Json& json = std::get<Json>(parsed);
  const auto format = json.is_object() ? json.find("stencilgen_tuning") : json.end();
  if (!json.is_object() || format == json.end() || !format->is_number_integer()) {
    return fmt::format("{}:1: this is no tuning database", file.string());
  }
  if (format->get<int>() != kFormat) {
    return fmt::format("{}:1: this database is of another version of stencilgen", file.string());
  }
  const auto list = json.find("entries");
  if (list == json.end() || !list->is_array()) {
    return fmt::format("{}: there is no list of `entries`", file.string());
  }
  TuningDatabase database;
  for (const Json& each : *list) {
    auto entry = EntryFromJson(each);
    if (auto* wrong = std::get_if<std::string>(&entry)) {
      return fmt::format("{}: entry {}: {}", file.string(), database.entries.size() + 1, *wrong);
    }
    database.entries.push_back(std::get<TuningEntry>(std::move(entry)));
  }
  return database;
}

std::optional<std::string> StoreTuningEntry(const fs::path& given, const TuningEntry& entry) {
  std::error_code ignored;
  // A link is followed, and the file behind it replaced.
  fs::path file = fs::weakly_canonical(given, ignored);
  if (file.empty()) file = given;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  const std::string lock_name = file.string() + ".lock";
  const Descriptor lock(open(lock_name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.get() < 0) return fmt::format("cannot write `{}`: {}", lock_name, SystemError());
  while (flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fmt::format("cannot lock `{}`: {}", lock_name, SystemError());
  }
  auto read = ReadTuningDatabase(file);
  if (auto* error = std::get_if<std::string>(&read)) return *error;
  if (access(file.c_str(), F_OK) == 0 && access(file.c_str(), W_OK) != 0) {
    return fmt::format("cannot write `{}`: {}", file.string(), SystemError());
  }
  auto& database = std::get<TuningDatabase>(read);
  std::erase_if(database.entries, [&](const TuningEntry& old) { return old.key == entry.key; });
  database.entries.push_back(entry);
  Json json;
  json["stencilgen_tuning"] = kFormat;
  json["entries"] = Json::array();
  for (const TuningEntry& each : database.entries) json["entries"].push_back(ToJson(each));
  return Replace(file, json.dump(1) + "\n");
}

fs::path TuningDatabaseFile(const Options& options) {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  const std::string said =
      options.tuning_db ? *options.tuning_db : variable("STENCILGEN_TUNING_DB");
  if (said == "none") return {};
  if (!said.empty()) return said;
  if (fs::path data = variable("XDG_DATA_HOME"); !data.empty()) {
    return data / "stencilgen" / "tuning.json";
  }
  if (fs::path home = variable("HOME"); !home.empty()) {
    return home / ".local" / "share" / "stencilgen" / "tuning.json";
  }
  return {};
}

}  // namespace stencilgen::driver
