# What tests of programs on ranks of MPI share. Sourced by bash scripts, with their arguments: the
# compiler and the folder of the sources. They go on in a folder of their own, which is removed when
# they end.
stencilgen="$(realpath "$1")"
source_dir="$(realpath "$2")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work" STENCILGEN_TUNING_DB=none OMP_NUM_THREADS=1
cd "$work"
failed=0
checks=0

fail() {
  echo "$1" >&2
  failed=1
}

# The compiler and the starter of MPI programs, which the environment may name, as for `run --ranks`.
mpicxx="${MPICXX:-mpicxx}"
mpirun="${MPIRUN:-mpirun}"

# Ends the test where there is no MPI: as skipped, or as failed where something has failed before.
# With MPI, `run --ranks` has its programs compiled with -O0, in half of the time that -O3 takes.
need_mpi() {
  if command -v "$mpicxx" > /dev/null && command -v "$mpirun" > /dev/null; then
    mkdir compiler
    printf '#!/usr/bin/env bash\nexec "%s" "$@" -O0\n' "$(command -v "$mpicxx")" > compiler/mpicxx
    chmod +x compiler/mpicxx
    export MPICXX="$work/compiler/mpicxx"
    return
  fi
  [ $failed = 0 ] || exit 1
  echo "skipped: there is no MPI"
  exit 77
}

# youngest_of PROCESS: of the processes that it has started, and these, the last one that has started
# none: a rank of a starter, which some starters start by a process in between.
youngest_of() {
  local child
  child="$(pgrep -P "$1" | tail -1)"
  if [ -n "$child" ]; then youngest_of "$child"; else echo "$1"; fi
}
export -f youngest_of

# set_start ARGUMENTS...: the command that starts programs on ranks, in `start`.
set_start() {
  start=("$mpirun")
  if "$mpirun" --version | grep -q "Open MPI"; then
    start+=(--oversubscribe --quiet)
    if [ "$(id -u)" = 0 ]; then start+=(--allow-run-as-root); fi
  fi
  start+=("$@")
}

# write_heat PARAMETERS: heat.idsl.
write_heat() {
  cat > heat.idsl <<END
parameter $1;
iterator j, i;
double u[M,N], alpha;
copyin u, alpha;
stencil heat (u, alpha) {
  u[j][i] += alpha*(u[j-1][i] + u[j][i-1] - 4.0*u[j][i] + u[j][i+1] + u[j+1][i]);
}
iterate T { heat (u, alpha); }
copyout u;
END
}

# same FILE RANKS ARGUMENTS...: the same bits as the interpreter. What the run says is in `said`.
same() {
  local file="$1" ranks="$2"
  shift 2
  checks=$((checks + 1))
  if ! said="$(timeout 300 "$stencilgen" run "$file" --ranks "$ranks" --fp strict --verify \
      --repeat 1 "$@" 2>&1)"; then
    fail "$file on $ranks ranks, $*:"$'\n'"$said"
  fi
}
