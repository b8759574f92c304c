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
polybench_nussinov.c:23:23: error: `seq` has the type `char`, which stencil programs have not [c-type]
   23 |         table[i][j] = max_score(table[i][j], table[i+1][j-1]+match(seq[i], seq[j]));
      |                       ^
  hint: arrays of bool, int, float and double are known, those of signed and unsigned char and short, and scalars of C's other integers
