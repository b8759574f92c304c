// An object may keep what it likes from run to run: whatever is called in whatever order, results
// are those of the host function.
#include <utility>

#include "check.h"

namespace {

constexpr int kL = 9, kM = 13, kN = 21;

/// heat3d in an object, and what its array should hold.
class Pair {
 public:
  explicit Pair(int steps) : steps_(steps), program_{kL, kM, kN, steps} {
    program_.set_alpha(0.1);
    Upload(1);
  }

  /// One of its calls.
  void Call(unsigned what) {
    switch (what % 8) {
      case 0:
        return Upload(static_cast<int>(what));
      case 1:
        return Bind();
#ifndef WITH_DEVICE
      case 2:
        return Write();
#endif
      case 3:
        return Compare();
      default:
        return Run();
    }
  }
  void Compare() {
    std::vector<double> u(expected_.size());
    program_.download_u(u);
    CHECK(u == expected_);
  }

 private:
  void Upload(int seed) {
    expected_ = Numbers<double>(kL * kM * kN, seed);
    program_.upload_u(expected_);
  }
  /// The memory of another object, and its own again.
  void Bind() {
    if (bound_) {
      program_.bind_u(nullptr);
      bound_ = false;
      return Upload(77);
    }
    other_.upload_u(expected_);
    program_.bind_u(other_.device_u());
    bound_ = true;
  }
#ifndef WITH_DEVICE
  /// A corner changes, by a pointer that was given out the first time.
  void Write() {
    if (pointer_ == nullptr && !bound_) pointer_ = program_.device_u();
    if (pointer_ == nullptr || bound_) return;
    CHECK(program_.device_u() == pointer_);
    pointer_[0] += 1;
    expected_[0] += 1;
  }
  double* pointer_ = nullptr;
#endif
  void Run() {
    CHECK(heat3d(expected_.data(), 0.1, kL, kM, kN, steps_) == 0);
    program_.run();
  }

  int steps_;
  heat3d_Program program_;
  heat3d_Program other_{kL, kM, kN, 1};
  std::vector<double> expected_;
  bool bound_ = false;
};

void TestOrders() {
  for (int steps = 1; steps <= 5; ++steps) {
    unsigned state = 1;
    for (int round = 0; round < 20; ++round) {
      Pair pair(steps);
      for (int k = 0; k < 12; ++k) {
        state = state * 1664525U + 1013904223U;
        pair.Call(state >> 20);
      }
      pair.Compare();
    }
  }
}

/// Two arrays that change places, of which one comes back.
void TestLevels() {
  const int rows = 14, columns = 17;
  for (int steps = 1; steps <= 4; ++steps) {
    wave_Program wave{rows, columns, steps};
    wave.set_courant2(0.2);
    for (int round = 0; round < 4; ++round) {
      auto u = Numbers<double>(rows * columns, round);
      const auto older = Numbers<double>(rows * columns, round + 10);
      wave.upload_u(u);
      wave.upload_older(older);
      wave.run();
      std::vector<double> result(u.size());
      wave.download_u(result);
      CHECK(::wave(u.data(), older.data(), 0.2, rows, columns, steps) == 0);
      CHECK(result == u);
    }
  }
}

/// Arrays whose components are memory of their own to the program: the application has them whole.
void TestComponents() {
  const int rows = 9, columns = 14;
  const std::size_t count = 2 * rows * columns;
  for (int steps = 1; steps <= 4; ++steps) {
    pairs_Program object{rows, columns, steps};
    object.set_c(0.2);
    for (int round = 0; round < 3; ++round) {
      auto v = Numbers<double>(count, round), kept = Numbers<double>(count, round + 20);
      const auto older = Numbers<double>(count, round + 10);
      object.upload_v(v);
      object.upload_older(older);
      object.upload_kept(kept);
      object.run();
      std::vector<double> v_result(count), kept_result(count);
      object.download_v(v_result);
      object.download_kept(kept_result);
      const double last = kept.back();
      CHECK(pairs(v.data(), older.data(), kept.data(), 0.2, rows, columns, steps) == 0);
      CHECK(v_result == v);
      CHECK(kept_result == kept);
      CHECK(kept.back() == last);
    }
  }
}

/// Memory for arrays, and the host function with and without what it keeps.
void TestMemory() {
  const std::size_t count = 70 * 90 * 110;
  const auto start = Numbers<double>(count, 5);
  stencilgen::Array<double> u(count);
  for (std::size_t k = 0; k < count; ++k) u[k] = start[k];
  CHECK(heat3d(u.data(), 0.1, 70, 90, 110, 3) == 0);
  double* const plain = static_cast<double*>(heat3d_allocate(count * sizeof(double)));
  CHECK(plain != nullptr);
  CHECK(reinterpret_cast<std::size_t>(plain) % (2U << 20) == 0);
  for (const std::size_t limit : {std::size_t{1} << 30, std::size_t{0}}) {
    for (int call = 0; call < 2; ++call) {
      for (std::size_t k = 0; k < count; ++k) plain[k] = start[k];
      CHECK(heat3d(plain, 0.1, 70, 90, 110, 3) == 0);
      bool same = true;
      for (std::size_t k = 0; k < count; ++k) same = same && plain[k] == u[k];
      CHECK(same);
    }
    heat3d_keep_scratch(limit);
  }
  heat3d_free(plain);
  heat3d_Program program{70, 90, 110, 3};
  program.set_alpha(0.1);
  stencilgen::Array<double> from_object(count, 0.0);
  program.upload_u(start);
  program.run();
  program.download_u(from_object);
  bool same = true;
  for (std::size_t k = 0; k < count; ++k) same = same && from_object[k] == u[k];
  CHECK(same);
}

}  // namespace

void TestKept() {
  TestOrders();
  TestLevels();
  TestComponents();
  TestMemory();
}
