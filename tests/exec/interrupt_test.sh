#!/usr/bin/env bash
# interrupt_test.sh STENCILGEN SOURCE_DIR: a run that SIGINT, SIGTERM or SIGHUP interrupts ends by that
# signal, soon, and leaves nothing: no process, no temporary file, no file beside an output. On ranks too,
# where there is MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"
write_heat "M=200, N=200, T=100000000"
mkdir tmp
export TMPDIR="$work/tmp"

# wait_until COMMAND...: for half a minute at most.
wait_until() {
  local n
  for ((n = 0; n < 300; ++n)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  return 1
}
gone() { ! pgrep -f "$1" > /dev/null; }
runs() { ! gone "$1"; }

# interrupted SIGNAL NUMBER PATTERN ARGUMENTS...: sends it once a process whose command has the pattern runs.
interrupted() {
  local signal="$1" number="$2" pattern="$3" status=0 run
  shift 3
  checks=$((checks + 1))
  # A shell starts what goes on beside it with SIGINT ignored; env takes that back.
  env --default-signal=INT "$stencilgen" run heat.idsl "$@" --repeat 1 --out u=u.npy > out.txt 2> said.txt &
  run=$!
  wait_until runs "$pattern" || fail "$*: nothing runs: $(cat said.txt)"
  kill "-$signal" $run
  wait $run 2> wait.txt || status=$?
  [ $status = $((128 + number)) ] || fail "$signal, $*: status $status: $(cat said.txt)"
  [ ! -s said.txt ] && [ ! -s out.txt ] || fail "$signal, $*: says $(cat said.txt out.txt)"
  wait_until gone "$work/tmp" || fail "$signal, $*: $(pgrep -af "$work/tmp") is still there"
  [ -z "$(ls tmp)" ] || fail "$signal, $*: left $(ls tmp)"
  [ -z "$(find .cache -name '.unfinished-*' 2> wait.txt)" ] || fail "$signal, $*: left $(ls -A .cache/*)"
  [ -z "$(find . -maxdepth 1 -name 'u.npy*')" ] || fail "$signal, $*: left $(ls u.npy*)"
}

# A compiler that takes long: what runs is ended, not only waited for.
cat > slow <<'END'
#!/usr/bin/env bash
case "$*" in *" -o "*) exec sleep 97531 ;; esac
exec g++ "$@"
END
chmod +x slow
CXX="$work/slow" interrupted TERM 15 "sleep 97531"
CXX="$work/slow" interrupted INT 2 "sleep 97531"

# Signals that are ignored stay so.
(
  trap '' HUP
  CXX="$work/slow" "$stencilgen" run heat.idsl -D T=1 > out.txt 2>&1
) &
ignores=$!
wait_until runs "sleep 97531" || fail "nothing runs: $(cat out.txt)"
run="$(pgrep -f "$stencilgen run heat.idsl -D T=1" | tail -1)"
kill -HUP "$run"
sleep 0.5
kill -0 "$run" || fail "an ignored signal has ended the run"
kill -TERM "$run"
wait $ignores 2> wait.txt || true
checks=$((checks + 1))

need_mpi
for signal in TERM:15 INT:2 HUP:1; do
  interrupted "${signal%:*}" "${signal#*:}" "$work/tmp/stencilgen-[^/]*/ranks $work" --ranks 2
done
[ $failed = 0 ] && echo "$checks runs ended by signals leave nothing"
exit $failed
