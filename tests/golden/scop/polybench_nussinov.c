// PolyBench's nussinov.
typedef char base;
#define DATA_TYPE int
#define match(b1, b2) (((b1)+(b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1 >= s2) ? s1 : s2)
#define _PB_N n
void kernel_nussinov(int n, base seq[n], DATA_TYPE table[n][n])
{
  int i, j, k;

#pragma scop
 for (i = _PB_N-1; i >= 0; i--) {
  for (j=i+1; j<_PB_N; j++) {

   if (j-1>=0)
      table[i][j] = max_score(table[i][j], table[i][j-1]);
   if (i+1<_PB_N)
      table[i][j] = max_score(table[i][j], table[i+1][j]);

   if (j-1>=0 && i+1<_PB_N) {
     /* don't allow adjacent elements to bond */
     if (i<j-1)
        table[i][j] = max_score(table[i][j], table[i+1][j-1]+match(seq[i], seq[j]));
     else
        table[i][j] = max_score(table[i][j], table[i+1][j-1]);
   }

   for (k=i+1; k<j; k++) {
      table[i][j] = max_score(table[i][j], table[i][k] + table[k+1][j]);
   }
  }
 }
#pragma endscop
}
// ----
polybench_nussinov.c:16:21: error: `table[i][j-1]`, which has been written as `table[i][j]`, is read one iteration of `j` later [scop-dependence]
   16 |       table[i][j] = max_score(table[i][j], table[i][j-1]);
      |                     ^
polybench_nussinov.c:16:7: note: written here
   16 |       table[i][j] = max_score(table[i][j], table[i][j-1]);
      |       ^~~~~~~~~~~
polybench_nussinov.c:13:3: note: the loop that is in the way
   13 |   for (j=i+1; j<_PB_N; j++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
polybench_nussinov.c:18:21: error: `table[i+1][j]`, which has been written as `table[i][j]`, is read one iteration of `i` later [scop-dependence]
   18 |       table[i][j] = max_score(table[i][j], table[i+1][j]);
      |                     ^
polybench_nussinov.c:18:7: note: written here
   18 |       table[i][j] = max_score(table[i][j], table[i+1][j]);
      |       ^~~~~~~~~~~
polybench_nussinov.c:12:2: note: the loop that is in the way
   12 |  for (i = _PB_N-1; i >= 0; i--) {
      |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
polybench_nussinov.c:23:23: error: `table[i+1][j-1]`, which has been written as `table[i][j]`, is read one iteration of `i` later [scop-dependence]
   23 |         table[i][j] = max_score(table[i][j], table[i+1][j-1]+match(seq[i], seq[j]));
      |                       ^
polybench_nussinov.c:23:9: note: written here
   23 |         table[i][j] = max_score(table[i][j], table[i+1][j-1]+match(seq[i], seq[j]));
      |         ^~~~~~~~~~~
polybench_nussinov.c:12:2: note: the loop that is in the way
   12 |  for (i = _PB_N-1; i >= 0; i--) {
      |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
polybench_nussinov.c:29:21: error: `table[k+1][j]`, which has been written as `table[i][j]`, is read in later iterations of `i` [scop-dependence]
   29 |       table[i][j] = max_score(table[i][j], table[i][k] + table[k+1][j]);
      |                     ^
polybench_nussinov.c:29:7: note: written here
   29 |       table[i][j] = max_score(table[i][j], table[i][k] + table[k+1][j]);
      |       ^~~~~~~~~~~
polybench_nussinov.c:12:2: note: the loop that is in the way
   12 |  for (i = _PB_N-1; i >= 0; i--) {
      |  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
