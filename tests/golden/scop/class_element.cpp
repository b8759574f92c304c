// What is assigned to is no array either: the message is the same on both sides.
#include <vector>
struct View {
  double *p;
  int m;
  double &operator()(int i, int j) const;
};
void run(int n, std::vector<double> &u, std::vector<double> &v, View a) {
#pragma scop
  for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
  for (int i = 1; i < n - 1; i++) a(i, 0) = 1.0;
#pragma endscop
}
// ----
class_element.cpp:11:35: error: `operator()` is called, and what it does is not known here [c-call]
   11 |   for (int i = 1; i < n - 1; i++) a(i, 0) = 1.0;
      |                                   ^~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
