// A region in a template.
template <typename T> void run(T *a, int n) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma endscop
}
void use(double *a) { run(a, 3); }
// ----
cpp_template_type.cpp:4:31: error: `a` has the type `type-parameter-0-0`, which stencil programs have not [c-type]
    4 |   for (int i = 0; i < n; i++) a[i] = 0;
      |                               ^
  hint: arrays of bool, char, short, int, _Float16, float, double and std::complex are known, and scalars of C's other integers
