#include <string.h>

#include "check.h"
#include "heat3d.h"

#ifdef WITH_DEVICE
#define OWN_STREAM , 0
#else
#define OWN_STREAM
#endif
#define REQUIRE(condition) \
  if (!(condition)) return __LINE__

int use_from_c(double* u, double alpha, int l, int m, int n, int t) {
  struct heat3d_arrays* arrays = 0;
  double* own = 0;
  long long extents[3], strides[3];
  REQUIRE(heat3d_arrays_create(&arrays, l, 0, n, t) == 1);
  REQUIRE(arrays == 0);
  REQUIRE(strcmp(heat3d_error(), "parameter M must be at least 1, not 0") == 0);
  REQUIRE(heat3d_arrays_create(0, l, m, n, t) == 1);
  REQUIRE(heat3d_arrays_run(0, alpha OWN_STREAM) == 1);
  REQUIRE(heat3d_arrays_wait(0) == 1);
  REQUIRE(heat3d_arrays_upload(0, 0, u, 0 OWN_STREAM) == 1);
  REQUIRE(heat3d_arrays_bind(0, 0, u) == 1);
  REQUIRE(heat3d_arrays_pointer(0, 0) == 0);
  REQUIRE(heat3d_arrays_shape(0, 0, extents, strides) == -1);
  heat3d_arrays_destroy(0);

  REQUIRE(heat3d_arrays_create(&arrays, l, m, n, t) == 0);
  REQUIRE(strcmp(heat3d_error(), "") == 0);
  REQUIRE(heat3d_arrays_shape(arrays, heat3d_array_u, extents, strides) == 3);
  REQUIRE(extents[0] == l && extents[1] == m && extents[2] == n);
  REQUIRE(strides[0] == (long long)m * n && strides[1] == n && strides[2] == 1);
  REQUIRE(heat3d_arrays_shape(arrays, 1, extents, strides) == -1);
  REQUIRE(strcmp(heat3d_error(), "there is no array 1") == 0);
  REQUIRE(heat3d_arrays_upload(arrays, -1, u, 0 OWN_STREAM) == 1);
  REQUIRE(heat3d_arrays_upload(arrays, heat3d_array_u, 0, 0 OWN_STREAM) == 1);
  REQUIRE(heat3d_arrays_run(arrays, alpha OWN_STREAM) == 1);
  REQUIRE(heat3d_arrays_upload(arrays, heat3d_array_u, u, 0 OWN_STREAM) == 0);
  REQUIRE(heat3d_arrays_run(arrays, alpha OWN_STREAM) == 0);
  REQUIRE(heat3d_arrays_wait(arrays) == 0);
  REQUIRE(heat3d_arrays_download(arrays, heat3d_array_u, u, 0 OWN_STREAM) == 0);
  heat3d_arrays_destroy(arrays);

  own = (double*)heat3d_allocate(60 * sizeof(double));
  REQUIRE(own != 0);
  memset(own, 0, 60 * sizeof(double));
  REQUIRE(heat3d(own, alpha, 3, 4, 5, 2) == 0);
  heat3d_keep_scratch(0);
  heat3d_free(own);
  return 0;
}
