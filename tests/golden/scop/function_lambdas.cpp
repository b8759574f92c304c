// Lambdas that keep copies of what changes, or have variables of their own; regions inside of them.
#include <vector>
double c = 0.5;
static double scaled(double x) { return c * x; }
static void increase(double& x) { x += 1; }
void run(std::vector<double>& u, std::vector<double>& v, int n) {
  double w[2] = {1, 2}, factor = 2, last = 0;
  const auto of_array = [=](double x) { return x * w[0]; };
  const auto of_vector = [=](int i) { return u[i]; };
  const auto of_scalar = [=](double x) { return x * factor; };
  const auto of_own = [k = n * 2](double x) { return x * k; };
  increase(factor);
#pragma scop
  for (int i = 1; i < n; i++) v[i] = of_array(u[i]);
  for (int i = 1; i < n; i++) v[i] = of_vector(i);
  for (int i = 1; i < n; i++) v[i] = of_scalar(u[i]);
  for (int i = 1; i < n; i++) v[i] = of_own(u[i]);
#pragma endscop
}
void inside(std::vector<double>& u, std::vector<double>& v, int n) {
  double c = 9;
  auto step = [&] {
#pragma scop
    for (int i = 1; i < n; i++) v[i] = scaled(u[i]);
#pragma endscop
    return c;
  };
  step();
}
// ----
function_lambdas.cpp:14:38: error: a lambda that is called here keeps a copy of `w`, which changes in this function [c-function]
   14 |   for (int i = 1; i < n; i++) v[i] = of_array(u[i]);
      |                                      ^~~~~~~~~~~~~~
  hint: let the lambda name it by reference: `[&]`
function_lambdas.cpp:15:38: error: a lambda that is called here keeps a copy of `u`, which changes in this function [c-function]
   15 |   for (int i = 1; i < n; i++) v[i] = of_vector(i);
      |                                      ^~~~~~~~~~~~
  hint: let the lambda name it by reference: `[&]`
function_lambdas.cpp:16:38: error: a lambda that is called here keeps a copy of `factor`, which changes in this function [c-function]
   16 |   for (int i = 1; i < n; i++) v[i] = of_scalar(u[i]);
      |                                      ^~~~~~~~~~~~~~~
  hint: let the lambda name it by reference: `[&]`
function_lambdas.cpp:17:38: error: `operator()` is called, and is a lambda with variables of its own, or of another function [c-function]
   17 |   for (int i = 1; i < n; i++) v[i] = of_own(u[i]);
      |                                      ^~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
