#include "check.h"

#define N 40
double A[2][N][N], B[2][N], C[3][N], D[2][N], E[2][N], F[2][N];
int flip = 1;

static void one_minus(int T) {
  int cur = 0;
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[1 - cur][i][j] = 0.25 * (A[cur][i - 1][j] + A[cur][i + 1][j] + A[cur][i][j - 1] + A[cur][i][j + 1]);
    cur = 1 - cur;
  }
#pragma endscop
  add_bytes(&cur, sizeof cur);
  add_bytes(A[cur], sizeof A[cur]);
}

static void bits(int T) {
  int cur;
#pragma scop
  cur = 1;
  for (int t = 3; t <= T; t++) {
    const int next = cur ^ 1;
    for (int i = 1; i < N - 1; i++) B[next][i] = 0.5 * (B[cur][i - 1] + B[cur][i + 1]);
    cur ^= 1;
  }
#pragma endscop
}

/* What the declaration says is not what it begins with in the second call. */
static void global(int T) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) D[!flip][i] = 0.5 * (D[flip][i - 1] + D[flip][i + 1]);
    flip = !flip;
  }
#pragma endscop
}

static void three(int T) {
  int old = 0, now = 1, next = 2, t, k;
#pragma scop
  for (t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) C[next][i] = C[now][i - 1] + C[now][i + 1] - C[old][i];
    k = old;
    old = now;
    now = next;
    next = k;
  }
#pragma endscop
  add_bytes(&old, sizeof old);
  add_bytes(&next, sizeof next);
}

/* Twice, and in the order that has the exchange first. */
static void again(int T) {
#pragma scop
  int from = 0, to = 1;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) E[to][i] = 0.3 * (E[from][i - 1] + E[from][i + 1]);
    int k = from;
    from = to;
    to = k;
  }
  from = 1;
  for (int t = 1; t < T; t++) {
    from = (from + 1) % 2;
    for (int i = 1; i < N - 1; i++) F[1 - from][i] = 0.3 * (F[from][i - 1] + F[from][i + 1]);
  }
#pragma endscop
}

/* A sign, which is no place. */
static void sign(int T) {
  int s = 1;
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) B[0][i] = B[0][i] + s * F[0][i];
    s = -s;
  }
#pragma endscop
}

/* Integers of other types: what they hold is what C makes of it. */
static void types(int T) {
  unsigned u = 0;
  unsigned char small = 1;
  short wide = 0;
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) B[1 - u][i] = 0.5 * (B[u][i - 1] + B[u][i + 1]);
    u = (u + 1) % 2;
  }
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) D[1 - small][i] = 0.5 * (D[small][i - 1] + D[small][i + 1]);
    small = !small;
  }
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) E[1 - wide][i] = 0.5 * (E[wide][i - 1] + E[wide][i + 1]);
    wide = 1 - wide;
  }
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(B, double);
  FILL(C, double);
  FILL(D, double);
  FILL(E, double);
  FILL(F, double);
  for (int T = 0; T < 6; T++) {
    one_minus(T);
    bits(T);
    global(T);
    add_bytes(&flip, sizeof flip);
    three(T);
    again(T);
    sign(T);
    types(T);
  }
  ADD(A);
  ADD(B);
  ADD(C);
  ADD(D);
  ADD(E);
  ADD(F);
  PRINT();
  return 0;
}
