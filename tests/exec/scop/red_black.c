/* Red-black order in the ways in which it is written: every second element by a stride whose first
   value depends on the row, by a condition, by a loop over the colours, and by the time step. */
#include "check.h"

#define N 21
#define M 24

static double by_stride[N][M], by_condition[N][M], by_colour[N][M], by_turn[N][M], by_rows[N][M];
static double by_bits[N][M], u3[9][8][10], line[50];

#define SWEEP(u) \
  u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1])

static void strides(int n, int m, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + 1) % 2; j < m - 1; j += 2) SWEEP(by_stride);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + i % 2; j < m - 1; j += 2) SWEEP(by_stride);
  }
#pragma endscop
}

static void conditions(int n, int m, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        if ((i + j) % 2 == 0) SWEEP(by_condition);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        if ((i + j) % 2 == 1) SWEEP(by_condition);
  }
#pragma endscop
}

static void colours(int n, int m, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int colour = 0; colour < 2; colour++)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < m - 1; j += 2) SWEEP(by_colour);
#pragma endscop
}

static void turns(int n, int m, int steps) {
#pragma scop
  for (int t = 0; t < 2 * steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + t) % 2; j < m - 1; j += 2) SWEEP(by_turn);
#pragma endscop
}

static void rows(int n, int m, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i += 2)
      for (int j = 1; j < m - 1; j += 2) SWEEP(by_rows);
    for (int i = 2; i < n - 1; i += 2)
      for (int j = 2; j < m - 1; j += 2) SWEEP(by_rows);
    for (int i = 1; i < n - 1; i += 2)
      for (int j = 2; j < m - 1; j += 2) SWEEP(by_rows);
    for (int i = 2; i < n - 1; i += 2)
      for (int j = 1; j < m - 1; j += 2) SWEEP(by_rows);
  }
#pragma endscop
}

static void bits(int n, int m, int steps, double omega) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i & 1); j < m - 1; j += 2)
        by_bits[i][j] += omega * (0.25 * (by_bits[i - 1][j] + by_bits[i + 1][j] +
                                          by_bits[i][j - 1] + by_bits[i][j + 1]) -
                                  by_bits[i][j]);
    for (int i = 1; i < n - 1; i++) {
      int first = i % 2 == 0 ? 2 : 1;
      for (int j = first; j < m - 1; j += 2)
        by_bits[i][j] += omega * (0.25 * (by_bits[i - 1][j] + by_bits[i + 1][j] +
                                          by_bits[i][j - 1] + by_bits[i][j + 1]) -
                                  by_bits[i][j]);
    }
  }
#pragma endscop
}

static void space(int n, int m, int l) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1 + (i + j) % 2; k < l - 1; k += 2)
        u3[i][j][k] = 0.2 * (u3[i - 1][j][k] + u3[i + 1][j][k] + u3[i][j - 1][k] + u3[i][j][k + 1]);
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1 + (i + j + 1) % 2; k < l - 1; k += 2)
        u3[i][j][k] = 0.2 * (u3[i - 1][j][k] + u3[i + 1][j][k] + u3[i][j - 1][k] + u3[i][j][k + 1]);
  for (int t = 0; t < 3; t++)
    for (int c = 1; c <= 2; c++)
      for (int i = c; i < 49; i += 2) line[i] = 0.5 * (line[i - 1] + line[i + 1]);
#pragma endscop
}

int main(void) {
  FILL(by_stride, double);
  memcpy(by_condition, by_stride, sizeof by_stride);
  memcpy(by_colour, by_stride, sizeof by_stride);
  memcpy(by_turn, by_stride, sizeof by_stride);
  memcpy(by_rows, by_stride, sizeof by_stride);
  memcpy(by_bits, by_stride, sizeof by_stride);
  FILL(u3, double);
  FILL(line, double);
  strides(N, M, 3);
  strides(4, 3, 1);
  conditions(N, M, 3);
  colours(N, M, 3);
  turns(N, M, 3);
  rows(N, M, 3);
  bits(N, M, 2, 1.5);
  space(9, 8, 10);
  ADD(by_stride);
  ADD(by_condition);
  ADD(by_colour);
  ADD(by_turn);
  ADD(by_rows);
  ADD(by_bits);
  ADD(u3);
  ADD(line);
  PRINT();
  return 0;
}
