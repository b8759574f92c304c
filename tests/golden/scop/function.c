// Functions that do more than compute a number.
#include <math.h>
static double u[100], v[100], scale = 2.0;
static double summed(const double *x, int n) {
  double s = 0.0;
  for (int k = 0; k < n; k++) s += x[k];
  return s;
}
static double counted(double x) {
  static int calls = 0;
  return x * calls;
}
static double factorial(double x) { return x < 1.0 ? 1.0 : x * factorial(x - 1.0); }
static double open(double x) {
  if (x > 0.0) return x;
}
static double scaled(double x) { return x * scale; }
static void set(double *x, int i) { x[i] = 0.0; }
static double writes(double *x, int i) {
  x[i] = 1.0;
  return x[i];
}
void run(int n) {
  double scale = 1.0;
#pragma scop
  for (int i = 1; i < n; i++) v[i] = summed(u, 3);
  for (int i = 1; i < n; i++) v[i] = counted(u[i]);
  for (int i = 1; i < n; i++) v[i] = factorial(u[i]);
  for (int i = 1; i < n; i++) v[i] = open(u[i]);
  for (int i = 1; i < n; i++) v[i] = scaled(u[i]);
  for (int i = 1; i < n; i++) set(v, i);
  for (int i = 1; i < n; i++) v[i] = writes(u, i);
#pragma endscop
}
