// An array that is constant.
const double fixed[10] = {0};
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) fixed[i] = 0;
#pragma endscop
}
// ----
type_const.c:5:40: error: cannot assign to variable 'fixed' with const-qualified type 'const double[10]' [c-error]
    5 |   for (int i = 0; i < 9; i++) fixed[i] = 0;
      |                                        ^
