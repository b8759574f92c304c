/* Sums under conditions, and the smallest and largest of values. */
#include <math.h>

#include "check.h"

double u[31][23], v[31][23];
int m[31][23];

int main(void) {
  int total = 3, small = 50, large = -50;
  double most = 0, least = 0.5, change = 0;
  float peak = -3;
  FILL(u, double);
  FILL(v, double);
  FILL(m, int);
#pragma scop
  for (int i = 0; i < 31; i++)
    for (int j = 0; j < 23; j++)
      if (m[i][j] > 10) total += m[i][j];
  for (int i = 0; i < 31; i++)
    for (int j = 0; j <= i && j < 23; j++) total -= m[i][j];
  for (int i = 0; i < 31; i++)
    for (int j = 0; j < 23; j++) {
      most = fmax(most, fabs(u[i][j]));
      if (u[i][j] < least) least = u[i][j];
      if (m[i][j] < small) small = m[i][j];
      large = m[i][j] > large ? m[i][j] : large;
    }
  for (int i = 0; i < 31; i++)
    for (int j = i; j < 23; j++) peak = fmaxf(u[i][j], peak);
#pragma endscop
#pragma scop
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < 30; i++)
      for (int j = 1; j < 22; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    change = 0;
    for (int i = 1; i < 30; i++)
      for (int j = 1; j < 22; j++) change = fmax(change, fabs(v[i][j] - u[i][j]));
    for (int i = 1; i < 30; i++)
      for (int j = 1; j < 22; j++) u[i][j] = v[i][j];
  }
#pragma endscop
  add_bytes(&total, sizeof total);
  add_bytes(&small, sizeof small);
  add_bytes(&large, sizeof large);
  add_bytes(&most, sizeof most);
  add_bytes(&least, sizeof least);
  add_bytes(&peak, sizeof peak);
  add_bytes(&change, sizeof change);
  ADD(u);
  PRINT();
  return 0;
}
