// Three pointers exchange what they point to, and exchanges inside of loops around them: memory and
// pointers are left as the loops leave them. Rows lie behind pointers, with elements of their first
// and last ones by other subscripts.
#include <math.h>

#include "check.h"

#define MOST 11

static double memory_a[MOST * MOST], memory_b[MOST * MOST], memory_c[MOST * MOST];

static void wave(int steps, int n, int m, double* before, double* now, double* next, int row,
                 int column) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        next[i * m + j] = 2.0 * now[i * m + j] - before[i * m + j] +
                          0.2 * (now[(i - 1) * m + j] + now[(i + 1) * m + j] + now[i * m + j - 1] +
                                 now[i * m + j + 1] - 4.0 * now[i * m + j]);
    next[row * m + column] += 0.25 * t;
    double* first = before;
    before = now;
    now = next;
    next = first;
  }
#pragma endscop
  add_bytes(before, sizeof(double) * n * m);
  add_bytes(now, sizeof(double) * n * m);
  add_bytes(next, sizeof(double) * n * m);
}

// The same by two exchanges, with a record of each turn.
static void recorded(int steps, int n, double* a, double* b, double* c, double (*record)[MOST]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) c[i] = 0.3 * a[i - 1] + 0.2 * b[i + 1] + c[i];
    for (int i = 0; i < n; i++) record[t][i] = c[i];
    double* kept = a;
    a = b;
    b = kept;
    kept = b;
    b = c;
    c = kept;
  }
  for (int i = 0; i < n; i++) a[i] += 0.5 * b[i] - c[i];
#pragma endscop
  add_bytes(a, sizeof(double) * n);
  add_bytes(b, sizeof(double) * n);
  add_bytes(c, sizeof(double) * n);
}

// The turns of both loops are exchanges.
static void periods(int count, int steps, int n, double* a, double* b) {
#pragma scop
  for (int p = 0; p < count; p++) {
    for (int t = 0; t < steps; t++) {
      for (int i = 1; i < n - 1; i++) b[i] = 0.3 * a[i - 1] + 0.2 * a[i + 1];
      double* kept = a;
      a = b;
      b = kept;
    }
    for (int i = 0; i < n; i++) a[i] *= 1.5;
  }
#pragma endscop
  add_bytes(a, sizeof(double) * n);
  add_bytes(b, sizeof(double) * n);
}

// Nothing is computed in the first turns.
static void triangle(int steps, double* a, double* b) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < t; i++) b[i] = 0.3 * a[i - 1] + 0.2 * a[i + 1];
    double* kept = a;
    a = b;
    b = kept;
  }
#pragma endscop
  add_bytes(a, sizeof(double) * MOST);
}

static void edges(int n, int m, double* a, double* b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] = a[i * m + (m - 1 - j)];
  for (int i = 0; i < n; i++) {
    b[i * m] = a[i * m + m - 1];
    b[i * m + m - 1] += 1.0;
  }
  for (int j = 0; j < m; j++) {
    b[j] -= a[(n - 1) * m + j];
    b[(n - 1) * m + j] = 0.5 * b[j];
  }
#pragma endscop
}

int main(void) {
  for (int n = 1; n <= MOST; n += 2) {
    for (int steps = 0; steps < 8; steps++) {
      FILL(memory_a, double);
      FILL(memory_b, double);
      FILL(memory_c, double);
      wave(steps, n, MOST - 1, memory_a, memory_b, memory_c, n / 2, 4);
      ADD(memory_a);
      ADD(memory_b);
      ADD(memory_c);
      static double record[8][MOST];
      recorded(steps, n, memory_a, memory_b, memory_c, record);
      ADD(record);
      for (int count = 0; count < 4; count++) periods(count, steps, n, memory_a, memory_b);
      triangle(steps, memory_a, memory_c);
      ADD(memory_a);
      ADD(memory_b);
      ADD(memory_c);
    }
    for (int m = 1; m <= MOST; m++) edges(n, m, memory_a, memory_b);
    ADD(memory_b);
  }
  PRINT();
  return 0;
}
