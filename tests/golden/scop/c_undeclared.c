// A name that nobody declares.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) undeclared[i] = 0;
#pragma endscop
}
// ----
c_undeclared.c:5:31: error: use of undeclared identifier 'undeclared' [c-error]
    5 |   for (int i = 0; i < n; i++) undeclared[i] = 0;
      |                               ^~~~~~~~~~
