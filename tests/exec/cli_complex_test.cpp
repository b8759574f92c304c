#include <string>
#include <vector>

#include "cli.h"
#include "tools/run/npy.h"

// Complex arrays on the command line: files of pairs go to two arrays and come from them.
using namespace stencilgen;
using namespace stencilgen::test;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

constexpr const char* kTurn = R"(
parameter M=2, N=3;
iterator j, i;
complex psi[M,N], w;
complex float f[N];
complex half h[N];
double x[N];
copyin psi, f, h, x;
psi[j][i] *= 2i*w;
f[i] = conj(f[i]);
h[i] = h[i];
x[i] = x[i];
copyout psi, f, h, x;
)";

TEST_CASE("complex arrays come from files and go there") {
  const Workplace work;
  work.Write("turn.idsl", kTurn);
  const Doubles re = {1, 2, 3, 4, 5, 6};
  const Doubles im = {-1, 0, 1, 2, 3, 0.5};
  work.Write("psi.npy", driver::EncodeComplexNpy(re, im, {2, 3}));
  work.Write("f.npy", driver::EncodeComplexNpy(Floats{1, 2, 3}, Floats{4, -5, 6}, {3}));
  for (const std::string target : {"cpp", "cuda --emulate"}) {
    const CliResult run = work.Run(
        "run turn.idsl --in psi=psi.npy --in f=f.npy --scalar w=0.5 --verify "
        "--out psi=out.npy --out f=conjugated.npy --out psi_im=part.npy --target " +
        target);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto psi = driver::ReadComplexNpy(work.Path("out.npy"), ScalarType::Double, {2, 3});
    REQUIRE(psi.index() == 0);
    CHECK(std::get<0>(psi)[0] == graph::Values(Doubles{1, 0, -1, -2, -3, -0.5}));
    CHECK(std::get<0>(psi)[1] == graph::Values(re));
    const auto f = driver::ReadComplexNpy(work.Path("conjugated.npy"), ScalarType::Float, {3});
    REQUIRE(f.index() == 0);
    CHECK(std::get<0>(f)[0] == graph::Values(Floats{1, 2, 3}));
    CHECK(std::get<0>(f)[1] == graph::Values(Floats{-4, 5, -6}));
    const CliResult parts = work.Run(
        "run turn.idsl --in psi=psi.npy --scalar w_re=0.5 --scalar w_im=-2 --out psi=a.npy "
        "--target " +
        target);
    const CliResult whole = work.Run(
        "run turn.idsl --in psi=psi.npy --scalar w=0.5-2i --out psi=b.npy --target " + target);
    REQUIRE(parts.status == 0);
    REQUIRE(whole.status == 0);
    CHECK(work.Read("a.npy") == work.Read("b.npy"));
    CHECK(work.Read("a.npy") != work.Read("out.npy"));
    const auto part = driver::ReadNpy(work.Path("part.npy"), ScalarType::Double, {2, 3});
    REQUIRE(part.index() == 0);
    CHECK(std::get<0>(part) == graph::Values(re));
  }
}

TEST_CASE("files that do not hold what a complex array needs are refused") {
  const Workplace work;
  work.Write("turn.idsl", kTurn);
  work.Write("real.npy", driver::EncodeNpy(Doubles(6), {2, 3}));
  work.Write("pairs.npy", driver::EncodeComplexNpy(Doubles(6), Doubles(6), {2, 3}));
  work.Write("short.npy", driver::EncodeComplexNpy(Doubles(3), Doubles(3), {3}));
  const auto refusal = [&](const std::string& options) {
    const CliResult run = work.Run("run turn.idsl " + options);
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK(Contains(refusal("--in psi=real.npy"), "it holds double and the array is complex double"));
  CHECK(Contains(refusal("--in psi=real.npy"), "a.astype('<c16')"));
  CHECK(Contains(refusal("--in f=short.npy"),
                 "it holds complex double and the array is complex float"));
  CHECK(Contains(refusal("--in psi_re=pairs.npy"),
                 "it holds complex double and the array is double"));
  CHECK(Contains(refusal("--in x=short.npy"), "it holds complex double and the array is double"));
  CHECK(Contains(refusal("--in psi=short.npy"), "its shape is (3,) and the array's is (2, 3)"));
  CHECK(Contains(refusal("--scalar psi=1"), "`psi` is an array"));
  // NumPy has no pairs of halves.
  CHECK(Contains(refusal("--in h=short.npy"), "the program has no array `h`"));
  CHECK(Contains(refusal("--out h=out.npy"), "`h` is no copyout array"));
  const std::string whole = work.Read("pairs.npy");
  work.Write("cut.npy", whole.substr(0, whole.size() - 1));
  CHECK(Contains(refusal("--in psi=cut.npy"), "it has 95 of 96 bytes of elements"));
}

TEST_CASE("--precision gives both parts another type") {
  const Workplace work;
  work.Write("turn.idsl", kTurn);
  const CliResult run = work.Run(
      "run turn.idsl --target cpp --precision psi=float --precision f_im=double --verify --json");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(Contains(run.out, "\"verified\":true"));
  CHECK(Contains(run.out, "precision_rel_rms"));
  const CliResult unknown = work.Run("run turn.idsl --precision chi=float");
  CHECK(unknown.status == 2);
  CHECK(Contains(unknown.err, "the program declares no array or scalar `chi`"));
}

}  // namespace
