// Classes around arrays: elements by an operator and by members, objects as arguments of functions,
// templates of classes, and lambdas that say places.
#include <utility>
#include <vector>

#include "check.h"

namespace {

template <typename T>
struct Field {
  int rows, columns;
  std::vector<T> values;
  Field(int m, int n) : rows(m), columns(n), values(m * n) {
    for (T& value : values) value = static_cast<T>(next_value());
  }
  T& operator()(int j, int i) { return values[j * columns + i]; }
  const T& operator()(int j, int i) const { return values[j * columns + i]; }
  T at(int j, int i) const { return values[j * columns + i]; }
};

struct Grid {
  int m, n;
  double* u;
  double* v;
  double& old(int j, int i) { return u[j * n + i]; }
  double& next(int j, int i) const { return v[j * n + i]; }
};

void Sweep(Grid& grid, double alpha) {
#pragma scop
  for (int j = 1; j < grid.m - 1; j++)
    for (int i = 1; i < grid.n - 1; i++)
      grid.next(j, i) =
          grid.old(j, i) + alpha * (grid.old(j - 1, i) + grid.old(j + 1, i) - 2.0 * grid.old(j, i));
#pragma endscop
}

void Smooth(Field<double>& out, const Field<double>& in) {
#pragma scop
  for (int j = 1; j < out.rows - 1; j++)
    for (int i = 1; i < out.columns - 1; i++)
      out(j, i) = 0.25 * (in(j - 1, i) + in(j + 1, i) + in.at(j, i - 1) + in.at(j, i + 1));
#pragma endscop
}

void copy_edges(Grid* grid) {
  for (int i = 0; i < grid->n; i++) {
    grid->v[i] = grid->u[i];
    grid->v[(grid->m - 1) * grid->n + i] = grid->u[(grid->m - 1) * grid->n + i];
  }
}

void Steps(Grid* grid, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    copy_edges(grid);
    for (int j = 1; j < grid->m - 1; j++)
      for (int i = 0; i < grid->n; i++)
        grid->next(j, i) = 0.5 * (grid->old(j - 1, i) + grid->old(j + 1, i));
    for (int j = 0; j < grid->m; j++)
      for (int i = 0; i < grid->n; i++) grid->old(j, i) = grid->next(j, i);
  }
#pragma endscop
}

void Lambdas(const std::vector<float>& u, std::vector<float>& v, int m, int n) {
  auto at = [n](int j, int i) { return j * n + i; };
  const float half = 0.5f;
  const auto mean = [&](float a, float b) { return half * (a + b); };
#pragma scop
  for (int j = 1; j < m - 1; j++)
    for (int i = 1; i < n - 1; i++)
      v[at(j, i)] = mean(u[at(j - 1, i)], u[at(j + 1, i)]) - mean(u[at(j, i - 1)], u[at(j, i + 1)]);
#pragma endscop
}

class Solver {
 public:
  explicit Solver(int n) : n_(n), u_(n), v_(n) {
    for (double& value : u_) value = next_value();
  }
  void Run(int steps) {
#pragma scop
    for (int t = 0; t < steps; t++) {
      for (int i = 1; i < n_ - 1; i++) v_[i] = Mean(this->u_[i - 1], u_[i + 1]) + left(i);
      for (int i = 1; i < this->n_ - 1; i++) u_[i] = this->v_[i];
    }
#pragma endscop
  }
  const std::vector<double>& u() const {
    return u_;
  }

 private:
  double Mean(double a, double b) const {
    return weight_ * (a + b);
  }
  double left(int i) const {
    return 0.01 * u_[i - 1];
  }
  int n_;
  double weight_ = 0.5;
  std::vector<double> u_, v_;
};

template <typename Values>
void AddAll(const Values& values) {
  add_bytes(values.data(), values.size() * sizeof(values[0]));
}

}  // namespace

int main() {
  Field<double> a(14, 19), b(14, 19);
  Smooth(b, a);
  AddAll(b.values);
  Grid grid{14, 19, a.values.data(), b.values.data()};
  Sweep(grid, 0.1);
  AddAll(b.values);
  Steps(&grid, 5);
  AddAll(a.values);
  AddAll(b.values);
  Field<float> c(11, 17), d(11, 17);
  Lambdas(c.values, d.values, 11, 17);
  AddAll(d.values);
  Solver solver(33);
  solver.Run(6);
  AddAll(solver.u());
  PRINT();
}
