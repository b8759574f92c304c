// Several host threads run one program at once, each with weights of its own: they must not see
// each other's constant memory, messages or arrays.
#include <thread>

#include "check.h"

namespace {

constexpr int kRows = 33, kColumns = 40, kThreads = 4, kRounds = 30, kSteps = 8;

std::vector<float> Weights(int thread) {
  std::vector<float> w = Numbers<float>(9, 100 + thread);
  for (float& weight : w) weight *= 0.5F;
  return w;
}

/// Runs it some times and gives the number of results that are not the expected ones.
using Runs = int (*)(int thread, const std::vector<float>& in, const std::vector<float>& expected);

int RunHostFunction(int thread, const std::vector<float>& in, const std::vector<float>& expected) {
  const std::vector<float> w = Weights(thread);
  std::vector<float> out(in.size());
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (convolution(in.data(), out.data(), w.data(), kRows, kColumns, kSteps) != 0) ++wrong;
    if (out != expected) ++wrong;
    // Another thread's failure is not this one's.
    if (thread == 0 && convolution(nullptr, out.data(), w.data(), kRows, kColumns, kSteps) == 0) {
      ++wrong;
    }
    if (thread == 1 && convolution_error()[0] != '\0') ++wrong;
  }
  return wrong;
}

int RunObject(int thread, const std::vector<float>& in, const std::vector<float>& expected) {
  int wrong = 0;
  try {
    convolution_Program program{kRows, kColumns, kSteps};
    program.upload_in(in);
    program.upload_w(Weights(thread));
    std::vector<float> out(in.size());
    for (int round = 0; round < kRounds; ++round) {
      program.run();
      program.download_out(out);
      if (out != expected) ++wrong;
    }
  } catch (const stencilgen::Error& error) {
    std::printf("%s\n", error.what());
    ++wrong;
  }
  return wrong;
}

}  // namespace

void TestThreads() {
  const auto in = Numbers<float>(kRows * kColumns, 10);
  std::vector<std::vector<float>> alone(kThreads, std::vector<float>(in.size()));
  for (int k = 0; k < kThreads; ++k) {
    const std::vector<float> w = Weights(k);
    CHECK(convolution(in.data(), alone[static_cast<std::size_t>(k)].data(), w.data(), kRows,
                      kColumns, kSteps) == 0);
  }
  for (const Runs run : {RunHostFunction, RunObject}) {
    std::vector<int> wrong(kThreads, 0);
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k) {
      const auto at = static_cast<std::size_t>(k);
      threads.emplace_back([&, k, at] { wrong[at] = run(k, in, alone[at]); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : wrong) CHECK(count == 0);
  }
}
