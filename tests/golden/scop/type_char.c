// An element type that stencil programs have not.
char letters[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) letters[i] = 0;
#pragma endscop
}
// ----
type_char.c:5:31: error: `letters` has the type `char`, which stencil programs have not [c-type]
    5 |   for (int i = 0; i < 9; i++) letters[i] = 0;
      |                               ^~~~~~~
  hint: arrays of bool, int, float and double are known, those of signed and unsigned char and short, and scalars of C's other integers
