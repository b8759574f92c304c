// An error in C++.
template <typename T> void run(T *a, int n) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = b[i];
#pragma endscop
}
// ----
cpp_template.cpp:4:38: error: use of undeclared identifier 'b' [c-error]
    4 |   for (int i = 0; i < n; i++) a[i] = b[i];
      |                                      ^
