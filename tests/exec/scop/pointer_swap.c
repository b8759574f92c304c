#include "check.h"

double memory_a[40][33], memory_b[40][33];

static void run(int steps, int n, double (*a)[33], double (*b)[33]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < 32; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    double (*c)[33] = a;
    a = b;
    b = c;
  }
#pragma endscop
  add_bytes(a, sizeof(memory_a));
  add_bytes(b, sizeof(memory_b));
}

int main(void) {
  FILL(memory_a, double);
  FILL(memory_b, double);
  run(4, 40, memory_a, memory_b);
  run(5, 40, memory_a, memory_b);
  run(1, 3, memory_a, memory_b);
  ADD(memory_a);
  ADD(memory_b);
  PRINT();
  return 0;
}
