// A statement in an expression.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = ({ double x = b[i]; x * x; });
#pragma endscop
}
// ----
statement_expression.c:5:38: error: a region has no counterpart for a statement in an expression [c-expression]
    5 |   for (int i = 0; i < 9; i++) a[i] = ({ double x = b[i]; x * x; });
      |                                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
