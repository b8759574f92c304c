// What this machine reaches, measured by benchmarks/run: compiled when it runs, with the compiler
// and the flags of the programs.
#include <chrono>
#include <cstddef>
#include <cstring>

namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

/// Multiply-adds on values that stay in registers, `lanes` chains side by side.
template <typename T, int lanes>
double MultiplyAdds(long turns) {
  double flops = 0;
#pragma omp parallel reduction(+ : flops)
  {
    T values[lanes];
    for (int lane = 0; lane < lanes; ++lane) values[lane] = T(lane) / lanes;
    T factor = T(0.999), term = T(0.001);
    asm volatile("" : "+m"(factor), "+m"(term));
    const T a = factor, b = term;
    for (long n = 0; n < turns; ++n) {
      for (int lane = 0; lane < lanes; ++lane) values[lane] = values[lane] * a + b;
    }
    asm volatile("" : : "r"(values) : "memory");
    flops += 2.0 * lanes * double(turns);
  }
  return flops;
}

template <typename T, int lanes>
double Rate(long turns) {
  MultiplyAdds<T, lanes>(turns / 10 + 1);
  const Clock::time_point start = Clock::now();
  const double flops = MultiplyAdds<T, lanes>(turns);
  return flops / Seconds(start);
}

}  // namespace

/// Flop/s of all threads.
extern "C" double probe_double(long turns) {
  return Rate<double, 96>(turns);
}
extern "C" double probe_float(long turns) {
  return Rate<float, 192>(turns);
}

/// Seconds of one copy in loops of ordinary stores.
extern "C" double probe_copy(double* to, const double* from, long count) {
  const Clock::time_point start = Clock::now();
#pragma omp parallel for
  for (long n = 0; n < count; ++n) {
    // Not to be taken for a memcpy.
    double value = from[n];
    asm("" : "+x"(value));
    to[n] = value;
  }
  return Seconds(start);
}

/// Seconds of one copy by memcpy.
extern "C" double probe_memcpy(double* to, const double* from, long count) {
  const Clock::time_point start = Clock::now();
  constexpr long kPart = 1L << 20;
#pragma omp parallel for
  for (long n = 0; n < count; n += kPart) {
    std::memcpy(to + n, from + n,
                sizeof(double) * std::size_t(n + kPart < count ? kPart : count - n));
  }
  return Seconds(start);
}
