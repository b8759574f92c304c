// A function is called.
double unknown(double);
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = unknown(b[i]);
#pragma endscop
}
// ----
call.c:6:38: error: `unknown` is called, and what it does is not known here [c-call]
    6 |   for (int i = 0; i < n; i++) a[i] = unknown(b[i]);
      |                                      ^~~~~~~~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
