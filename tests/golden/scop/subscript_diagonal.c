// A diagonal.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 99; i++) u[i][i] = 0;
#pragma endscop
}
// ----
subscript_diagonal.c:5:32: error: the subscripts of `u` do not say one by one which point of the loops an element belongs to [c-points]
    5 |   for (int i = 0; i < 99; i++) u[i][i] = 0;
      |                                ^~~~~~~~~~~
