// An object with an operator.
#include <vector>
std::vector<double> w(10);
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) w[i] = 0;
#pragma endscop
}
// ----
type_class.cpp:6:31: error: this is an operator of the class `std::vector<double>`, and what it does is not known here [c-class]
    6 |   for (int i = 0; i < 9; i++) w[i] = 0;
      |                               ^~~~
  hint: regions compute with numbers, those of std::complex too: name a container's elements by a pointer, its `data()`
