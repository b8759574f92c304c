// Heat in one, two and three dimensions as one writes it by hand for a CPU with caches: diamonds in
// time and the outermost dimension, strips of the next that follow them, rows in vectors, arrays
// padded so that rows begin at lines of the caches and planes are no multiple of a page apart, huge
// pages. Sizes of tiles are tried and the fastest is told: `diamond 3 256 40` prints the best time
// of a run in milliseconds, the width of its diamonds and strips, and the sum of the result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>
#include <sys/mman.h>

namespace {

constexpr long kLine = 8;  // doubles

/// `rank` dimensions of n points with pitches; the element 1 of a row begins a line.
struct Grid {
  int rank;
  long n, row, plane;
  double* first;  ///< of the element (0, 0, 0)

  Grid(int rank_of, long points) : rank(rank_of), n(points) {
    row = (n + 2 * kLine - 1) / kLine * kLine + kLine;
    plane = row * n + kLine;
    const long elements = (rank == 1 ? n : rank == 2 ? row * n : plane * n) + 2 * kLine;
    const std::size_t bytes = (static_cast<std::size_t>(elements) * 8 >> 21 << 21) + (4u << 20);
    void* memory = std::aligned_alloc(2u << 20, bytes);
    madvise(memory, bytes, MADV_HUGEPAGE);
    first = static_cast<double*>(memory) + kLine - 1;
  }
  double* Row(long k, long j) const { return first + k * plane + j * row; }
};

long FloorDiv(long a, long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

void Row1(const double* __restrict__ u, double* __restrict__ v, long lo, long hi) {
#pragma omp simd
  for (long i = lo; i <= hi; ++i) v[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
}
void Row2(const double* __restrict__ u, double* __restrict__ v, long row, long lo, long hi) {
#pragma omp simd
  for (long i = lo; i <= hi; ++i) {
    v[i] = 0.5 * u[i] + 0.125 * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]);
  }
}
void Row3(const double* __restrict__ u, double* __restrict__ v, long row, long plane, long hi) {
#pragma omp simd
  for (long i = 1; i <= hi; ++i) {
    v[i] = 0.25 * u[i] +
           0.125 * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane]);
  }
}

/// The points (k_lo..k_hi) x (j_lo..j_hi) of one turn; the last dimension of rank 3 is whole.
void Box(const Grid& u, const Grid& v, long k_lo, long k_hi, long j_lo, long j_hi) {
  if (u.rank == 1) return Row1(u.first, v.first, k_lo, k_hi);
  for (long k = k_lo; k <= k_hi; ++k) {
    if (u.rank == 2) {
      // From where lines begin on, where the strip has no other beginning.
      Row2(u.Row(0, k), v.Row(0, k), u.row, j_lo, j_hi);
      continue;
    }
    for (long j = j_lo; j <= j_hi; ++j) Row3(u.Row(k, j), v.Row(k, j), u.row, u.plane, u.n - 2);
  }
}

/// All turns: tiles of diamonds `size` wide, those of a wavefront by threads, each in strips.
void Run(const Grid& a, const Grid& b, long turns, long size, long strip) {
  const long last = a.n - 2;
  const bool strips = a.rank > 1;
  for (long wave = -1; wave <= FloorDiv(2 * (turns - 1), size); ++wave) {
    const long t_lo = std::max(0L, FloorDiv(wave * size + 1, 2));
    const long t_hi = std::min(turns - 1, FloorDiv(wave * size + 2 * size - 2, 2));
    const long from = FloorDiv(1 + t_lo, size) - 1, to = FloorDiv(last + t_hi, size) + 1;
#pragma omp parallel for schedule(dynamic)
    for (long left = from; left <= to; ++left) {
      const long right = wave - left;
      const long parts = strips ? FloorDiv(last + t_hi - t_lo, strip) : 0;
      for (long part = 0; part <= parts; ++part) {
        for (long t = t_lo; t <= t_hi; ++t) {
          const long k_lo = std::max({1L, left * size - t, t - (right + 1) * size + 1});
          const long k_hi = std::min({last, (left + 1) * size - 1 - t, t - right * size});
          const long j_lo = strips ? std::max(1L, part * strip - (t - t_lo)) : 1;
          const long j_hi = strips ? std::min(last, (part + 1) * strip - 1 - (t - t_lo)) : last;
          if (k_lo > k_hi || j_lo > j_hi) continue;
          Box(t % 2 == 0 ? a : b, t % 2 == 0 ? b : a, k_lo, k_hi, j_lo, j_hi);
        }
      }
    }
  }
}

void Fill(const Grid& grid) {
  const long rows = grid.rank > 1 ? grid.n : 1, planes = grid.rank > 2 ? grid.n : 1;
#pragma omp parallel for
  for (long k = 0; k < planes; ++k) {
    for (long j = 0; j < rows; ++j) {
      for (long i = 0; i < grid.n; ++i) {
        grid.Row(k, j)[i] = 1 + static_cast<double>((k * 7 + j * 5 + i * 3) % 91) / 100;
      }
    }
  }
}

double Sum(const Grid& grid) {
  const long rows = grid.rank > 1 ? grid.n : 1, planes = grid.rank > 2 ? grid.n : 1;
  double sum = 0;
  for (long k = 0; k < planes; ++k) {
    for (long j = 0; j < rows; ++j) {
      for (long i = 0; i < grid.n; ++i) sum += grid.Row(k, j)[i];
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s RANK POINTS TURNS\n", argv[0]);
    return 2;
  }
  const int rank = std::atoi(argv[1]);
  const long n = std::atol(argv[2]), turns = std::atol(argv[3]);
  if (rank < 1 || rank > 3 || n < 3 || turns < 1) return 2;
  const Grid a(rank, n), b(rank, n);
  const std::vector<long> sizes = rank == 1   ? std::vector<long>{1000, 4000, 16000}
                                  : rank == 2 ? std::vector<long>{64, 128, 256}
                                              : std::vector<long>{16, 24, 32, 48, 64};
  const std::vector<long> strips = rank == 1   ? std::vector<long>{1}
                                   : rank == 2 ? std::vector<long>{128, 256, 512}
                                               : std::vector<long>{8, 16, 32};
  double best = 1e30;
  long best_size = 0, best_strip = 0;
  for (const long size : sizes) {
    for (const long strip : strips) {
      std::vector<double> times;
      for (int run = 0; run < 3; ++run) {
        Fill(a);
        Fill(b);
        const auto begin = std::chrono::steady_clock::now();
        Run(a, b, turns, size, strip);
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
      std::sort(times.begin(), times.end());
      if (times[1] >= best) continue;
      best = times[1];
      best_size = size;
      best_strip = strip;
    }
  }
  std::printf("%.3f %ld %ld %.17g\n", best * 1e3, best_size, best_strip,
              Sum(turns % 2 == 0 ? a : b));
  return 0;
}
