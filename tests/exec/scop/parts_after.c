/* The buffer that a number names, read and set before and behind the loop that exchanges it. */
#include "check.h"

#define N 41

double a[2][N][N], r[N], c[3][N], last[N], plain[2][N];

static void two(int steps, int n) {
  int now = 0;
#pragma scop
  for (int i = 0; i < n; i++) a[0][i][0] = 0.5 * a[1][i][1];
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[1 - now][i][j] = 0.25 * (a[now][i - 1][j] + a[now][i + 1][j] + a[now][i][j - 1] + a[now][i][j + 1]);
    now = 1 - now;
  }
  for (int i = 0; i < n; i++) r[i] += a[now][i][3] - 0.5 * a[!now][i][4];
  for (int i = 0; i < n; i++) a[now][i][2] = i;
#pragma endscop
}

static void three(int steps) {
  int k = 1;
#pragma scop
  for (int t = 2; t <= steps; t++) {
    for (int i = 1; i < N - 1; i++) c[(k + 1) % 3][i] = c[k][i - 1] - 0.5 * c[(k + 2) % 3][i + 1];
    k = (k + 1) % 3;
  }
  for (int i = 0; i < N; i++) last[i] = c[k][i];
#pragma endscop
}

/* By the number of steps itself. */
static void by_steps(int steps, int n) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      plain[(t + 1) % 2][i] = 0.5 * (plain[t % 2][i - 1] + plain[t % 2][i + 1]);
  for (int i = 0; i < n; i++) last[i] += plain[steps % 2][i];
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(c, double);
  FILL(plain, double);
  FILL(last, double);
  for (int steps = 0; steps < 6; steps++) {
    two(steps, N - steps);
    three(steps + 1);
    ADD(last);
    by_steps(steps, N);
  }
  ADD(a);
  ADD(r);
  ADD(c);
  ADD(last);
  ADD(plain);
  PRINT();
  return 0;
}
