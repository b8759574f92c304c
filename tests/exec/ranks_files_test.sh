#!/usr/bin/env bash
# ranks_files_test.sh STENCILGEN SOURCE_DIR: ranks of MPI read and write .npy files together, by `run`
# and by generated code; snapshots go on on another number of ranks; what goes wrong leaves files as
# they were. Skipped where there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"
need_mpi

# alike A B: two files of the same bytes.
alike() {
  checks=$((checks + 1))
  cmp "$1" "$2" || fail "$1 differs from $2"
}
# runs ARGUMENTS...: stencilgen run, with what it says in `said`.
runs() {
  checks=$((checks + 1))
  if ! said="$(timeout 300 "$stencilgen" run "$@" --fp strict --repeat 1 2>&1)"; then
    fail "run $*: $said"
  fi
}
# refused TEXT ARGUMENTS...: the run fails, says the text once, and leaves no file beside others.
refused() {
  local text="$1"
  shift
  checks=$((checks + 1))
  if said="$(timeout 120 "$stencilgen" run "$@" 2>&1)"; then fail "this should fail: $*"; fi
  [ "$(grep -cF -- "$text" <<< "$said")" = 1 ] || fail "$* does not say once: $text"$'\n'"$said"
  [ -z "$(find . -name '*.npy.*')" ] || fail "$* leaves $(find . -name '*.npy.*')"
}

# Arrays of all types, with elements behind the grid's points, of fewer dimensions than the grid, and
# on every rank alike.
cat > kinds.idsl <<'END'
parameter L=7, M=23, N=17, T=6;
iterator k, j, i;
double u[M,N], v[L,M+1,N+2], row[N];
float f[M,N];
int count[M,N];
bool wet[M,N], any_wet;
double total;
copyin u, v, row, f, count, wet;
stencil step (u, v, row, f, count, wet) {
  u[j][i] = 0.5*u[j][i] + 0.1*(u[j-1][i] + u[j+1][i]) + row[i]*(wet[j][i] ? 1.0 : 0.25);
  v[k][j][i] = v[k][j][i]*0.5 + v[k][j+1][i+2];
  f[j][i] = f[j][i] + count[j][i]*0.125;
  count[j][i] = count[j][i] + (u[j][i] > 0.5 ? 1 : 0);
  wet[j][i] = count[j][i] > 2 || wet[j][i];
}
stencil all (total, any_wet, u, wet) {
  total = sum(u[j][i]);
  any_wet = any(wet[j][i]);
}
iterate T { step (u, v, row, f, count, wet); }
all (total, any_wet, u, wet);
copyout u, v, f, count, wet, total, any_wet;
END
outputs=(u v f count wet total any_wet)
one=() && some=()
for name in "${outputs[@]}"; do
  one+=(--out "$name=one_$name.npy")
  some+=(--out "$name=some_$name.npy")
done
runs kinds.idsl --target cpp "${one[@]}"
for ranks in 1 2x1x1 1x3x2 6; do
  runs kinds.idsl --ranks $ranks "${some[@]}"
  for name in "${outputs[@]}"; do alike "one_$name.npy" "some_$name.npy"; done
done
[ "$(grep -c "wrote  " <<< "$said")" = 7 ] || fail "the run does not name its files: $said"

# What ranks read is what one machine reads, and a file may be input and output.
head -c 64 /dev/zero > short.npy
read_them=(--in u=one_u.npy --in f=one_f.npy --in wet=one_wet.npy --in count=one_count.npy)
runs kinds.idsl --target cpp "${read_them[@]}" "${one[@]/one_/two_}"
cp one_u.npy both.npy
runs kinds.idsl --ranks 1x2x2 "${read_them[@]/one_u/both}" "${some[@]/some_u/both}"
alike two_u.npy both.npy
for name in v f count wet; do alike "two_$name.npy" "some_$name.npy"; done

# Snapshots: of one machine and of ranks, and a run that goes on at one of them.
write_heat "M=37, N=29, T=12"
runs heat.idsl --target cpp --out u=end.npy --snapshot u=single.npy --every 4
runs heat.idsl --ranks 3 --snapshot u=ranks.npy --every T=4 --out u=again.npy --plot u.png --movie m.gif
for turn in 04 08 12; do alike single-$turn.npy ranks-$turn.npy; done
[[ "$said" == *"wrote      ranks-08.npy"* ]] || fail "the run does not name its snapshots: $said"
[ -s m.gif ] && [ -s u.png ] || fail "ranks leave no pictures"
runs heat.idsl --target cpp --movie one.gif --every 4
alike one.gif m.gif
alike end.npy again.npy
alike end.npy single-12.npy
runs heat.idsl --ranks 2x2 -D T=8 --in u=ranks-04.npy --out u=on.npy
alike end.npy on.npy
# A loop that knows the number of its turn begins again for each of them.
sed -e 's/iterate T/iterate t : T/' -e 's/alpha\*(/alpha*t*(/' heat.idsl > turns.idsl
sed -i 's/stencil heat (u, alpha)/stencil heat (u, alpha)/; s/{ heat/{ heat/' turns.idsl
runs turns.idsl --target cpp --snapshot u=single.npy --every 5
runs turns.idsl --ranks 2 --snapshot u=ranks.npy --every 5
for turn in 05 10; do alike single-$turn.npy ranks-$turn.npy; done

refused "--snapshot does not know after how many turns" heat.idsl --snapshot u=u.npy
refused "--snapshot: \`alpha\` is no copyout array" heat.idsl --snapshot alpha=u.npy --every 2
refused "cannot write \`heat.idsl\`: it is the input file" heat.idsl --ranks 2 --out u=heat.idsl
refused "cannot write \`nowhere/u.npy\`" heat.idsl --ranks 2 --out u=nowhere/u.npy
refused "cannot write \`nowhere/u-04.npy\`: No such file or directory" \
  heat.idsl --ranks 2 --snapshot u=nowhere/u.npy --every 4 --out u=end.npy
alike end.npy again.npy
sed 's/double u\[M,N\]/double u[M,N], heard[T,N]/; s/heat (u, alpha); }/heat (u, alpha); heard[0][i] = u[3][i]; }/
  s/copyout u/copyout u, heard/' heat.idsl > heard.idsl
refused "snapshots need a run on one machine: the shape of an array follows from \`T\`" \
  heard.idsl --ranks 2 --snapshot u=u.npy --every 4

# A rank that is killed while snapshots are written leaves whole files alone.
real="$(command -v "$mpirun")"
mkdir starters
cat > starters/mpirun <<END
#!/usr/bin/env bash
[ "\$1" != --version ] || exec "$real" --version
"$real" "\$@" &
starter=\$!
for n in {1..600}; do
  [ ! -e live-003.npy ] || break
  sleep 0.05
done
kill -9 "\$(youngest_of \$starter)"
wait \$starter
END
chmod +x starters/mpirun
cp end.npy killed.npy
if said="$(MPIRUN="$PWD/starters/mpirun" timeout 120 "$stencilgen" run heat.idsl --ranks 2 --repeat 1 \
    -D M=600,N=600,T=900 --snapshot u=live.npy --every 1 --out u=killed.npy 2>&1)"; then
  fail "a rank was killed, and nobody says so"
fi
[[ "$said" == *"a rank was ended by signal 9 (Killed), and the others with it"* ]] ||
  fail "a killed rank: $said"
alike end.npy killed.npy
# Open MPI tries locks on a file beside the one it opens, and a rank may be killed right then.
find . -name '*.locktest.*' -delete
for file in live-*; do
  [ "$(stat -c %s "$file")" = $((600 * 600 * 8 + 128)) ] || fail "$file is not whole"
done
[ -e live-003.npy ] || fail "there is no snapshot"
[ -z "$(find . -name '*.npy.*')" ] || fail "files are left: $(find . -name '*.npy.*')"

# An application: three ranks save, two load and go on.
"$stencilgen" heat.idsl --mpi --target cpp --fp strict -o heat.cpp --header heat_mpi.h
cat > app.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heat_mpi.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  try {
    heat_Distributed heat(MPI_COMM_WORLD, 37, 29);
    for (int n = 1; n + 2 < argc; n += 3) {
      heat.load(heat_ranks_u, argv[n]);
      heat.run(0.1, std::atoi(argv[n + 1]));
      heat.save(heat_ranks_u, argv[n + 2]);
    }
  } catch (const stencilgen::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = error.status();
  }
  MPI_Finalize();
  return status;
}
END
"$mpicxx" -std=c++17 -Wall -Wextra -Werror -O1 -ffp-contract=off -frounding-math -fopenmp app.cpp \
  heat.cpp -o app || fail "the generated code draws warnings"
set_start
timeout 60 "${start[@]}" -n 3 ./app end.npy 5 middle.npy || fail "three ranks do not save"
timeout 60 "${start[@]}" -n 2 ./app middle.npy 4 last.npy || fail "two ranks do not go on"
timeout 60 "${start[@]}" -n 1 ./app end.npy 9 whole.npy || fail "one rank does not do it"
alike whole.npy last.npy
cp end.npy kept.npy
# wrong TEXT FILE OUT: all ranks hear why a file is not read or written.
wrong() {
  checks=$((checks + 1))
  if said="$(timeout 60 "${start[@]}" -n 2 ./app "$2" 1 "$3" 2>&1)"; then fail "this works: $2 $3"; fi
  [ "$(grep -cF -- "$1" <<< "$said")" = 1 ] || fail "not said once: $1"$'\n'"$said"
}
wrong "cannot read \`nothing.npy\`: No such file or directory" nothing.npy kept.npy
wrong "\`app.cpp\` is no .npy file" app.cpp kept.npy
wrong "\`one_u.npy\`: its shape is (23, 17), and that of u is (37, 29)" one_u.npy kept.npy
wrong "\`one_f.npy\`: its elements are \`<f4\`, and those of u are \`<f8\`" one_f.npy kept.npy
head -c 5000 end.npy > cut.npy
wrong "\`cut.npy\`: it ends before its elements do" cut.npy kept.npy
wrong "cannot write \`nowhere/u.npy\`: No such file or directory" end.npy nowhere/u.npy
wrong "cannot write \`starters\`: Is a directory" end.npy starters
alike end.npy kept.npy
[ -z "$(find . -name '*.part')" ] || fail "files are left: $(find . -name '*.part')"

[ $checks -ge 60 ] || fail "there were only $checks checks"
exit $failed
