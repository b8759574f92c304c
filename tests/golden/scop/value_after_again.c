// The region reads what it has set in the turn before, of loops and of a goto.
double u[100], v[100];
void run(int n) {
  double c;
  for (c = 1.0; n > 0; n--) {
#pragma scop
    for (int i = 1; i < 99; i++) v[i] = c * (u[i - 1] + u[i + 1]);
    c = 0.25;
#pragma endscop
  }
}
double jump(int n) {
  double c = 1.0, sum = 0.0;
again:
  sum += c;
#pragma scop
  for (int i = 1; i < 99; i++) v[i] = u[i - 1] + u[i + 1];
  c = 0.25;
#pragma endscop
  if (n-- > 0) goto again;
  return sum;
}
// ----
value_after_again.c:7:41: error: the region leaves a value in `c` that is used after it [c-value-after]
    7 |     for (int i = 1; i < 99; i++) v[i] = c * (u[i - 1] + u[i + 1]);
      |                                         ^
value_after_again.c:8:5: note: it gets its value here
    8 |     c = 0.25;
      |     ^~~~~~~~
  hint: a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += u[i]`, `m = fmax(m, u[i])`
value_after_again.c:15:10: error: the region leaves a value in `c` that is used after it [c-value-after]
   15 |   sum += c;
      |          ^
value_after_again.c:18:3: note: it gets its value here
   18 |   c = 0.25;
      |   ^~~~~~~~
  hint: a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += u[i]`, `m = fmax(m, u[i])`
