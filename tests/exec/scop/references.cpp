// References of a region and of functions, instances of templates, names of namespaces and classes,
// and lambdas that see what changes.
#include <vector>

#include "check.h"

namespace {
constexpr int kN = 25;
double u[kN], v[kN], w[kN];
float uf[kN], vf[kN];
}  // namespace

double scale = 5;
namespace physics {
double scale = 0.3, w[kN];
inline double scaled(double x) {
  return scale * x;
}
void step(double* a) {
  for (int i = 0; i < kN; i++) a[i] = w[i] * scale;
}
}  // namespace physics

struct Weights {
  static double factor;
  static double of(double x) { return factor * x; }
};
double Weights::factor = 0.7;

template <class T>
void third(T* a, const T* b, int i) {
  T y = b[i] / 3;
  y = y * y;
  a[i] = y;
}
template <int K>
void weighted(double* a, const double* b, int i) {
  const double weights[2] = {K * 1.0, K * 2.0};
  const int places[2] = {-K, K};
  double s = 0;
  for (int q = 0; q < 2; q++) s += weights[q] * b[i + places[q]];
  a[i] = s;
}
static void update(double* x, int i, const float& a, const double& b) {
  x[i] = a + 1;
  x[i] = x[i] * a + b;
}
// Names that the region means others by.
static double w_of(double x) {
  return x * w[3];
}
struct Hidden {
  double w = 8;
};
struct Hiding : Hidden {
  void Set() {
    double scale = 0.25;
    for (int t = 0; t < 2; t++) {
#pragma scop
      for (int i = 0; i < kN; i++) v[i] = scale * w_of(u[i]) + physics::scaled(this->w);
#pragma endscop
    }
  }
};
static void kept(double* a, double* b, int i) {
  const auto& c = a[i];
  a[i] = u[i - 1] * 2;
  b[i] = c;
}

static void Run() {
  auto& a = u;
  double c = 1;
  const auto times = [&](double x) { return c * x; };
  c = 3;
#pragma scop
  for (int i = 1; i < kN - 1; i++) {
    const double& old = v[i];
    double& to = w[i];
    v[i] = a[i - 1] * 2;
    to = old;
    to += a[i];
    double s = a[i];
    double& same = s;
    same += 1;
    s *= 2;
    v[i] += same + s;
  }
  for (int i = 1; i < kN - 1; i++) kept(v, w, i);
  for (int i = 0; i < kN; i++) third(vf, uf, i);
  for (int i = 0; i < kN; i++) third(v, w, i);
  for (int i = 2; i < kN - 2; i++) {
    weighted<1>(v, u, i);
    weighted<2>(w, u, i);
  }
  for (int i = 1; i < kN - 1; i++) update(v, i, v[i], w[i]);
  physics::step(w);
  for (int i = 0; i < kN; i++)
    v[i] += physics::scaled(u[i]) + scale * physics::w[i] + Weights::of(w[i]) + times(u[i]);
#pragma endscop
}

int main() {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(uf, float);
  FILL(vf, float);
  FILL(physics::w, double);
  Run();
  Hiding().Set();
  ADD(u);
  ADD(v);
  ADD(w);
  ADD(vf);
  PRINT();
}
