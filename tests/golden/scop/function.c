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
static double weight(int k) {
  static const double a[3] = {1.0, 2.0, 1.0};
  return a[k];
}
static double endless(double x) {
  for (int k = 0; k >= 0; k++) x *= 0.5;
  return x;
}
void run(int n) {
  double scale = 1.0;
#pragma scop
  for (int i = 1; i < n; i++) v[i] = summed(u, n);
  for (int i = 1; i < n; i++) v[i] = counted(u[i]);
  for (int i = 1; i < n; i++) v[i] = factorial(u[i]);
  for (int i = 1; i < n; i++) v[i] = open(u[i]);
  for (int i = 1; i < n; i++) v[i] = scaled(u[i]);
  for (int i = 1; i < n; i++) set(v, i);
  for (int i = 1; i < n; i++) v[i] = writes(u, i);
  for (int i = 1; i < n; i++) v[i] = weight(i);
  for (int i = 1; i < n; i++) v[i] = endless(u[i]);
#pragma endscop
}
// ----
function.c:34:38: error: `summed` is called, and has a loop whose turns are not known [c-function]
   34 |   for (int i = 1; i < n; i++) v[i] = summed(u, n);
      |                                      ^~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function.c:35:38: error: `counted` is called, and keeps a value for its next call [c-function]
   35 |   for (int i = 1; i < n; i++) v[i] = counted(u[i]);
      |                                      ^~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function.c:36:38: error: `factorial` is called, and calls itself, or too many others [c-function]
   36 |   for (int i = 1; i < n; i++) v[i] = factorial(u[i]);
      |                                      ^~~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function.c:37:38: error: `open` is called, and may end without a value [c-function]
   37 |   for (int i = 1; i < n; i++) v[i] = open(u[i]);
      |                                      ^~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function.c:38:38: error: a function that is called here uses `scale`, by which the region means another variable, or none [c-function]
   38 |   for (int i = 1; i < n; i++) v[i] = scaled(u[i]);
      |                                      ^~~~~~~~~~~~
function.c:40:38: error: `writes` is called, and does more than compute a number [c-function]
   40 |   for (int i = 1; i < n; i++) v[i] = writes(u, i);
      |                                      ^~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function.c:41:38: error: a function that is called here has the table `a`, and names an element that is not known [c-function]
   41 |   for (int i = 1; i < n; i++) v[i] = weight(i);
      |                                      ^~~~~~~~~
  hint: declare it before the function
function.c:42:38: error: `endless` is called, and is too long, written out [c-function]
   42 |   for (int i = 1; i < n; i++) v[i] = endless(u[i]);
      |                                      ^~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
