// The tuning database and the journal of a tune: nothing is lost, nothing is half written.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "driver/embed.h"
#include "driver/files.h"
#include "driver/tuning_db.h"
#include "driver/use_tuned.h"
#include "frontend/read_program.h"
#include "support/catch.h"
#include "tools/tune/journal.h"

namespace stencilgen {
namespace {

using namespace driver;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

TuningEntry Entry(std::int64_t size, const std::string& option = "8") {
  TuningEntry entry;
  entry.name = "p";
  entry.key = {"hash", "double", "cpp", "", "a CPU, 2 threads", {{"N", size}}, {}, "g++", "0.1.0"};
  entry.options = {{"--tile", "j=" + option}, {"--distribute", ""}};
  entry.default_ms = 2.5;
  entry.tuned_ms = 2;
  entry.gain = 1.25;
  entry.pairs = 7;
  entry.candidates = 30;
  return entry;
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void Write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<TuningEntry> Entries(const fs::path& path) {
  auto read = ReadTuningDatabase(path);
  if (const auto* error = std::get_if<std::string>(&read)) FAIL(*error);
  return std::get<TuningDatabase>(std::move(read)).entries;
}
std::string ErrorOf(const fs::path& path) {
  const auto read = ReadTuningDatabase(path);
  const auto* error = std::get_if<std::string>(&read);
  return error == nullptr ? "" : *error;
}

std::unique_ptr<Journal> OpenJournal(const fs::path& path) {
  auto opened = Journal::Open(path);
  if (const auto* error = std::get_if<std::string>(&opened)) FAIL(*error);
  return std::get<std::unique_ptr<Journal>>(std::move(opened));
}

graph::Program Read(const std::string& text) {
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  auto program = ReadProgram(source, sink);
  REQUIRE(program);
  return *std::move(program);
}

const std::string kProgram =
    "parameter N=100, T=4; iterator j, i; double u[N,N], v[N,N]; copyin u, v;\n"
    "stencil s (A, B) { B[j][i] = A[j-1][i] + A[j+1][i]; }\n"
    "iterate T { s (u, v); swap u, v; } copyout u;\n";

TEST_CASE("what is stored is read again, and replaces what has the same key") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "new" / "folder" / "tuning.json";
  CHECK(Entries(file).empty());
  REQUIRE_FALSE(StoreTuningEntry(file, Entry(100)));
  REQUIRE_FALSE(StoreTuningEntry(file, Entry(200)));
  REQUIRE_FALSE(StoreTuningEntry(file, Entry(100, "16")));
  const std::vector<TuningEntry> entries = Entries(file);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].key.sizes.at("N") == 200);
  CHECK(entries[1].key == Entry(100).key);
  CHECK(entries[1].options == OptionSet{{"--tile", "j=16"}, {"--distribute", ""}});
  CHECK(entries[1].gain == 1.25);
  CHECK(entries[1].pairs == 7);
  CHECK_FALSE(fs::exists(file.string() + ".new"));
}

TEST_CASE("several processes may store at the same time") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "tuning.json";
  constexpr int kThreads = 8;
  constexpr int kEach = 10;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < kEach; ++k) StoreTuningEntry(file, Entry(1000 * t + k));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(Entries(file).size() == kThreads * kEach);
}

TEST_CASE("a broken database is an error with a place, and stays as it is") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "tuning.json";
  const auto check = [&](const std::string& text, const std::string& place) {
    Write(file, text);
    INFO(text << ErrorOf(file));
    CHECK(ErrorOf(file).find(file.string() + place) != std::string::npos);
    const auto error = StoreTuningEntry(file, Entry(1));
    REQUIRE(error);
    CHECK(error->find(file.string() + place) != std::string::npos);
    CHECK(Read(file) == text);
  };
  check("", ":1:1: this is not JSON");
  check("{\n \"stencilgen_tuning\": 1,\n oops\n}\n", ":3:2: this is not JSON");
  check("[1, 2]", ":1: this is no tuning database");
  check("{\"stencilgen_tuning\": 99, \"entries\": []}", ":1: this database is of another version");
  check("{\"stencilgen_tuning\": 1}", ": there is no list of `entries`");
  check("{\"stencilgen_tuning\": 1, \"entries\": [{\"name\": 3}]}", ": entry 1: its `name`");
  check("{\"stencilgen_tuning\": 1, \"entries\": [{\"name\": \"p\"}]}",
        ": entry 1: it has no `key`");
  check("{\"stencilgen_tuning\": 1e999}", ":1: a number");
  // Every prefix of a whole one.
  fs::remove(file);
  REQUIRE_FALSE(StoreTuningEntry(file, Entry(1)));
  const std::string whole = Read(file);
  for (std::size_t size = 1; size + 2 < whole.size(); size += 13) {
    Write(file, whole.substr(0, size));
    CHECK(ErrorOf(file).find("this is not JSON") != std::string::npos);
  }
}

TEST_CASE("what is no file is no database") {
  CHECK(ErrorOf("/dev/full").find("no file") != std::string::npos);
  CHECK(StoreTuningEntry("/dev/null/tuning.json", Entry(1)));
  const TemporaryDirectory folder;
  CHECK_FALSE(ErrorOf(folder.path()).empty());
  CHECK(StoreTuningEntry(folder.path(), Entry(1)));
}

TEST_CASE("a journal gives back the lines that it was given") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.journal";
  {
    const auto journal = OpenJournal(file);
    CHECK(journal->lines().empty());
    CHECK_FALSE(journal->Add({{"x", 1}}));
    CHECK_FALSE(journal->Add({{"text", "two\nlines"}}));
  }
  const auto journal = OpenJournal(file);
  REQUIRE(journal->lines().size() == 2);
  CHECK(journal->lines()[0]["x"] == 1);
  CHECK(journal->lines()[1]["text"] == "two\nlines");
  journal->Remove();
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("a line that was being written when the process died is cut off") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.journal";
  const std::string whole = "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Write(file, whole.substr(0, size));
    INFO(size);
    {
      const auto journal = OpenJournal(file);
      CHECK(journal->lines().size() == size / 8);
      CHECK_FALSE(journal->Add({{"x", 9}}));
    }
    const auto journal = OpenJournal(file);
    REQUIRE(journal->lines().size() == size / 8 + 1);
    CHECK(journal->lines().back()["x"] == 9);
  }
}

TEST_CASE("a journal with a broken line is an error with its line, and stays as it is") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.journal";
  const std::string text = "{\"x\":1}\n{\"x\":\n{\"x\":3}\n";
  Write(file, text);
  const auto opened = Journal::Open(file);
  REQUIRE(std::holds_alternative<std::string>(opened));
  CHECK(std::get<std::string>(opened).find(file.string() + ":2:") == 0);
  CHECK(Read(file) == text);
}

TEST_CASE("one process at a time has a journal") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.journal";
  {
    const auto first = OpenJournal(file);
    const auto second = Journal::Open(file);
    REQUIRE(std::holds_alternative<std::string>(second));
    CHECK(std::get<std::string>(second).find("in use") != std::string::npos);
  }
  CHECK(OpenJournal(file)->lines().empty());
  const auto nowhere = Journal::Open("/dev/null/a.journal");
  CHECK(std::holds_alternative<std::string>(nowhere));
}

TEST_CASE("programs are the same by what they mean") {
  const ProgramIdentity one = IdentityOf(Read(kProgram));
  CHECK(one.type == "double");
  CHECK(one.extents == std::vector<std::string>{"N"});
  CHECK(one.defaults == std::map<std::string, std::int64_t>{{"N", 100}, {"T", 4}});
  const auto hash = [&](const std::string& from, const std::string& to) {
    std::string text = kProgram;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    REQUIRE(text != kProgram);
    return IdentityOf(Read(text)).hash;
  };
  CHECK(one.hash.size() == 32);
  CHECK(hash("copyin", "// a comment\n  copyin") == one.hash);
  CHECK(hash("N=100", "N=200") == one.hash);
  CHECK(hash("T=4", "T") == one.hash);
  CHECK(hash("double", "float") != one.hash);
  CHECK(hash("A[j-1]", "A[j-2]") != one.hash);
}

TEST_CASE("an entry is used for the sizes, options, machine and version that it is for") {
  const ProgramIdentity identity = IdentityOf(Read(kProgram));
  TuningDatabase database;
  const auto add = [&](std::int64_t size, std::int64_t steps) {
    TuningEntry entry = Entry(size);
    entry.key.program = identity.hash;
    entry.key.sizes = {{"N", size}, {"T", steps}};
    entry.key.version = STENCILGEN_VERSION;
    database.entries.push_back(entry);
  };
  add(100, 50);
  add(200, 4);
  const auto find = [&](std::vector<std::string> arguments, Target target = Target::Cpp,
                        const std::string& device = "a CPU, 2 threads") {
    arguments.insert(arguments.begin(), "p.idsl");
    if (target == Target::Cpp) arguments.insert(arguments.end(), {"--target", "cpp"});
    const auto parsed = ParseCommandLine(arguments);
    REQUIRE(std::holds_alternative<Options>(parsed));
    return FindTuned(database, std::get<Options>(parsed), identity, target, "sm_90", device);
  };
  REQUIRE(find({}) == &database.entries[0]);
  CHECK(find({"-D", "T=7"}) == &database.entries[0]);  // steps do not matter
  CHECK(find({"-D", "N=200"}) == &database.entries[1]);
  CHECK(find({"-D", "N=300"}) == nullptr);
  CHECK(find({"--unroll", "j=2"}) == nullptr);
  CHECK(find({"--fp", "strict"}) == nullptr);
  CHECK(find({}, Target::Cuda) == nullptr);
  CHECK(find({}, Target::Cpp, "another") == nullptr);
  // The newest of the same merit; the same steps are worth more.
  add(100, 60);
  CHECK(find({}) == &database.entries[2]);
  add(100, 4);
  add(100, 70);
  CHECK(find({}) == &database.entries[3]);
  // What was tuned with an option given is for command lines with it.
  add(100, 4);
  database.entries.back().key.given = {{"--fp", "strict"}};
  CHECK(find({"--fp", "strict"}) == &database.entries.back());
  CHECK(find({}) == &database.entries[3]);
  // For CUDA the architecture counts, not the machine that compiles.
  add(100, 4);
  database.entries.back().key.target = "cuda";
  database.entries.back().key.arch = "sm_90";
  CHECK(find({}, Target::Cuda, "") == &database.entries.back());
  database.entries.back().key.arch = "sm_80";
  CHECK(find({}, Target::Cuda, "") == nullptr);
  database.entries.clear();
  add(100, 4);
  database.entries.back().key.version = "0.0.1";
  CHECK(find({}) == nullptr);
}

TEST_CASE("a program without values of its parameters takes the largest that was tuned") {
  std::string text = kProgram;
  text.replace(text.find("N=100"), 5, "N");
  const ProgramIdentity identity = IdentityOf(Read(text));
  TuningDatabase database;
  for (const std::int64_t size : {200, 400, 300}) {
    TuningEntry entry = Entry(size);
    entry.key.program = identity.hash;
    entry.key.version = STENCILGEN_VERSION;
    database.entries.push_back(entry);
  }
  const auto parsed = ParseCommandLine({"p.idsl", "--target", "cpp"});
  CHECK(FindTuned(database, std::get<Options>(parsed), identity, Target::Cpp, "",
                  "a CPU, 2 threads") == &database.entries[1]);
}

TEST_CASE("a block is explained for the GPU that it was tuned for") {
  const std::string body =
      "parameter N=100; iterator j, i; double u[N,N], v[N,N]; copyin u;\n"
      "stencil s (A, B) { B[j][i] = A[j-1][i] + A[j+1][i]; }\n"
      "s (u, v); copyout v;\n";
  const SourceFile source("app.cpp",
                          "void Step(double* u, double* v, int N) {\n#pragma dsl begin\n" + body +
                              "#pragma dsl end\n}\n");
  const TemporaryDirectory folder;
  TuningEntry entry = Entry(100);
  entry.key.program = IdentityOf(Read(body)).hash;
  entry.key.target = "cuda";
  entry.key.arch = "sm_80";
  entry.key.version = STENCILGEN_VERSION;
  entry.options = {{"--shared-mem", "false"}};
  REQUIRE_FALSE(StoreTuningEntry(folder.path() / "tuning.json", entry));
  const auto explanation = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"app.cpp", "--explain", "--tuning-db",
                                         (folder.path() / "tuning.json").string()});
    const auto parsed = ParseCommandLine(arguments);
    REQUIRE(std::holds_alternative<Options>(parsed));
    DiagnosticSink sink;
    const auto result = EmbedBlocks(source, std::get<Options>(parsed), sink);
    REQUIRE(result);
    CHECK_FALSE(result->usage_error);
    return result->explanation;
  };
  const std::string tuned = explanation({});
  CAPTURE(tuned);
  CHECK(tuned.find("the code is for sm_80") != std::string::npos);
  CHECK(tuned.find("predicted on A100 SXM4 40 GB") != std::string::npos);
  CHECK(explanation({"--arch", "sm_90"}).find("predicted on H200 SXM") != std::string::npos);
}

TEST_CASE("where the database is") {
  Options options;
  options.tuning_db = "here.json";
  CHECK(TuningDatabaseFile(options) == "here.json");
  options.tuning_db = "none";
  CHECK(TuningDatabaseFile(options).empty());
}

}  // namespace
}  // namespace stencilgen
