// Sizes and beginnings of containers, what functions set by pointers and references, early returns,
// defaults.
#include <memory>
#include <utility>
#include <vector>

#include "check.h"

struct Field {
  std::vector<double> u;
  int n;
};
static void flux(double l, double r, double* a, double* b) {
  double m = 0.5 * (l + r);
  *a = m * m;
  if (m > 0)
    *b = l;
  else {
    *b = r;
  }
  *a += 0.5 * *b;
}
static void pair(const double* p, int i, double& x, double& y) {
  x = p[i - 1] + x;
  y = p[i + 1];
  y *= 0.5;
}
static void cell(double* to, const double* from, int i, int n, double c = 0.25) {
  if (i < 2) return;
  if (i >= n - 2) {
    return;
  }
  to[i] = c * (from[i - 1] + from[i + 1]);
}
static void sweep(double* to, const double* from, int n, double c) {
  if (n < 3) return;
  const double h = 0.5 * c;
  for (int i = 1; i < n - 1; i++) to[i] = h * (from[i - 1] + from[i + 1]);
}
static std::vector<double> u(40), v(40), g(40);
static Field f{std::vector<double>(40), 40};
static std::unique_ptr<double[]> p(new double[40]);

static void step() {
#pragma scop
  for (int t = 0; t < 3; t++) {
    for (std::size_t i = 1; i < u.size() - 1; i++) {
      double a, b;
      flux(u[i - 1], u[i], &a, &b);
      v[i] = a + b;
      flux(u[i - 1], u[i + 1], &f.u[i], &g[i]);
    }
    for (std::size_t i = 1; i + 1 < f.u.size(); i++) {
      double x = 0.25, y;
      pair(v.data(), i, x, y);
      u[i] = x * y + 0.1 * f.u[i] - g[i];
    }
    for (int i = 0; i < f.n; i++) cell(p.get(), u.data(), i, f.n);
    sweep(u.data(), &p[0], f.n, 0.7);
    sweep(&v[0], f.u.data(), f.n, 0.6);
  }
#pragma endscop
}
int main() {
  for (auto* w : {&u, &v, &g, &f.u})
    for (auto& x : *w) x = next_value();
  for (int i = 0; i < 40; i++) p[i] = next_value();
  step();
  for (auto* w : {&u, &v, &g, &f.u}) add_bytes(w->data(), 320);
  add_bytes(p.get(), 320);
  PRINT();
}
