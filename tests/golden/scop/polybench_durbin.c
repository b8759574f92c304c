// PolyBench's durbin.
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define _PB_N n
void kernel_durbin(int n, DATA_TYPE r[n], DATA_TYPE y[n])
{
 DATA_TYPE z[2000];
 DATA_TYPE alpha;
 DATA_TYPE beta;
 DATA_TYPE sum;

 int i,k;

#pragma scop
 y[0] = -r[0];
 beta = SCALAR_VAL(1.0);
 alpha = -r[0];

 for (k = 1; k < _PB_N; k++) {
   beta = (1-alpha*alpha)*beta;
   sum = SCALAR_VAL(0.0);
   for (i=0; i<k; i++) {
      sum += r[k-i-1]*y[i];
   }
   alpha = - (r[k] + sum)/beta;

   for (i=0; i<k; i++) {
      z[i] = y[i] + alpha*y[k-i-1];
   }
   for (i=0; i<k; i++) {
     y[i] = z[i];
   }
   y[k] = alpha;
 }
#pragma endscop
}
// ----
polybench_durbin.c:17:2: error: `alpha` has one value for all points, which elements of arrays cannot set [c-element-for-all]
   17 |  alpha = -r[0];
      |  ^~~~~~~~~~~~~
  hint: name the element itself where the scalar is read: `w[t]*u[i]`
polybench_durbin.c:23:14: error: this subscript adds `k`, which counts a loop around the points, to a counter of the points [c-two-counters]
   23 |       sum += r[k-i-1]*y[i];
      |              ^~~~~~~~
polybench_durbin.c:19:2: note: the loop that stays one
   19 |  for (k = 1; k < _PB_N; k++) {
      |  ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: a loop over neighbours whose bounds are numbers, with at most 16 turns, is written out; other sums of counters have no counterpart
polybench_durbin.c:25:4: error: `alpha` has one value for all points, which elements of arrays cannot set [c-element-for-all]
   25 |    alpha = - (r[k] + sum)/beta;
      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: name the element itself where the scalar is read: `w[t]*u[i]`
polybench_durbin.c:28:27: error: this subscript adds `k`, which counts a loop around the points, to a counter of the points [c-two-counters]
   28 |       z[i] = y[i] + alpha*y[k-i-1];
      |                           ^~~~~~~~
polybench_durbin.c:19:2: note: the loop that stays one
   19 |  for (k = 1; k < _PB_N; k++) {
      |  ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: a loop over neighbours whose bounds are numbers, with at most 16 turns, is written out; other sums of counters have no counterpart
