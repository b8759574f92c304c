// Wrong use is refused with a message, and leaves the object as it was.
#include "check.h"

void TestErrors() {
  CHECK_FAILS((heat3d_Program{0, 4, 4, 1}), "parameter L must be at least 1, not 0");
  CHECK_FAILS((heat3d_Program{4, 4, -3, 1}), "parameter N must be at least 1, not -3");
  CHECK_FAILS((heat3d_Program{4, 4, 1LL << 40, 1}),
              "parameter N must be at most 2147483647, not 1099511627776");
  CHECK_FAILS((heat3d_Program{2000000000, 2000000000, 2000000000, 1}), "too large for any memory");

  heat3d_Program program{3, 4, 5, 2};
  std::vector<double> u = Numbers<double>(60, 3);
  program.set_alpha(0.1);
  CHECK_FAILS(program.run(), "array u has no contents");
  CHECK_FAILS(program.upload_u(static_cast<const double*>(nullptr)), "array u is a null pointer");
  CHECK_FAILS(program.download_u(static_cast<double*>(nullptr)), "array u is a null pointer");
  const std::vector<double> shorter(59);
  CHECK_FAILS(program.upload_u(shorter), "array u has 60 elements, but the span has 59");
  CHECK_FAILS(program.upload_u(stencilgen::View<const double>(u.data(), {5, 1})),
              "array u has 3 dimensions, but the view has 2");
  CHECK_FAILS(program.upload_u(stencilgen::View<const double>(u.data(), {20, 5, 1, 1})),
              "array u has 3 dimensions, but the view has 4");
  CHECK_FAILS(program.upload_u(stencilgen::View<const double>(u.data(), {20, 0, 1})),
              "a stride is 0, but must be at least 1");
  CHECK_FAILS(program.download_u(stencilgen::View<double>(u.data(), {20, 5, -1})),
              "a stride is -1, but must be at least 1");
  CHECK_FAILS(program.run(), "array u has no contents");
  program.upload_u(u);
  program.run();
  program.wait();

  heat3d_Program unset{3, 4, 5, 2};
  unset.upload_u(u);
  CHECK_FAILS(unset.run(), "scalar alpha has no value");

  // An input that a run may use as scratch, and does not copy out, is gone after it.
  const auto start = Numbers<double>(12 * 13, 4);
  wave_Program wave{12, 13, 5};
  wave.set_courant2(0.2);
  wave.upload_u(start);
  wave.upload_older(start);
  wave.run();
  CHECK_FAILS(wave.run(), "array older has no contents");
  wave.upload_older(start);
  wave.run();
  wave.wait();

  // Messages are those of the thread's last call.
  CHECK(heat3d(nullptr, 0.1, 3, 4, 5, 2) == 1);
  CHECK(std::string(heat3d_error()) == "array u is a null pointer");
  CHECK(heat3d(u.data(), 0.1, 3, 4, 5, 2) == 0);
  CHECK(std::string(heat3d_error()).empty());
}
