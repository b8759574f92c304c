// What is assigned to is no array either: the message is the same on both sides.
#include <vector>
struct View {
  double *p;
  int m;
  double &operator()(int i, int j) const { return p[i * m + j]; }
};
void run(int n, std::vector<double> &u, std::vector<double> &v, View a) {
#pragma scop
  for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
  for (int i = 1; i < n - 1; i++) a(i, 0) = 1.0;
#pragma endscop
}
// ----
class_element.cpp:10:35: error: this is an operator of the class `std::vector<double>`, and what it does is not known here [c-class]
   10 |   for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
      |                                   ^~~~
  hint: regions compute with numbers, those of std::complex too: name a container's elements by a pointer, its `data()`
class_element.cpp:10:42: error: this is an operator of the class `std::vector<double>`, and what it does is not known here [c-class]
   10 |   for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
      |                                          ^~~~~~~~
  hint: regions compute with numbers, those of std::complex too: name a container's elements by a pointer, its `data()`
class_element.cpp:10:53: error: this is an operator of the class `std::vector<double>`, and what it does is not known here [c-class]
   10 |   for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
      |                                                     ^~~~~~~~
  hint: regions compute with numbers, those of std::complex too: name a container's elements by a pointer, its `data()`
class_element.cpp:11:35: error: `operator()` is called, and what it does is not known here [c-call]
   11 |   for (int i = 1; i < n - 1; i++) a(i, 0) = 1.0;
      |                                   ^~~~~~~
  hint: write what it computes in its place; functions of <math.h> are known
