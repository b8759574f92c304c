/* Small arrays of a cell: declared in loops, with lists and without, of two dimensions, of integers
   that say places, and one that is declared before the region. */
#include "check.h"

#define NX 19
#define NY 14

static double f[9][NY][NX], g[9][NY][NX];
static double u[2][NY][NX], strain[NY][NX], stress[2][2][NY][NX], v[NY][NX], w[NY][NX];
static float p[NX], q[NX];

static void collide(int steps, double omega) {
  double source[9];
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int j = 1; j < NY - 1; j++)
      for (int i = 1; i < NX - 1; i++) {
        const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
        const double weights[9] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                   1. / 36, 1. / 36, 1. / 36, 1. / 36};
        double in[9], equal[9], velocity[2] = {0}, rho = 0.0;
        for (int k = 0; k < 9; k++) in[k] = f[k][j - cy[k]][i - cx[k]];
        for (int k = 0; k < 9; k++) {
          rho += in[k];
          velocity[0] += cx[k] * in[k];
          velocity[1] += cy[k] * in[k];
        }
        for (int k = 0; k < 9; k++) {
          const double cu = 3.0 * (cx[k] * velocity[0] + cy[k] * velocity[1]);
          equal[k] = weights[k] * rho * (1.0 + cu);
          source[k] = 1e-3 * k * in[k];
        }
        for (int k = 0; k < 9; k++) g[k][j][i] = in[k] - omega * (in[k] - equal[k]) + source[k];
      }
    for (int k = 0; k < 9; k++)
      for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) f[k][j][i] = g[k][j][i];
  }
#pragma endscop
}

static void elastic(double lambda, double mu) {
#pragma scop
  for (int j = 1; j < NY - 1; j++)
    for (int i = 1; i < NX - 1; i++) {
      double gradient[2][2], e[2][2];
      double trace = 0.0, norm = 0.0;
      for (int a = 0; a < 2; a++) {
        gradient[a][0] = 0.5 * (u[a][j][i + 1] - u[a][j][i - 1]);
        gradient[a][1] = 0.5 * (u[a][j + 1][i] - u[a][j - 1][i]);
      }
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) e[a][b] = 0.5 * (gradient[a][b] + gradient[b][a]);
      for (int a = 0; a < 2; a++) trace += e[a][a];
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
          norm += e[a][b] * e[a][b];
          stress[a][b][j][i] = 2.0 * mu * e[a][b] + (a == b ? lambda * trace : 0.0);
        }
      strain[j][i] = norm;
    }
#pragma endscop
}

/* Elements that are set one by one, and one that a condition sets anew. */
static void sides(void) {
#pragma scop
  for (int j = 1; j < NY - 1; j++)
    for (int i = 1; i < NX - 1; i++) {
      int places[4] = {i - 1, i + 1, j - 1, j + 1};
      double flux[4];
      flux[0] = v[j][places[0]];
      flux[1] = v[j][places[1]];
      flux[2] = v[places[2]][i];
      flux[3] = v[places[3]][i];
      if (flux[0] > flux[1]) flux[3] = flux[2];
      double ends[2] = {[1] = flux[3], [0] = flux[0] + flux[1]};
      w[j][i] = ends[0] - ends[1];
    }
  for (int i = 1; i < NX - 1; i++) {
    float window[3];
    for (int k = -1; k <= 1; k++) window[k + 1] = p[i + k];
    float largest = window[0];
    for (int k = 1; k < 3; k++) largest = window[k] > largest ? window[k] : largest;
    q[i] = largest;
  }
#pragma endscop
}

/* A whole row, which each turn sets before it reads it. */
static void rows(void) {
#pragma scop
  for (int j = 0; j < NY; j++) {
    double row[NX];
    for (int i = 0; i < NX; i++) row[i] = v[j][i] * v[j][i];
    for (int i = 1; i < NX - 1; i++) strain[j][i] = row[i - 1] + row[i + 1];
  }
#pragma endscop
}

/* What a turn leaves is read in the next one, from an array of outside. */
static double kept(void) {
  double last[2] = {0.25, 0.5};
#pragma scop
  for (int i = 0; i < NX; i++) q[i] = (float)(p[i] * last[0] + last[1]);
#pragma endscop
  return last[0];
}

int main(void) {
  FILL(f, double);
  FILL(g, double);
  FILL(u, double);
  FILL(strain, double);
  FILL(stress, double);
  FILL(v, double);
  FILL(w, double);
  FILL(p, float);
  FILL(q, float);
  collide(7, 0.3);
  elastic(1.5, 0.7);
  sides();
  ADD(f);
  ADD(g);
  ADD(strain);
  ADD(stress);
  ADD(w);
  ADD(q);
  rows();
  ADD(strain);
  if (kept() > 0.3) return 1;
  ADD(q);
  PRINT();
  return 0;
}
