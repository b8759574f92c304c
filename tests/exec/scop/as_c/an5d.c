/* AN5D's benchmarks: buffers by the parity of the step, extents from the sizes. */
#include <math.h>

#include "check.h"

static void star2d1r(int dimsize, int timestep, double (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        A[(t+1)%2][i][j] =
          0.0100 * A[t%2][i][j] +
          0.0200 * A[t%2][i - 1][j] +
          0.0300 * A[t%2][i + 1][j] +
          0.0400 * A[t%2][i][j - 1] +
          0.0500 * A[t%2][i][j + 1];
#pragma endscop
}

static void star2d4r(int dimsize, int timestep, double (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 4; i < dimsize - 4; i++)
      for (int j = 4; j < dimsize - 4; j++)
        A[(t+1)%2][i][j] =
          0.0100 * A[t%2][i][j] +
          0.0200 * A[t%2][i - 4][j] +
          0.0300 * A[t%2][i - 3][j] +
          0.0400 * A[t%2][i - 2][j] +
          0.0500 * A[t%2][i - 1][j] +
          0.0600 * A[t%2][i + 1][j] +
          0.0700 * A[t%2][i + 2][j] +
          0.0800 * A[t%2][i + 3][j] +
          0.0900 * A[t%2][i + 4][j] +
          0.1000 * A[t%2][i][j - 4] +
          0.1100 * A[t%2][i][j - 3] +
          0.1200 * A[t%2][i][j - 2] +
          0.1300 * A[t%2][i][j - 1] +
          0.1400 * A[t%2][i][j + 1] +
          0.1500 * A[t%2][i][j + 2] +
          0.1600 * A[t%2][i][j + 3] +
          0.1700 * A[t%2][i][j + 4];
#pragma endscop
}

static void box2d1r(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        A[(t+1)%2][i][j] =
          0.0100f * A[t%2][i - 1][j - 1] +
          0.0200f * A[t%2][i - 1][j] +
          0.0300f * A[t%2][i - 1][j + 1] +
          0.0400f * A[t%2][i][j - 1] +
          0.0500f * A[t%2][i][j] +
          0.0600f * A[t%2][i][j + 1] +
          0.0700f * A[t%2][i + 1][j - 1] +
          0.0800f * A[t%2][i + 1][j] +
          0.0900f * A[t%2][i + 1][j + 1];
#pragma endscop
}

static void box2d2r(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 2; i < dimsize - 2; i++)
      for (int j = 2; j < dimsize - 2; j++)
        A[(t+1)%2][i][j] =
          0.0100f * A[t%2][i - 2][j - 2] +
          0.0200f * A[t%2][i - 2][j - 1] +
          0.0300f * A[t%2][i - 2][j] +
          0.0400f * A[t%2][i - 2][j + 1] +
          0.0500f * A[t%2][i - 2][j + 2] +
          0.0600f * A[t%2][i - 1][j - 2] +
          0.0700f * A[t%2][i - 1][j - 1] +
          0.0800f * A[t%2][i - 1][j] +
          0.0900f * A[t%2][i - 1][j + 1] +
          0.1000f * A[t%2][i - 1][j + 2] +
          0.1100f * A[t%2][i][j - 2] +
          0.1200f * A[t%2][i][j - 1] +
          0.1300f * A[t%2][i][j] +
          0.1400f * A[t%2][i][j + 1] +
          0.1500f * A[t%2][i][j + 2] +
          0.1600f * A[t%2][i + 1][j - 2] +
          0.1700f * A[t%2][i + 1][j - 1] +
          0.1800f * A[t%2][i + 1][j] +
          0.1900f * A[t%2][i + 1][j + 1] +
          0.2000f * A[t%2][i + 1][j + 2] +
          0.2100f * A[t%2][i + 2][j - 2] +
          0.2200f * A[t%2][i + 2][j - 1] +
          0.2300f * A[t%2][i + 2][j] +
          0.2400f * A[t%2][i + 2][j + 1] +
          0.2500f * A[t%2][i + 2][j + 2];
#pragma endscop
}

static void star3d1r(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        for (int k = 1; k < dimsize - 1; k++)
          A[(t+1)%2][i][j][k] =
            0.0100f * A[t%2][i][j][k] +
            0.0200f * A[t%2][i - 1][j][k] +
            0.0300f * A[t%2][i + 1][j][k] +
            0.0400f * A[t%2][i][j - 1][k] +
            0.0500f * A[t%2][i][j + 1][k] +
            0.0600f * A[t%2][i][j][k - 1] +
            0.0700f * A[t%2][i][j][k + 1];
#pragma endscop
}

static void star3d4r(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 4; i < dimsize - 4; i++)
      for (int j = 4; j < dimsize - 4; j++)
        for (int k = 4; k < dimsize - 4; k++)
          A[(t+1)%2][i][j][k] =
            0.0100f * A[t%2][i][j][k] +
            0.0200f * A[t%2][i - 4][j][k] +
            0.0300f * A[t%2][i - 3][j][k] +
            0.0400f * A[t%2][i - 2][j][k] +
            0.0500f * A[t%2][i - 1][j][k] +
            0.0600f * A[t%2][i + 1][j][k] +
            0.0700f * A[t%2][i + 2][j][k] +
            0.0800f * A[t%2][i + 3][j][k] +
            0.0900f * A[t%2][i + 4][j][k] +
            0.1000f * A[t%2][i][j - 4][k] +
            0.1100f * A[t%2][i][j - 3][k] +
            0.1200f * A[t%2][i][j - 2][k] +
            0.1300f * A[t%2][i][j - 1][k] +
            0.1400f * A[t%2][i][j + 1][k] +
            0.1500f * A[t%2][i][j + 2][k] +
            0.1600f * A[t%2][i][j + 3][k] +
            0.1700f * A[t%2][i][j + 4][k] +
            0.1800f * A[t%2][i][j][k - 4] +
            0.1900f * A[t%2][i][j][k - 3] +
            0.2000f * A[t%2][i][j][k - 2] +
            0.2100f * A[t%2][i][j][k - 1] +
            0.2200f * A[t%2][i][j][k + 1] +
            0.2300f * A[t%2][i][j][k + 2] +
            0.2400f * A[t%2][i][j][k + 3] +
            0.2500f * A[t%2][i][j][k + 4];
#pragma endscop
}

static void box3d1r(int dimsize, int timestep, double (*restrict A)[dimsize][dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        for (int k = 1; k < dimsize - 1; k++)
          A[(t+1)%2][i][j][k] =
            0.0100 * A[t%2][i - 1][j - 1][k - 1] +
            0.0200 * A[t%2][i - 1][j - 1][k] +
            0.0300 * A[t%2][i - 1][j - 1][k + 1] +
            0.0400 * A[t%2][i - 1][j][k - 1] +
            0.0500 * A[t%2][i - 1][j][k] +
            0.0600 * A[t%2][i - 1][j][k + 1] +
            0.0700 * A[t%2][i - 1][j + 1][k - 1] +
            0.0800 * A[t%2][i - 1][j + 1][k] +
            0.0900 * A[t%2][i - 1][j + 1][k + 1] +
            0.1000 * A[t%2][i][j - 1][k - 1] +
            0.1100 * A[t%2][i][j - 1][k] +
            0.1200 * A[t%2][i][j - 1][k + 1] +
            0.1300 * A[t%2][i][j][k - 1] +
            0.1400 * A[t%2][i][j][k] +
            0.1500 * A[t%2][i][j][k + 1] +
            0.1600 * A[t%2][i][j + 1][k - 1] +
            0.1700 * A[t%2][i][j + 1][k] +
            0.1800 * A[t%2][i][j + 1][k + 1] +
            0.1900 * A[t%2][i + 1][j - 1][k - 1] +
            0.2000 * A[t%2][i + 1][j - 1][k] +
            0.2100 * A[t%2][i + 1][j - 1][k + 1] +
            0.2200 * A[t%2][i + 1][j][k - 1] +
            0.2300 * A[t%2][i + 1][j][k] +
            0.2400 * A[t%2][i + 1][j][k + 1] +
            0.2500 * A[t%2][i + 1][j + 1][k - 1] +
            0.2600 * A[t%2][i + 1][j + 1][k] +
            0.2700 * A[t%2][i + 1][j + 1][k + 1];
#pragma endscop
}

static void j2d9pt_gol(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        A[(t+1)%2][i][j] =
          (7.1f * A[t%2][i - 1][j - 1] +
      8.1f * A[t%2][i - 1][j] +
      9.1f * A[t%2][i - 1][j + 1] +
      10.1f * A[t%2][i][j - 1] +
      11.1f * A[t%2][i][j] +
      12.1f * A[t%2][i][j + 1] +
      13.1f * A[t%2][i + 1][j - 1] +
      14.1f * A[t%2][i + 1][j] +
      15.1f * A[t%2][i + 1][j + 1]) / 118;
#pragma endscop
}

static void gradient2d(int dimsize, int timestep, float (*restrict A)[dimsize][dimsize]) {
#pragma scop
  for (int t = 0; t < timestep; t++)
    for (int i = 1; i < dimsize - 1; i++)
      for (int j = 1; j < dimsize - 1; j++)
        A[(t+1)%2][i][j] =
          A[t%2][i][j] + 1.0f / sqrt(0.0001f + (A[t%2][i][j] - A[t%2][i - 1][j])*(A[t%2][i][j] - A[t%2][i - 1][j]) + (A[t%2][i][j] - A[t%2][i + 1][j])*(A[t%2][i][j] - A[t%2][i + 1][j]) + (A[t%2][i][j] - A[t%2][i][j + 1])*(A[t%2][i][j] - A[t%2][i][j + 1]) + (A[t%2][i][j] - A[t%2][i][j - 1])*(A[t%2][i][j] - A[t%2][i][j - 1]));
#pragma endscop
}

double of_star2d1r[2][42][42];
double of_star2d4r[2][48][48];
float of_box2d1r[2][42][42];
float of_box2d2r[2][44][44];
float of_star3d1r[2][22][22][22];
float of_star3d4r[2][28][28][28];
double of_box3d1r[2][22][22][22];
float of_j2d9pt_gol[2][42][42];
float of_gradient2d[2][42][42];

int main(void) {
  FILL(of_star2d1r, double);
  star2d1r(42, 5, of_star2d1r);
  ADD(of_star2d1r);
  FILL(of_star2d4r, double);
  star2d4r(48, 5, of_star2d4r);
  ADD(of_star2d4r);
  FILL(of_box2d1r, float);
  box2d1r(42, 5, of_box2d1r);
  ADD(of_box2d1r);
  FILL(of_box2d2r, float);
  box2d2r(44, 5, of_box2d2r);
  ADD(of_box2d2r);
  FILL(of_star3d1r, float);
  star3d1r(22, 5, of_star3d1r);
  ADD(of_star3d1r);
  FILL(of_star3d4r, float);
  star3d4r(28, 5, of_star3d4r);
  ADD(of_star3d4r);
  FILL(of_box3d1r, double);
  box3d1r(22, 5, of_box3d1r);
  ADD(of_box3d1r);
  FILL(of_j2d9pt_gol, float);
  j2d9pt_gol(42, 5, of_j2d9pt_gol);
  ADD(of_j2d9pt_gol);
  FILL(of_gradient2d, float);
  gradient2d(42, 5, of_gradient2d);
  ADD(of_gradient2d);
  PRINT();
  return 0;
}
