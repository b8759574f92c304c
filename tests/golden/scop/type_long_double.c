// An array of long double.
long double big[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) big[i] = 0;
#pragma endscop
}
// ----
type_long_double.c:5:31: error: `big` has the type `long double`, which stencil programs have not [c-type]
    5 |   for (int i = 0; i < 9; i++) big[i] = 0;
      |                               ^~~
  hint: arrays of bool, char, short, int, _Float16, float, double and std::complex are known, and scalars of C's other integers
