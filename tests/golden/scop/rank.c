// Too many dimensions.
double five[9][9][9][9][9];
void run(int n, int m) {
#pragma scop
  for (int h = 0; h < 9; h++)
    for (int i = 0; i < 9; i++)
      for (int j = 0; j < 9; j++)
        for (int k = 0; k < 9; k++)
          for (int l = 0; l < 9; l++) five[h][i][j][k][l] = 0;
#pragma endscop
}
// ----
rank.c:9:39: error: `five` has 5 dimensions: stencil programs have at most 4, three of which points run along [c-rank]
    9 |           for (int l = 0; l < 9; l++) five[h][i][j][k][l] = 0;
      |                                       ^~~~
  hint: a first dimension that only numbers name, as `u[0][i][j][k]`, or a loop in which the points of each turn write another part of the array, can come on top
