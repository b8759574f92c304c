#include <fmt/format.h>

#include "cli.h"

using namespace stencilgen;
using namespace stencilgen::test;

namespace {

// What it carries from turn to turn is copied in and out.
const char* const kHeat = R"(
parameter M=19, N=23, T=12;
iterator j, i;
double u[M,N];
copyin u;
stencil heat (u) { u[j][i] += 0.2*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] - 4.0*u[j][i]); }
iterate T { heat (u); }
copyout u;
)";

// Not so: the level before is lost.
const char* const kWave = R"(
parameter M=19, N=23, T=12;
iterator j, i;
double u[M,N], older[M,N];
copyin u, older;
stencil wave (older, u) {
  older[j][i] = 2.0*u[j][i] - older[j][i] + 0.1*(u[j-1][i] + u[j+1][i] - 2.0*u[j][i]);
}
iterate T { wave (older, u); swap u, older; }
copyout u;
)";

// A run for fewer turns may end before the one that looks.
const char* const kStopping = R"(
parameter M=19, N=23, T=12;
iterator j, i;
double u[M,N], most;
copyin u;
stencil halve (u) { u[j][i] = 0.5*u[j][i]; }
stencil measure (most, u) { most = max(abs(u[j][i])); }
iterate T until most < 0.3 every 3 { halve (u); measure (most, u); }
copyout u;
)";

// The turn is a value, and arrays are as long as there are turns.
const char* const kSource = R"(
parameter N=23, T=12, K=5;
iterator i;
double u[N], pulse[T], record[T];
copyin u, pulse;
stencil push (u, pulse) { u[i] += pulse[t]; }
stencil spread (u) { u[i] = 0.5*u[i] + 0.25*(u[i-1] + u[i+1]); }
stencil listen (record, u) { record[t] = u[K]; }
iterate t : T {
  [K:K] : push (u, pulse);
  spread (u);
  listen (record, u);
}
copyout u, record;
)";

/// Every picture over time is that of a run with so many turns.
void CheckFrames(const char* program, const std::string& options,
                 const std::string& environment = "") {
  const Workplace work;
  work.Write("p.idsl", program);
  const std::string run = "run p.idsl --repeat 1 --plain --range -4:4 --plot u=";
  const std::string emulated = "run p.idsl --plain --range -4:4 --plot u=";
  const std::string& base = options.find("--emulate") == std::string::npos ? run : emulated;
  const CliResult frames = work.Run(base + "f.png --every 4 " + options, "/dev/null", environment);
  INFO(options << frames.err);
  REQUIRE(frames.status == 0);
  for (const int turns : {4, 8, 12}) {
    const CliResult alone = work.Run(base + fmt::format("{}.png -D T={} ", turns, turns) + options,
                                     "/dev/null", environment);
    INFO(alone.err);
    REQUIRE(alone.status == 0);
    CHECK(work.Read(fmt::format("f-{:02}.png", turns)) == work.Read(fmt::format("{}.png", turns)));
  }
  CHECK(work.Read("f-04.png") != work.Read("f-12.png"));
  CHECK(work.Read("f-00.png") != work.Read("f-04.png"));
}

}  // namespace

TEST_CASE("pictures over time are those of runs of so many turns") {
  for (const char* program : {kHeat, kWave}) {
    CheckFrames(program, "--target cpp --fp strict");
    CheckFrames(program, "--emulate --fp strict");
    CheckFrames(program, "--target cpp --fp strict --time-tile 3");
  }
}

TEST_CASE("without a compiler the interpreter makes them") {
  for (const char* program : {kHeat, kWave, kSource}) CheckFrames(program, "", "PATH=/none CXX=");
}

TEST_CASE("a loop that ends by a condition ends in pictures too") {
  const Workplace work;
  work.Write("p.idsl", kStopping);
  const std::string run = "run p.idsl --repeat 1 --target cpp --plain --range -1:1 --plot u=";
  REQUIRE(work.Run(run + "f.png --every 1").status == 0);
  // Inputs are at most 1: it ends after 3 turns.
  CHECK(work.Read("f-02.png") != work.Read("f-03.png"));
  CHECK(work.Read("f-03.png") == work.Read("f-04.png"));
  CHECK(work.Read("f-03.png") == work.Read("f-12.png"));
}

TEST_CASE("turns given by -D are the movie's") {
  CheckFrames(kHeat, "--target cpp --fp strict -D M=15");
  const Workplace work;
  work.Write("p.idsl", kHeat);
  CHECK(work.Run("run p.idsl --repeat 1 --plot u.png --every 10 -D T=30").status == 0);
  CHECK_FALSE(work.Read("u-30.png").empty());
  CHECK(work.Run("run p.idsl --repeat 1 --plot u.png --every 10 -D T=30,M=5 --verify").status == 0);
}

TEST_CASE("a program whose arrays are as long as there are turns is drawn") {
  CheckFrames(kSource, "--target cpp --fp strict");  // random numbers of a longer array begin alike
  CheckFrames(kSource, "--emulate --fp strict");
  const Workplace work;
  work.Write("p.idsl", kSource);
  // The turn is an axis of what is recorded.
  const std::string plot = "run p.idsl --repeat 1 --plot record=";
  CHECK(work.Run(plot + "r.png --extent t=0:3").status == 0);
  CHECK(work.Run(plot + "s.png --extent i=0:3").status == 0);
  CHECK(work.Read("r.png") != work.Read("s.png"));
  const CliResult record = work.Run("run p.idsl --movie record.gif --every 3");
  CHECK(record.status == 2);
  CHECK(Contains(record.err, "`record` is as long as there are turns"));
}

TEST_CASE("a movie has a picture for the start and each of the turns") {
  const Workplace work;
  work.Write("p.idsl", kHeat);
  const CliResult result =
      work.Run("run p.idsl --repeat 1 --movie u.gif --every 5 --fps 4 --extent j=0:1,i=0:1");
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(Contains(result.out, "wrote      u.gif"));
  const std::string gif = work.Read("u.gif");
  CHECK(gif.substr(0, 6) == "GIF89a");
  std::size_t pictures = 0;  // by their graphic control extensions, of a quarter of a second
  const std::string control("\x21\xF9\x04\x04\x19\x00", 6);
  for (std::size_t at = gif.find(control); at != std::string::npos; at = gif.find(control, at + 1))
    ++pictures;
  CHECK(pictures == 3);
}

TEST_CASE("beside a movie a picture is of the end") {
  const Workplace work;
  work.Write("p.idsl", kHeat);
  const std::string run = "run p.idsl --repeat 1 --target cpp --plain --plot ";
  REQUIRE(work.Run(run + "a.png --movie u.gif --every 4").status == 0);
  REQUIRE(work.Run(run + "b.png").status == 0);
  CHECK(work.Exists("u.gif"));
  CHECK(work.Read("a.png") == work.Read("b.png"));
}

TEST_CASE("what cannot be drawn over time is said") {
  const Workplace work;
  work.Write("p.idsl", kHeat);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const CliResult result = work.Run("run " + arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(Contains(result.err, message));
    CHECK(Contains(result.err, "hint:"));
  };
  refused("p.idsl --movie u.gif --every 13", "the loop has 12 turns");
  refused("p.idsl --movie u.gif --every 1 -D T=5000", "more than 1000 pictures");
  refused("p.idsl --movie u.gif --every N=3", "`N` counts no loop's turns");
  refused("p.idsl --movie u.gif --extent k=0:1", "no iterator `k`");
  refused("p.idsl --movie v=u.gif", "`v` is no copyout array");
  work.Write("none.idsl", R"(
parameter N=9;
iterator i;
double u[N], v[N];
copyin u;
stencil s (v, u) { v[i] = 0.5*(u[i-1] + u[i+1]); }
s (v, u);
copyout v;
)");
  refused("none.idsl --movie u.gif", "the program has none");
  work.Write("two.idsl", R"(
parameter N=9, A=2, B=3;
iterator i;
double u[N];
copyin u;
stencil s (u) { u[i] = 0.5*(u[i-1] + u[i+1]); }
iterate A { s (u); }
iterate B { s (u); }
copyout u;
)");
  refused("two.idsl --movie u.gif", "`A` and `B` count turns");
  CHECK(work.Run("run two.idsl --repeat 1 --movie u.gif --every B=1").status == 0);
  work.Write("shaped.idsl", R"(
parameter N=9, T=3;
iterator j, i;
double u[N,T];
copyin u;
stencil s (u) { u[j][i] = 0.5*(u[j-1][i] + u[j+1][i]); }
iterate T { s (u); }
copyout u;
)");
  refused("shaped.idsl --movie u.gif", "the shape of `u` follows from `T`");
}

TEST_CASE("a movie that cannot be written leaves nothing") {
  const Workplace work;
  work.Write("p.idsl", kHeat);
  const CliResult result = work.Run("run p.idsl --repeat 1 --movie nowhere/u.gif --out u=u.npy");
  CHECK(result.status != 0);
  CHECK(Contains(result.err, "nowhere/u.gif"));
  CHECK_FALSE(work.Exists("u.npy"));
}
