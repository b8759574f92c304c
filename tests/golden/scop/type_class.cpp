// An object with an operator.
#include <vector>
std::vector<double> w(10);
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) w[i] = 0;
#pragma endscop
}
// ----
type_class.cpp:6:31: error: this is no element of an array that the region names [c-place]
    6 |   for (int i = 0; i < 9; i++) w[i] = 0;
      |                               ^~~~
  hint: arrays are named, as `u[i][j]`, `p->u[i]` or `u[i*n + j]`
