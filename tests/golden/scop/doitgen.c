// PolyBench's doitgen: sums into a row that is copied back.
double A[10][12][14], C4[14][14], sum[14];
void run(int n, int m) {
#pragma scop
  for (int r = 0; r < 10; r++)
    for (int q = 0; q < 12; q++) {
      for (int p = 0; p < 14; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < 14; s++) sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < 14; p++) A[r][q][p] = sum[p];
    }
#pragma endscop
}
// ----
doitgen.c:8:9: error: `sum[p]`, which has been read as `sum[p]`, is written one iteration of `r` later [scop-dependence]
    8 |         sum[p] = 0.0;
      |         ^~~~~~
doitgen.c:11:49: note: read here
   11 |       for (int p = 0; p < 14; p++) A[r][q][p] = sum[p];
      |                                                 ^~~~~~
doitgen.c:5:3: note: the loop that is in the way
    5 |   for (int r = 0; r < 10; r++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
doitgen.c:9:38: error: `sum[p]`, which has been read as `sum[p]`, is written one iteration of `r` later [scop-dependence]
    9 |         for (int s = 0; s < 14; s++) sum[p] += A[r][q][s] * C4[s][p];
      |                                      ^~~~~~
doitgen.c:11:49: note: read here
   11 |       for (int p = 0; p < 14; p++) A[r][q][p] = sum[p];
      |                                                 ^~~~~~
doitgen.c:5:3: note: the loop that is in the way
    5 |   for (int r = 0; r < 10; r++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
