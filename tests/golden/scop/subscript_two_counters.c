// Two counters in one subscript of what is written.
double u[100][100];
void run(int n) {
#pragma scop
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 10; k++) u[i][10 * j + k] = 1.0;
#pragma endscop
}
// ----
subscript_two_counters.c:7:36: error: the subscripts of `u` do not say one by one which point of the loops an element belongs to [c-points]
    7 |       for (int k = 0; k < 10; k++) u[i][10 * j + k] = 1.0;
      |                                    ^~~~~~~~~~~~~~~~~~~~~~
  hint: give each counter a subscript of its own: `u[i][j][k]`
