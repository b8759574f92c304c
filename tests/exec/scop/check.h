/* What the programs of this folder share: values to begin with, and a number for all bits of the
   results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned check_state = 12345;

/* A value between -1 and 1. */
static double next_value(void) {
  check_state = check_state * 1664525u + 1013904223u;
  return (double)(check_state >> 8) / 8388608.0 - 1.0;
}

#define FILL(array, type)                                                                      \
  do {                                                                                         \
    type* fill_at = (type*)(array);                                                            \
    size_t fill_k;                                                                             \
    for (fill_k = 0; fill_k < sizeof(array) / sizeof(type); fill_k++)                          \
      fill_at[fill_k] = (type)0.5 == 0 ? (type)(int)(next_value() * 100) : (type)next_value(); \
  } while (0)

static unsigned long long check_sum = 1469598103934665603ull;

static void add_bytes(const void* data, size_t size) {
  const unsigned char* bytes = (const unsigned char*)data;
  size_t k;
  for (k = 0; k < size; k++) check_sum = (check_sum ^ bytes[k]) * 1099511628211ull;
}

#define ADD(array) add_bytes(array, sizeof(array))
#define PRINT() printf("%016llx\n", check_sum)
