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
// ----
function.c:26:38: error: `summed` is called, and does more than compute a number [c-function]
   26 |   for (int i = 1; i < n; i++) v[i] = summed(u, 3);
      |                                      ^~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, and return a number
function.c:27:38: error: `counted` is called, and keeps a value for its next call [c-function]
   27 |   for (int i = 1; i < n; i++) v[i] = counted(u[i]);
      |                                      ^~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, and return a number
function.c:28:38: error: `factorial` is called, and calls itself, or too many others [c-function]
   28 |   for (int i = 1; i < n; i++) v[i] = factorial(u[i]);
      |                                      ^~~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, and return a number
function.c:29:38: error: `open` is called, and may end without a value [c-function]
   29 |   for (int i = 1; i < n; i++) v[i] = open(u[i]);
      |                                      ^~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, and return a number
function.c:30:38: error: a function that is called here uses `scale`, by which the region means another variable, or none [c-function]
   30 |   for (int i = 1; i < n; i++) v[i] = scaled(u[i]);
      |                                      ^~~~~~~~~~~~
function.c:32:38: error: `writes` is called, and does more than compute a number [c-function]
   32 |   for (int i = 1; i < n; i++) v[i] = writes(u, i);
      |                                      ^~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, and return a number
