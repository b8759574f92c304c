// A function behind a pointer.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double (*f)(double)) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = f(b[i]);
#pragma endscop
}
// ----
call_pointer.c:5:38: error: `f` is called, and what it does is not known here [c-call]
    5 |   for (int i = 0; i < n; i++) a[i] = f(b[i]);
      |                                      ^~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
