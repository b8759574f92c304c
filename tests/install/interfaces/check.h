#ifndef CHECK_H
#define CHECK_H

#ifdef __cplusplus
#include <cstdio>
#include <string>
#include <vector>

#include "coefficients.h"
#include "convolution.h"
#include "heat3d.h"
#include "pairs.h"
#include "wave.h"

inline int failures = 0;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                          \
    }                                                                      \
  } while (false)

/// The message of the stencilgen::Error that the call throws; empty where it throws none.
template <typename Call>
std::string Message(Call call) {
  try {
    call();
  } catch (const stencilgen::Error& error) {
    CHECK(error.status() != 0);
    return error.what();
  }
  return "";
}

#define CHECK_FAILS(call, text)                                                           \
  do {                                                                                    \
    const std::string message = Message([&] { call; });                                   \
    if (message.find(text) == std::string::npos) {                                        \
      std::printf("%s:%d: %s says \"%s\"\n", __FILE__, __LINE__, #call, message.c_str()); \
      ++failures;                                                                         \
    }                                                                                     \
  } while (false)

/// Numbers that differ from place to place.
template <typename T>
std::vector<T> Numbers(std::size_t count, int seed) {
  std::vector<T> numbers(count);
  unsigned state = 12345U + 977U * static_cast<unsigned>(seed);
  for (T& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<T>(static_cast<double>(state >> 8) / 16777216.0 - 0.5);
  }
  return numbers;
}

void TestErrors();
void TestKept();
void TestLayouts();
void TestThreads();
void TestDevice();

extern "C"
#endif
    /* Runs heat3d through the C functions. Returns 0, or the line that went wrong. */
    int
    use_from_c(double* u, double alpha, int l, int m, int n, int t);

#endif
