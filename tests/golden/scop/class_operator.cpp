// Numbers of a class of one's own, and elements of containers.
#include <complex>
#include <vector>
struct Dual {
  double value, slope;
  Dual operator+(const Dual& other) const { return {value + other.value, slope + other.slope}; }
};
void run(Dual* u, const Dual* v, std::vector<std::complex<double>>& z, std::complex<double>* w,
         std::complex<long double>* l, int n) {
#pragma scop
  for (int i = 1; i < n; i++) u[i] = v[i - 1] + v[i];
  for (int i = 1; i < n; i++) w[i] = z[i];
  for (int i = 1; i < n; i++) w[i] = std::sqrt(w[i]);
  for (int i = 1; i < n; i++) w[i] = w[i - 1] = 0.0;
  for (int i = 1; i < n; i++) w[i].real(1.0);
  for (int i = 1; i < n; i++) l[i] = 0;
#pragma endscop
}
// ----
class_operator.cpp:11:31: error: this is an operator of the class `Dual`, and what it does is not known here [c-class]
   11 |   for (int i = 1; i < n; i++) u[i] = v[i - 1] + v[i];
      |                               ^~~~~~~~~~~~~~~~~~~~~~
  hint: regions compute with numbers, those of std::complex too, and with elements of std::vector, array, span and unique_ptr: name others by a pointer
class_operator.cpp:13:38: error: `sqrt` is called, and what it does is not known here [c-call]
   13 |   for (int i = 1; i < n; i++) w[i] = std::sqrt(w[i]);
      |                                      ^~~~~~~~~~~~~~~
  hint: of complex numbers real, imag, conj, abs, norm, arg and exp are known
class_operator.cpp:14:38: error: an assignment inside of an expression [c-side-effect]
   14 |   for (int i = 1; i < n; i++) w[i] = w[i - 1] = 0.0;
      |                                      ^~~~~~~~~~~~~~
  hint: write it as a statement of its own
class_operator.cpp:15:31: error: `real` is called, and what it does is not known here [c-call]
   15 |   for (int i = 1; i < n; i++) w[i].real(1.0);
      |                               ^~~~~~~~~~~~~~
  hint: of complex numbers real, imag, conj, abs, norm, arg and exp are known
class_operator.cpp:16:31: error: this is an operator of the class `std::complex<long double>`, and what it does is not known here [c-class]
   16 |   for (int i = 1; i < n; i++) l[i] = 0;
      |                               ^~~~~~~~
  hint: regions compute with numbers, those of std::complex too, and with elements of std::vector, array, span and unique_ptr: name others by a pointer
