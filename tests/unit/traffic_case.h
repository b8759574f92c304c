#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"

/// Programs whose traffic is predicted by their plan, and counted by the emulator when they run.
namespace stencilgen::testing {

struct Case {
  const char* name;
  const char* text;
  plan::Schedule schedule;
  int time_tile = 1;
  std::vector<std::vector<int>> sizes;  ///< of the parameters, a run each
  /// How threads add up lanes is estimated: within a hundredth of all that is counted.
  bool adds_lanes = false;
};

/// Elements and events, of the whole program.
struct Counts {
  std::uint64_t load_bytes = 0, store_bytes = 0, shared_loads = 0, shared_stores = 0;
  std::uint64_t barriers = 0, flops = 0;
};

/// Of the program's steps, added to `counts`: what they move, so many times.
void Predict(const plan::Plan& plan, const std::vector<plan::Step>& steps,
             const graph::ParameterValues& parameters, std::uint64_t turns, Counts& counts);

// Programs: a star of 5 points in place, and with swaps; three levels; two fields.
inline constexpr const char* kStar2d =
    "parameter M, N, T; iterator j, i; double u[M,N]; copyin u; stencil s (A) {"
    "A[j][i] = 0.1*A[j-1][i] + 0.2*(A[j][i-1] + A[j][i] + A[j][i+1]) + 0.3*A[j+1][i]; }"
    "iterate T { s (u); } copyout u;";
inline constexpr const char* kSwapped2d =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N]; copyin u, v; stencil s (B, A) {"
    "B[j][i] = 0.1*A[j-1][i] + 0.2*(A[j][i-1] + A[j][i] + A[j][i+1]) + 0.3*A[j+1][i]; }"
    "iterate T { s (v, u); swap u, v; } copyout u;";
inline constexpr const char* kThreeLevels =
    "parameter M, N, T; iterator j, i; double p[M,N], u[M,N], n[M,N]; copyin p, u, n;"
    "stencil s (Q, P, A) {"
    "Q[j][i] = 1.5*A[j][i] - P[j][i] + 0.1*(A[j-1][i] + A[j][i-1] + A[j][i+1] + A[j+1][i]); }"
    "iterate T { s (n, p, u); swap p, u; swap u, n; } copyout u;";
inline constexpr const char* kTwoSwapped =
    "parameter M, N, T; iterator j, i; double a[M,N], b[M,N], c[M,N], d[M,N]; copyin a, b, c, d;"
    "stencil s (C, D, A, B) { C[j][i] = A[j][i] + 0.1*(B[j-1][i] - B[j][i]);"
    "D[j][i] = B[j][i] + 0.1*(C[j][i+1] - C[j][i]); }"
    "iterate T { s (c, d, a, b); swap a, c; swap b, d; } copyout a, b;";
/// Zeros stay as they are, and never change by less than nothing.
inline constexpr const char* kUntil =
    "parameter M, N, T; iterator j, i; double u[M,N], v[M,N], change; copyin u, v;"
    "stencil relax (B, A) { B[j][i] = 0.25*(A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]); }"
    "stencil measure (change, u, v) { change = max(abs(v[j][i] - u[j][i])); }"
    "iterate T until change < 0.0 every 10 { relax (v, u);"
    " [1:M-2][1:N-2] : measure (change, u, v); swap u, v; } copyout u;";

/// Blocks in shared memory, all operators in one kernel.
plan::Schedule Tiled(std::array<int, 3> block, std::array<int, 3> unroll = {1, 1, 1});
/// The same along a stream, so many planes a block; 0: all.
plan::Schedule Streamed(plan::Schedule schedule, std::int64_t chunk);

struct Built {
  testing::TemporaryDirectory directory;
  driver::Compiled compiled;
  std::unique_ptr<driver::HostLibrary> library;
};

driver::Compiled Compile(const Case& c);
void Build(const Case& c, Built& built);
/// Runs the program with these parameters on zeros.
driver::Counters Run(const Built& built, const std::vector<int>& sizes);

plan::Plan PlanOf(const char* text, const plan::Schedule& schedule, int time_tile);

}  // namespace stencilgen::testing
