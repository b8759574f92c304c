// Rows anywhere.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double **rows) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) rows[i][j] = 0;
#pragma endscop
}
// ----
pointer_of_pointers.c:6:33: error: `rows` is an array of pointers: its rows may lie anywhere [c-rows]
    6 |     for (int j = 0; j < n; j++) rows[i][j] = 0;
      |                                 ^~~~
  hint: allocate one array and index it as `u[i*n + j]`, or as `double (*u)[n]`
