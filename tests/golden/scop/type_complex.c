// Complex numbers.
_Complex double z[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) z[i] = 0;
#pragma endscop
}
// ----
type_complex.c:5:31: error: `z` has the type `_Complex double`, which stencil programs have not [c-type]
    5 |   for (int i = 0; i < 9; i++) z[i] = 0;
      |                               ^
  hint: arrays of bool, char, short, int, _Float16, float, double and std::complex are known, and scalars of C's other integers
