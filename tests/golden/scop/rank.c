// Too many dimensions.
double four[9][9][9][9];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      for (int k = 0; k < 9; k++)
        for (int l = 0; l < 9; l++) four[i][j][k][l] = 0;
#pragma endscop
}
// ----
rank.c:8:37: error: `four` has 4 dimensions: stencil programs have at most 3 [c-rank]
    8 |         for (int l = 0; l < 9; l++) four[i][j][k][l] = 0;
      |                                     ^~~~
