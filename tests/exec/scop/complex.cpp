// Arrays of std::complex: operators, functions, members, numbers of all forms.
#include <complex>

#include "check.h"

namespace {

using Complex = std::complex<double>;
using namespace std::complex_literals;

constexpr int kRows = 20, kColumns = 30;
Complex psi[kRows][kColumns], before[kRows][kColumns];
std::complex<float> light[64], dim[64];
double potential[kRows][kColumns], density[kRows][kColumns];

// The leapfrog of Schroedinger's equation.
void Leapfrog(int steps, double dt) {
  const Complex turn(0, 2 * dt);
#pragma scop
  for (int t = 0; t < steps; ++t) {
    for (int j = 1; j < kRows - 1; ++j) {
      for (int i = 1; i < kColumns - 1; ++i) {
        const Complex h = (2.0 + potential[j][i]) * psi[j][i] -
                          0.5 * (psi[j - 1][i] + psi[j + 1][i] + psi[j][i - 1] + psi[j][i + 1]);
        before[j][i] -= turn * h;
      }
    }
    for (int j = 1; j < kRows - 1; ++j) {
      for (int i = 1; i < kColumns - 1; ++i) {
        const Complex kept = psi[j][i];
        psi[j][i] = before[j][i];
        before[j][i] = kept;
      }
    }
  }
#pragma endscop
}

void Members(Complex* z, const Complex* w, double* d, int n, double a) {
#pragma scop
  for (int i = 1; i < n; ++i) {
    Complex sum{a, w[i].real()};
    sum += z[i] * std::conj(w[i - 1]) - 1.5i;
    if (w[i] != w[i - 1]) sum *= Complex(a, 0.25);
    d[i] = std::norm(sum) + std::real(w[i]) - imag(w[i]) + sum.imag();
    z[i] = -sum / 2.0 + 3i * a;
  }
  for (int i = 0; i < n; ++i) z[i] = d[i] > 1 ? z[i] : static_cast<Complex>(d[i]);
  for (int i = 0; i < n - 3; ++i) z[i] = a;
#pragma endscop
}

void Swapped(std::complex<float>* u, std::complex<float>* v, int n, int steps) {
#pragma scop
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i) v[i] = 0.25f * (u[i - 1] - u[i] + u[i + 1]) * u[i];
    std::swap(u, v);
  }
#pragma endscop
}

}  // namespace

int main() {
  FILL(psi, double);
  FILL(before, double);
  FILL(potential, double);
  FILL(light, float);
  FILL(dim, float);
#pragma scop
  memcpy(dim, light, sizeof(dim));
#pragma endscop
  Leapfrog(7, 0.05);
  Members(psi[0], before[0], density[0], kRows * kColumns, 0.75);
  Swapped(light, dim, 64, 3);
  ADD(psi);
  ADD(before);
  ADD(density);
  ADD(light);
  ADD(dim);
  PRINT();
}
