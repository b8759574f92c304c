// A function without a name.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = [](double x) { return x; }(b[i]);
#pragma endscop
}
// ----
call_lambda.cpp:5:38: error: `operator()` is called, and what it does is not known here [c-call]
    5 |   for (int i = 0; i < n; i++) a[i] = [](double x) { return x; }(b[i]);
      |                                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: write what it computes in its place; functions of <math.h> are known
