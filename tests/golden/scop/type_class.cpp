// An object with an operator.
#include <map>
std::map<int, double> w;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) w[i] = 0;
#pragma endscop
}
// ----
type_class.cpp:6:31: error: this is an operator of the class `std::map<int, double>`, and what it does is not known here [c-class]
    6 |   for (int i = 0; i < 9; i++) w[i] = 0;
      |                               ^~~~
  hint: regions compute with numbers, those of std::complex too, and with elements of std::vector, array, span and unique_ptr: name others by a pointer
