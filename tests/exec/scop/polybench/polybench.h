/* PolyBench 4.2's way to write: arrays of the C99 prototype, sizes by way of macros. */
#include <math.h>

#include "check.h"

#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)

#define _PB_M m
#define _PB_N n
#define _PB_NI ni
#define _PB_NJ nj
#define _PB_NK nk
#define _PB_NL nl
#define _PB_NM nm
#define _PB_NQ nq
#define _PB_NR nr
#define _PB_NP np
#define _PB_NX nx
#define _PB_NY ny
#define _PB_TMAX tmax
#define _PB_TSTEPS tsteps

/* Memory for all arrays of a kernel, filled anew before each, and read after it. */
#define MEMORY 40000
static double memory[MEMORY];
static size_t used;

static inline void* array(size_t elements) {
  used += elements;
  if (used > MEMORY) abort();
  return memory + used - elements;
}

static inline void begin(void) {
  used = 0;
  FILL(memory, double);
}

/* A line for each kernel. */
static inline void end(const char* kernel) {
  check_sum = 1469598103934665603ull;
  ADD(memory);
  printf("%s ", kernel);
  PRINT();
}

/* The same for those that add up a scalar, in an order that is not C's: their sum of squares. */
static inline void end_rounded(const char* kernel, int elements) {
  double sum = 0;
  for (int k = 0; k < elements; k++) sum += memory[k] * memory[k];
  printf("%s %.9g\n", kernel, sum);
}
