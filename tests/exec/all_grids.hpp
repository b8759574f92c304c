// Included before all else in a program of `stencilgen run --ranks` (`-include`): its `main` is
// called on one rank, then on every grid of the list in RANKS_GRIDS that has as many axes, each on
// a communicator of so many ranks, and the files that it writes must be those of the one rank. A
// line for each grid goes to the file that RANKS_LOG names: `2x3 equal`, `2x3 refused` (ranks have
// too few points) or `2x3 differs`. The files of the one rank are left. Ranks of other grids sleep
// meanwhile, so that many of them fit on few cores.
#ifndef STENCILGEN_TESTS_ALL_GRIDS_HPP
#define STENCILGEN_TESTS_ALL_GRIDS_HPP

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

namespace all_grids {

namespace fs = std::filesystem;

inline MPI_Comm part = MPI_COMM_NULL;  ///< what the program takes for all ranks

int ProgramMain(int argc, char** argv);

inline std::string TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the program leaves in its folder: elements of arrays, and what ranks have counted.
inline std::vector<fs::path> Written(const fs::path& folder) {
  std::vector<fs::path> files = {folder / "counts"};
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > 8 && name.substr(name.size() - 8) == ".out.npy") files.push_back(entry);
  }
  return files;
}

/// Ranks that wait for others leave them the cores.
inline void SleepUntilAllAreHere() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Runs the program on the first ranks. Its status, on each of them.
inline int RunOn(int ranks, std::vector<std::string> arguments) {
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &part);
  if (part != MPI_COMM_NULL) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    status = ProgramMain(static_cast<int>(arguments.size()), argv.data());
    MPI_Comm_free(&part);
  }
  SleepUntilAllAreHere();
  return status;
}

/// What has come of a grid, on rank 0: its files beside those of one rank.
inline std::string Outcome(int status, const fs::path& folder) {
  if (status != 0) {
    std::fflush(stderr);
    const std::string said = TextOf(folder / "said");
    if (said.find("ranks are too many: each needs") != std::string::npos) return "refused";
    return "differs: status " + std::to_string(status) + ", " + said;
  }
  for (const fs::path& file : Written(folder)) {
    if (file.filename() == "counts") continue;
    if (TextOf(file) != TextOf(file.string() + ".one")) {
      return "differs: " + file.filename().string();
    }
  }
  return "equal";
}

inline int Main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<std::string> given(argv, argv + argc);
  // Without repeats.
  const std::vector<std::string> common = {given[0], given[1], "0"};
  const fs::path folder = given[1];
  int status = RunOn(1, given);
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status == 0) {
    std::ofstream log;
    if (rank == 0) {
      log.open(std::getenv("RANKS_LOG"), std::ios::app);
      for (const fs::path& file : Written(folder)) fs::rename(file, file.string() + ".one");
      if (std::freopen((folder / "said").c_str(), "w", stderr) == nullptr) status = 1;
    }
    std::istringstream grids(std::getenv("RANKS_GRIDS"));
    for (std::string grid; grids >> grid;) {
      std::vector<std::string> arguments = common;
      std::istringstream numbers(grid);
      int ranks = 1;
      for (std::string along; std::getline(numbers, along, 'x');) {
        arguments.push_back(along);
        ranks *= std::atoi(along.c_str());
      }
      if (arguments.size() != given.size()) continue;
      const int ended = RunOn(ranks, arguments);
      if (rank != 0) continue;
      log << grid << " " << Outcome(ended, folder) << std::endl;
      for (const fs::path& file : Written(folder)) fs::remove(file);
      if (std::freopen((folder / "said").c_str(), "w", stderr) == nullptr) status = 1;
    }
    if (rank == 0) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        const fs::path file = entry.path();
        if (file.extension() == ".one") fs::rename(file, fs::path(file).replace_extension());
      }
    }
  }
  MPI_Finalize();
  return status;
}

}  // namespace all_grids

int main(int argc, char** argv) {
  return all_grids::Main(argc, argv);
}

// The program's own.
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD (all_grids::part)
#define MPI_Init(argc, argv) (static_cast<void>(argc), MPI_SUCCESS)
#define MPI_Finalize() MPI_SUCCESS
#define main all_grids::ProgramMain

#endif  // STENCILGEN_TESTS_ALL_GRIDS_HPP
