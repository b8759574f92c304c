// A macro that is an error where it is used.
#define SIZE (9 +
double a[9];
void run(void) {
#pragma scop
  for (int i = 0; i < SIZE; i++) a[i] = 0;
#pragma endscop
}
// ----
c_macro.c:6:27: error: expected expression [c-error]
    6 |   for (int i = 0; i < SIZE; i++) a[i] = 0;
      |                           ^
