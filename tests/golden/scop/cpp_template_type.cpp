// A region in a template.
template <typename T> void run(T *a, int n) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma endscop
}
void use(double *a) { run(a, 3); }
// ----
cpp_template_type.cpp:4:31: error: the type of `a` is a template's argument, which is not known where the region stands [c-type]
    4 |   for (int i = 0; i < n; i++) a[i] = 0;
      |                               ^
  hint: put the region into functions of known types, which the template calls
