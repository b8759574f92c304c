#include "check.h"

int counts[33][41];
double u[20], v[20];

int main(void) {
  int total = 5;
  FILL(counts, int);
  FILL(u, double);
#pragma scop
  for (int i = 0; i < 33; i++)
    for (int j = 0; j < 41; j++) total += counts[i][j];
#pragma endscop
  double energy = 0;
  for (int k = 0; k < 20; k++) u[k] = (int)(u[k] * 100);
#pragma scop
  for (int k = 1; k < 20; k++) energy += u[k] * u[k - 1];
  for (int k = 0; k < 20; k++) v[k] = energy + u[k];
#pragma endscop
  add_bytes(&total, sizeof total);
  add_bytes(&energy, sizeof energy);
  ADD(v);
  PRINT();
  return 0;
}
