/* Arrays of four and five dimensions: the loops along the first ones stay loops. */
#include "check.h"

static double a[5][6][7][8], b[5][6][7][8], sum[6][7][8], series[25][6][7][8];
static double pair[2][4][5][6][7], components[6][5][7][3];

int main(void) {
  FILL(a, double);
  FILL(series, double);
  FILL(pair, double);
  FILL(components, double);
#pragma scop
  for (int p = 0; p < 5; p++)
    for (int i = 0; i < 6; i++)
      for (int j = 1; j < 6; j++)
        for (int k = 1; k < 7; k++)
          b[p][i][j][k] = a[p][i][j - 1][k] + a[p][i][j + 1][k] + a[p][i][j][k - 1] * a[p][i][j][k + 1];
  for (int t = 0; t < 25; t++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 7; j++)
        for (int k = 1; k < 8; k++) sum[i][j][k] += series[t][i][j][k - 1];
  for (int i = 1; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 7; k++)
        for (int c = 0; c < 3; c++) components[i][j][k][c] *= 0.5;
#pragma endscop
#pragma scop
  for (int t = 0; t < 3; t++)
    for (int p = 1; p < 3; p++)
      for (int i = 1; i < 4; i++)
        for (int j = 1; j < 5; j++)
          for (int k = 1; k < 6; k++)
            pair[(t + 1) % 2][p][i][j][k] =
                pair[t % 2][p - 1][i][j - 1][k] - pair[t % 2][p][i + 1][j + 1][k];
#pragma endscop
#pragma scop
  for (int i = 0; i < 6; i++)
    for (int j = 1; j < 6; j++)
      for (int k = 1; k < 7; k++) {
        b[0][i][j][k] = a[1][i][j - 1][k] + a[2][i][j + 1][k];
        b[3][i][j][k] = a[3][i][j - 1][k];
      }
#pragma endscop
  ADD(b);
  ADD(sum);
  ADD(components);
  ADD(pair);
  PRINT();
  return 0;
}
