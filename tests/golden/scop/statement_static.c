// Variables that keep their values, of the region and of functions that it calls; functions that
// compute too much.
double u[100], v[100];
static void step(double *to, const double *from) {
  static double k = 0.5;
  k = k * 0.9;
  for (int i = 1; i < 99; i++) to[i] = k * from[i];
}
static double long_one(double x) {
#define TWICE x = x * x * 0.1;
#define SIXTEEN TWICE TWICE TWICE TWICE
  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN return x;
}
void run(void) {
#pragma scop
  for (int t = 0; t < 3; t++) step(v, u);
  for (int i = 0; i < 100; i++) {
    static double sum = 0.0;
    sum = u[i];
    v[i] = sum;
  }
  for (int i = 0; i < 100; i++) v[i] = long_one(u[i]);
#pragma endscop
}
// ----
statement_static.c:5:3: error: a region has no counterpart for a variable that keeps its value [c-statement]
    5 |   static double k = 0.5;
      |   ^~~~~~~~~~~~~~~~~~~~~
  hint: declare it before the region, or without `static`
statement_static.c:18:5: error: a region has no counterpart for a variable that keeps its value [c-statement]
   18 |     static double sum = 0.0;
      |     ^~~~~~~~~~~~~~~~~~~~~~~
  hint: declare it before the region, or without `static`
statement_static.c:22:40: error: `long_one` is called, and is too long, written out [c-function]
   22 |   for (int i = 0; i < 100; i++) v[i] = long_one(u[i]);
      |                                        ^~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
