#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/host_library.h"
#include "driver/option_set.h"
#include "graph/graph.h"
#include "suite/programs.h"

namespace stencilgen::suite {

/// What a version is called with, as a trampoline takes it (codegen::EmitTrampoline).
struct CallArguments {
  std::vector<void*> arrays;
  std::vector<const void*> scalars;
  std::vector<int> parameters;
};

/// Computes a program so many times, one after the other, on the arrays. Seconds that it took;
/// negative, with the reason in `error`, where it fails.
using Runner = std::function<double(const CallArguments&, int calls, std::string& error)>;

/// One way to compute a program.
struct Version {
  std::string name;      ///< plain, unfused, default, tuned
  std::string how;       ///< options or flags, for people
  std::string function;  ///< the prefix of its entry points
  std::string text;      ///< the file, with trampoline
  std::vector<std::string> flags;
  double predicted = 0;  ///< seconds of a step by the model of the GPU; 0: none
  int fused_steps = 1;   ///< time steps of a kernel
  std::string same_as;   ///< the version whose code this is too; empty: its own
  std::string problem;   ///< why there is none
  double build_seconds = 0;
  std::shared_ptr<driver::HostLibrary> library;  ///< null: not built
  Runner elsewhere;    ///< computes it in another process; empty: none does
  bool rival = false;  ///< not ours: what is wrong with it is no fault here

  bool Runs() const { return library != nullptr || elsewhere != nullptr; }
  /// Leaves nothing to run.
  void Drop() {
    library.reset();
    elsewhere = nullptr;
  }
};

/// Runs a version. `cuda`: times by events on the GPU. Requires: version.Runs().
double RunVersion(const Version& version, const CallArguments& arguments, int calls, bool cuda,
                  std::string& error);

/// A program's graph, as the check needs it, and its versions for the target, not yet built.
struct Versions {
  graph::Graph graph;
  std::vector<Version> all;
  std::string problem;  ///< why there is nothing
};

/// plain: baseline/plain_code.h. unfused: ours with a kernel or loop nest a statement and nothing
/// else. default: ours without options. tuned: ours with what the tuning database has for the
/// program, where it has that. `arch`: of the GPU.
Versions MakeVersions(const Program& program, driver::Target target, const std::string& arch = "");

/// The version `tuned`, where there is one; the default itself where that was found best.
std::optional<Version> MakeTuned(const Program& program, driver::Target target,
                                 const std::string& arch, bool standalone);

/// The code without what only names it. Requires: it has a text.
std::string BodyOf(const Version& version);

/// One of ours, with the command line's options. `standalone`: the runtime inside.
Version MakeOurs(const Program& program, driver::Target target, const std::string& name,
                 const std::vector<std::string>& options, bool standalone);

/// Options for the plans for a GPU whose price is at most half as much again as the cheapest one's:
/// the best of each kind first, then the second best of each. No more than `most`.
std::vector<driver::OptionSet> CheapestPlans(const Program& program, std::size_t most);

/// Builds those that have a text, side by side, with -O3 or less.
void Build(Versions* versions, driver::Backend backend, const std::filesystem::path& directory,
           int optimize = 3);

}  // namespace stencilgen::suite
