// A function is called for what it does.
void print_it(double);
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) print_it(a[i]);
#pragma endscop
}
// ----
call_statement.c:6:31: error: `print_it` is called, and what it does is not known here [c-call]
    6 |   for (int i = 0; i < n; i++) print_it(a[i]);
      |                               ^~~~~~~~~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
