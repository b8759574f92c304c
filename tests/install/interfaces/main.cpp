// What a program computes is the same whatever way it is called.
#include <type_traits>
#include <utility>

#include "check.h"

namespace {

constexpr int kL = 9, kM = 11, kN = 40, kT = 3;

void TestRuns() {
  const auto start = Numbers<double>(kL * kM * kN, 1);
  std::vector<double> once = start;
  CHECK(heat3d(once.data(), 0.1, kL, kM, kN, kT) == 0);
  std::vector<double> twice = once;
  CHECK(heat3d(twice.data(), 0.1, kL, kM, kN, kT) == 0);

  heat3d_Program program{kL, kM, kN, kT};
  program.set_alpha(0.1);
  program.upload_u(start.data());
  program.run();
  std::vector<double> u(start.size());
  program.download_u(u.data());
  CHECK(u == once);
  // The second run goes on from what is there.
  program.run();
  program.wait();
  program.download_u(u);
  CHECK(u == twice);

  std::vector<double> from_c = start;
  CHECK(use_from_c(from_c.data(), 0.1, kL, kM, kN, kT) == 0);
  CHECK(from_c == once);

  // An object moves with what it holds.
  static_assert(!std::is_copy_constructible<heat3d_Program>::value, "");
  heat3d_Program other{1, 1, 1, 1};
  other = std::move(program);
  heat3d_Program last(std::move(other));
  last.upload_u(start);
  last.run();
  last.download_u(u);
  CHECK(u == once);
  CHECK_FAILS(other.run(), "the object is a null pointer");
}

void TestShapes() {
  heat3d_Program program{kL, kM, kN, kT};
  const stencilgen::ArrayShape shape = program.shape_u();
  CHECK(shape.rank == 3 && shape.size() == kL * kM * kN);
  CHECK(shape.extent[0] == kL && shape.extent[1] == kM && shape.extent[2] == kN);
  CHECK(shape.stride[0] == kM * kN && shape.stride[1] == kN && shape.stride[2] == 1);
  coefficients_Program weights{20, 30};
  CHECK(weights.shape_bias().rank == 1 && weights.shape_bias().size() == 30);
  CHECK(weights.shape_w().rank == 2 && weights.shape_w().size() == 9);
}

/// Arrays of one program in the memory of another.
void TestBinding() {
  const auto start = Numbers<double>(kL * kM * kN, 2);
  std::vector<double> expected = start;
  CHECK(heat3d(expected.data(), 0.1, kL, kM, kN, kT) == 0);
  heat3d_Program owner{kL, kM, kN, kT};
  heat3d_Program user{kL, kM, kN, kT};
  owner.upload_u(start);
  user.set_alpha(0.1);
  user.bind_u(owner.device_u());
  user.run();
  user.wait();
  std::vector<double> u(start.size());
  owner.download_u(u);
  CHECK(u == expected);
  CHECK(user.device_u() == owner.device_u());
  // Its own memory again, which nothing was ever put into.
  user.bind_u(nullptr);
  CHECK_FAILS(user.run(), "array u has no contents");
  CHECK(user.device_u() != owner.device_u());
}

}  // namespace

int main() {
  TestRuns();
  TestShapes();
  TestBinding();
  TestErrors();
  TestKept();
  TestLayouts();
  TestThreads();
#ifdef WITH_DEVICE
  TestDevice();
#endif
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
