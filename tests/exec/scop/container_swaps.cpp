// Containers that are exchanged, of one size and of different ones, and empty ones: where sizes do
// not fit, the code stays as it is.
#include <utility>
#include <vector>

#include "check.h"

using Values = std::vector<double>;

static Values u, v;

static void exchange(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (std::size_t i = 1; i + 1 < u.size(); i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    std::swap(u, v);
  }
  for (std::size_t i = 0; i < v.size(); i += 2) v[i] = v[i] * 2.0;
#pragma endscop
}

static void grow(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (std::size_t i = 0; i < v.size(); i++) v[i] = v[i] + 1.0;
    std::swap(u, v);
  }
#pragma endscop
}

static void mixed(int n) {
#pragma scop
  for (int i = 0; i < n; i++) v[i] = 2.0 * u[i];
  for (std::size_t i = 0; i < u.size(); i++) u[i] = u[i] + 1.0;
  for (std::size_t i = 0; i < u.size(); i++) {
    if (i < v.size() - 1)
      u[i] = u[i] + 4.0;
    else
      u[i] = 0.5 * u[i];
  }
#pragma endscop
}

static void set(int first, int second) {
  u.assign(first, 0.0);
  v.assign(second, 0.0);
  for (auto* each : {&u, &v})
    for (double& x : *each) x = next_value();
}

static void add() {
  for (const auto* each : {&u, &v})
    for (const double x : *each) add_bytes(&x, sizeof x);
}

int main() {
  for (const int size : {0, 1, 2, 3, 17, 40}) {
    set(size, size);
    exchange(3);
    add();
    for (const int other : {0, 1, 3, 5, 17, 50}) {
      set(size, other);
      grow(3);
      add();
      set(size, other);
      mixed(size < other ? size : other);
      add();
      set(size, other);
      mixed(-1);
      add();
    }
  }
  PRINT();
}
