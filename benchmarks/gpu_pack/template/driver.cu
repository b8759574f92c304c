// Checks and measures what lib/ holds, and writes results.json; `./driver --minutes 7 [GROUP...]`.
// With --check it only checks, and keeps no results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "index.h"
#include "measure.h"
#include "tools/measure/json.h"
#include "tools/measure/process.h"

namespace pack {
namespace {

using stencilgen::measure::AnswerOf;
using stencilgen::measure::Quoted;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string FirstLine(const std::string& path) {
  const std::string text = ReadFile(path);
  return text.substr(0, text.find('\n'));
}

/// A new file beside its place, then renamed: never half a file.
bool WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path + ".new");
  file << text;
  file.close();
  return file && std::rename((path + ".new").c_str(), path.c_str()) == 0;
}

std::string Now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

std::string ResultPath(const Group& group) {
  return "results/" + group.name + ".json";
}

/// Everything that is there so far, in the order of the index.
std::string Assemble(const std::vector<Group>& groups, const std::string& device, double seconds) {
  std::string all;
  for (const Group& group : groups) {
    std::string result = ReadFile(ResultPath(group));
    for (const auto& size : group.sizes) {
      if (!result.empty()) break;
      result += "{" + size.second.description + ",\"problem\":\"not measured: out of time\"}";
    }
    if (!all.empty()) all += ",\n";
    all += result;
  }
  char time[40];
  std::snprintf(time, sizeof time, "%.1f", seconds);
  return "{" + ReadFile("header.json") + ",\n\"started\":" + Quoted(Now()) +
         ",\n\"seconds\":" + time +
         ",\n\"compilers\":{\"nvcc\":{\"version\":" + Quoted(FirstLine("nvcc_version.txt")) +
         ",\"flags\":" + Quoted(FirstLine("nvcc_flags.txt")) +
         "}},\n\"machine\":{\"gpu\":" + device + "},\n\"results\":[\n" + all + "\n]}\n";
}

/// `j2d5pt_double  correct 4  wrong 0` and the speed of the default, from the JSON just made.
void PrintLine(const Group& group, const std::string& json) {
  std::size_t correct = 0, wrong = 0;
  for (std::size_t at = 0; (at = json.find("\"correct\":", at)) != std::string::npos; ++at) {
    (json.compare(at + 10, 4, "true") == 0 ? correct : wrong) += 1;
  }
  const auto value = [&](const std::string& name, const std::string& key) {
    const std::size_t begin = json.find("{\"name\":\"" + name + "\"");
    if (begin == std::string::npos) return 0.0;
    const std::size_t at = json.find("\"" + key + "\":", begin);
    if (at == std::string::npos || at > json.find('}', begin)) return 0.0;
    return std::atof(json.c_str() + at + key.size() + 3);
  };
  const std::size_t points = json.find("\"points\":");
  const double count = points == std::string::npos ? 0 : std::atof(json.c_str() + points + 9);
  const double plain = value("plain", "median"), ours = value("default", "median");
  std::printf("%-28s %3zu correct %3zu wrong", group.name.c_str(), correct, wrong);
  if (plain > 0 && ours > 0) {
    std::printf("  plain %8.1f  default %8.1f GPts/s  speed-up %5.2f", count / plain / 1e9,
                count / ours / 1e9, plain / ours);
  }
  std::printf("\n");
  std::fflush(stdout);
}

int Run(double minutes, double sample, const std::vector<std::string>& names) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<Group> groups = ReadIndex("index.txt");
  if (!names.empty()) {
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [&](const Group& group) {
                                  return std::find(names.begin(), names.end(), group.name) ==
                                         names.end();
                                }),
                 groups.end());
  }
  if (groups.empty()) {
    std::fprintf(stderr, "no such programs in index.txt\n");
    return 2;
  }
  std::string problem;
  const std::string device = AnswerOf(60, &problem, [] {
    const std::string text = DescribeDevice();
    return text.empty() ? std::string("none") : text;
  });
  if (device.empty() || device == "none") {
    std::fprintf(stderr, "no GPU answers: %s\n", problem.c_str());
    return 1;
  }
  std::printf("%s\n", device.c_str());
  const bool check_only = sample <= 0;
  if (!check_only) mkdir("results", 0777);
  bool good = true;
  for (const Group& group : groups) {
    struct stat there;
    if (!check_only && stat(ResultPath(group).c_str(), &there) == 0) continue;
    if (elapsed() > 60 * minutes) break;
    problem.clear();
    std::string json = AnswerOf(120, &problem, [&] { return Measurement(group, sample).Run(); });
    if (json.empty()) {
      for (const auto& size : group.sizes) {
        if (!json.empty()) json += ",\n";
        json += "{" + size.second.description + ",\"problem\":" + Quoted(problem) + "}";
      }
    }
    good = good && json.find("\"problem\":\"wrong") == std::string::npos && problem.empty();
    PrintLine(group, json);
    if (check_only) {
      good = good && json.find("\"problem\":") == std::string::npos;
      continue;
    }
    if (!WriteFile(ResultPath(group), json) ||
        !WriteFile("results.json", Assemble(groups, device, elapsed()))) {
      std::fprintf(stderr, "cannot write results\n");
      return 1;
    }
  }
  if (check_only) return good ? 0 : 1;
  if (!WriteFile("results.json", Assemble(groups, device, elapsed()))) return 1;
  std::printf("results.json, after %.0f s\n", elapsed());
  return good ? 0 : 1;
}

}  // namespace
}  // namespace pack

int main(int argc, char** argv) {
  double minutes = 7, sample = 0.12;
  std::vector<std::string> names;
  for (int n = 1; n < argc; ++n) {
    const std::string argument = argv[n];
    if (argument == "--minutes" && n + 1 < argc) {
      minutes = std::atof(argv[++n]);
    } else if (argument == "--sample" && n + 1 < argc) {
      sample = std::atof(argv[++n]);
    } else if (argument == "--check") {
      sample = 0;
    } else if (argument[0] == '-') {
      std::fprintf(stderr, "usage: %s [--check] [--minutes M] [--sample SECONDS] [GROUP...]\n",
                   argv[0]);
      return 2;
    } else {
      names.push_back(argument);
    }
  }
  return pack::Run(minutes, sample, names);
}
