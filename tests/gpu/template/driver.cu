// Runs the programs of this folder on the GPU. `driver check` compares each result with the
// reference in data/ and writes check.json. Every program runs in a process of its own, with a time
// limit, so that one that crashes or hangs does not stop the rest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common.h"
#include "tools/measure/process.h"

namespace {

/// Empty where the result is right, else what is wrong with it. Sets the error found.
std::string Wrong(const Array& array, const Bytes& got, const Bytes& want, const Bytes& defined,
                  double tolerance, double* relative) {
  const stencilgen::measure::Difference difference =
      stencilgen::measure::Compare(array.type, got, want, defined);
  const bool exact = tolerance == 0 || !(array.type == "float" || array.type == "double");
  char text[200];
  if (!difference.same && (exact || !difference.finite)) {
    std::snprintf(text, sizeof text, "%s[%zu] is %.17g, should be %.17g", array.name.c_str(),
                  difference.first, difference.got, difference.want);
    return text;
  }
  if (difference.numbers == 0) return "";
  // Against the size of the values, or 0.1 where they are smaller.
  const double count = static_cast<double>(difference.numbers);
  const double size = std::max(std::sqrt(difference.norm / count), 0.1);
  *relative = std::max(*relative, std::sqrt(difference.error / count) / size);
  if (exact || *relative <= tolerance) return "";
  std::snprintf(text, sizeof text, "%s: relative RMS error %.3g", array.name.c_str(), *relative);
  return text;
}

/// "ok <relative error>" or what is wrong.
std::string RunTest(const Test& test) {
  std::string error;
  void* library = Open(test.library, &error);
  if (library == nullptr) return error;
  const auto call = Find<CallFunction>(library, test.library, "_call");
  const auto message = Find<ErrorFunction>(library, test.library, "_error");
  if (call == nullptr) return "the library has no entry point";

  std::ifstream file("data/" + test.name + ".bin", std::ios::binary);
  std::vector<Bytes> scalars, memory, before;
  for (const std::size_t size : test.scalar_sizes) scalars.push_back(ReadBytes(file, size));
  for (const Array& array : test.arrays)
    memory.push_back(ReadBytes(file, array.count * array.element));
  before = memory;
  std::vector<void*> arrays;
  std::vector<const void*> scalar_pointers;
  for (Bytes& bytes : memory) arrays.push_back(bytes.data());
  for (const Bytes& bytes : scalars) scalar_pointers.push_back(bytes.data());
  const int status = call(arrays.data(), scalar_pointers.data(), test.parameters.data());
  if (status != 0) {
    return "status " + std::to_string(status) + ": " + (message != nullptr ? message() : "");
  }
  double relative = 0;
  for (std::size_t n = 0; n < test.arrays.size(); ++n) {
    const Array& array = test.arrays[n];
    if (!array.output) {
      if (memory[n] != before[n]) return array.name + " was changed but is not copied out";
      continue;
    }
    const Bytes want = ReadBytes(file, array.count * array.element);
    const Bytes defined = ReadBytes(file, array.count);
    if (!file) return "data/" + test.name + ".bin is too short";
    const std::string wrong = Wrong(array, memory[n], want, defined, test.tolerance, &relative);
    if (!wrong.empty()) return wrong;
  }
  char text[40];
  std::snprintf(text, sizeof text, "ok %.3g", relative);
  return text;
}

using stencilgen::measure::Process;

constexpr double kPatience = 60;  // seconds

int Check(int jobs, bool in_process, std::size_t limit) {
  std::vector<Test> tests = ReadTests();
  if (tests.size() > limit) tests.resize(limit);
  std::vector<std::string> answers(tests.size());
  struct Running {
    std::size_t test;
    std::unique_ptr<Process> process;
  };
  std::vector<Running> running;
  const auto finish = [&](const Running& one) {
    std::string& answer = answers[one.test];
    switch (one.process->ReadLine(
        kPatience, [] { return false; }, &answer)) {
      case Process::Outcome::Line:
        break;
      case Process::Outcome::Ended:
        answer = one.process->Ending();
        break;
      case Process::Outcome::Late:
      case Process::Outcome::Stopped:
        answer = "timed out";
        break;
    }
  };
  for (std::size_t n = 0; n < tests.size(); ++n) {
    if (in_process) {
      answers[n] = RunTest(tests[n]);
      continue;
    }
    if (running.size() >= static_cast<std::size_t>(jobs)) {
      finish(running.front());
      running.erase(running.begin());
    }
    running.push_back({n, std::make_unique<Process>([&](int to) {
                         stencilgen::measure::WriteLine(to, RunTest(tests[n]));
                       })});
  }
  for (const Running& one : running) finish(one);

  std::size_t passed = 0;
  std::ofstream json("check.json");
  json << "{\"tests\":[";
  for (std::size_t n = 0; n < tests.size(); ++n) {
    const bool ok = IsOk(answers[n]);
    passed += ok;
    std::printf("%-44s %s\n", tests[n].name.c_str(), answers[n].c_str());
    json << (n > 0 ? ",\n" : "\n") << "{\"name\":" << Quoted(tests[n].name)
         << ",\"passed\":" << (ok ? "true" : "false") << ",\"result\":" << Quoted(answers[n])
         << ",\"tolerance\":" << tests[n].tolerance << "}";
  }
  json << "\n],\"passed\":" << passed << ",\"failed\":" << tests.size() - passed << "}\n";
  std::printf("%zu passed, %zu failed\n", passed, tests.size() - passed);
  return passed == tests.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "check";
  int jobs = 8;
  bool in_process = false;
  std::size_t limit = static_cast<std::size_t>(-1);
  for (int n = 2; n < argc; ++n) {
    const std::string option = argv[n];
    if (option == "--in-process") {
      in_process = true;
    } else if (option == "--jobs" && n + 1 < argc) {
      jobs = std::max(1, std::atoi(argv[++n]));
    } else if (option == "--limit" && n + 1 < argc) {
      limit = static_cast<std::size_t>(std::atol(argv[++n]));
    } else {
      mode = "";
    }
  }
  if (mode == "check") return Check(jobs, in_process, limit);
  std::fprintf(stderr, "usage: %s check [--jobs N] [--in-process] [--limit N]\n", argv[0]);
  return 2;
}
