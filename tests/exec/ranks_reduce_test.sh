#!/usr/bin/env bash
# ranks_reduce_test.sh STENCILGEN SOURCE_DIR: what ranks of MPI compute together has the bits of the
# interpreter with --fp strict: reductions, loops that a condition ends, scalars that change from
# turn to turn, and elements at places that are values. Skipped where there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"

need_mpi

# Reductions, loops that a condition ends, and scalars that change from turn to turn.
for ranks in 2 3x2; do
  same "$source_dir/examples/cg/cg.idsl" $ranks -D M=37,N=29
done
same "$source_dir/examples/srad/srad.idsl" 2x3 -D M=71,N=1100,T=3
cat > reduce.idsl <<'END'
parameter L=9, M=70, N=41, T=7, E=3;
iterator k, j, i;
double u[M,N], v[L,M,N], row[N], total, least, most, late, rows, factor;
float f[M,N];
int count[M,N], many;
bool any_big, all_big;
copyin u, v, row, f, count, factor, total;
stencil sums (total, rows, many, late, u, v, row, f, count, factor) {
  total = sum(u[j+1][i]*factor - u[j][i]) + 0.5*sum(v[k][j][i]) + 1e-3*total;
  rows = norm2(row[i]);
  many = sum(count[j][i]);
  late = sum(f[j][i]);
}
stencil bounds (least, most, any_big, all_big, u, f) {
  least = min(u[j][i]*f[j][i]);
  most = max(abs(u[j][i-1]));
  any_big = any(u[j][i] > 3.0);
  all_big = all(u[j][i] > -5.0);
}
stencil step (u, v, row, total, least, factor) {
  u[j][i] = 0.9*u[j][i] + 1e-5*total + 0.01*least + factor*0.1;
  v[k][j][i] = v[k][j][i]*0.5 + u[j][i];
  row[i] = row[i]*0.5 + factor;
}
iterate t : T until most < 0.1 every E {
  sums (total, rows, many, late, u, v, row, f, count, factor);
  [3:M-5, 2:N-2] : bounds (least, most, any_big, all_big, u, f);
  step (u, v, row, total, least, factor);
  factor = 0.5*factor + 0.01*t;
}
copyout u, v, row, total, least, most, late, rows, many, any_big, all_big;
END
for ranks in 1 2x2x1; do same reduce.idsl $ranks; done
# What only a condition needs is computed, and exchanged, in turns that look at it.
cat > looks.idsl <<'END'
parameter N=64, T=23, E=5;
iterator i;
double u[N], v[N], change;
copyin u, v;
stencil relax (v, u) { v[i] = 0.5*(u[i-1] + u[i+1]); }
stencil measure (change, u) { change = max(abs(u[i-2] - u[i+2])); }
iterate T until change < 1e-9 every E {
  relax (v, u);
  swap u, v;
  measure (change, u);
}
copyout u;
END
same looks.idsl 3
[[ "$said" == *"exchange   u (i 1:1): 23 times;"* && "$said" == *"exchange   v (i 2:2): 4 times;"* ]] ||
  fail "what a condition needs:"$'\n'"$said"
sed 's/< 1e-9/< 1.7/' looks.idsl > ends.idsl
same ends.idsl 2
same reduce.idsl 3 -D E=1,T=4 --scalar factor=0.001
same reduce.idsl 4 -D M=8,N=4,L=5
# What is reduced and what receivers take are elements of narrow arrays.
cat > narrow.idsl <<'END'
parameter M=40, N=50, T=4, R=7;
iterator j, i;
half u[M,N];
uint8 mask[M,N];
bfloat16 record[T,R];
float total, largest;
int marks, place[R];
copyin u, mask, record, place;
boundary u = constant(0.0);
stencil step (u, mask) {
  u[j][i] = mask[j][i] > 100 ? 0.2*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]) : u[j][i];
}
stencil measure (total, largest, marks, u, mask) {
  total = sum(u[j][i]);
  largest = max(abs(u[j][i]));
  marks = sum(mask[j][i]);
}
stencil listen (record, u, place) { record[t][i] = u[place[i]][5]; }
iterate t : T {
  step (u, mask);
  measure (total, largest, marks, u, mask);
  listen (record, u, place);
}
copyout u, total, largest, marks, record;
END
for ranks in 2x1 1x3; do same narrow.idsl $ranks; done
# Zeros of both signs: the first one counts.
cat > zeros.idsl <<'END'
parameter M=9, N=8;
iterator j, i;
double u[M,N], v[M,N], least, one;
copyin u;
copyout v, least, one;
stencil zeros (v, u, least, one) {
  v[j][i] = j > 5 ? 0.0 : (i + j)*-0.0;
  least = min(v[j][i]);
  one = 1.0/least;
}
zeros (v, u, least, one);
END
for ranks in 2x2; do same zeros.idsl $ranks; done

# Receivers anywhere, beside the borders of ranks and outside of the grid; sources by parameters.
same "$source_dir/examples/survey/survey.idsl" 2x2 -D T=30
same "$source_dir/examples/survey/survey.idsl" 1x5 -D T=20,SOURCE=59,SHOT=39
cat > listen.idsl <<'END'
parameter M=24, N=31, T=6, R=40, P=11, Q=15;
iterator j, i;
double u[M,N], w[M,N], heard[T,R], once[R], corner[T];
int row[R], column[R];
copyin u, w, row, column, heard, corner;
boundary u = clamp, w = [mirror, wrap];
stencil step (u, w) {
  u[j][i] += 0.1*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] - 4.0*u[j][i]);
  w[j][i] = 0.5*w[j][i] + u[j][i];
}
stencil listen (heard, corner, u, w, row, column) {
  heard[t][i] = u[row[i]][column[i]] + 0.25*u[row[i]+1][column[i]-3] + w[row[i]][column[i]];
  corner[t] = u[P][Q] + u[P][Q+1];
}
stencil last (once, heard) { once[i] = heard[T-1][i]*2.0; }
iterate t : T {
  u[P][Q] += 1.0;
  step (u, w);
  listen (heard, corner, u, w, row, column);
}
last (once, heard);
copyout u, heard, once, corner;
END
for ranks in 2 3x2; do same listen.idsl $ranks; done

# Without --fp strict sums meet in another order.
checks=$((checks + 1))
timeout 300 "$stencilgen" run reduce.idsl --ranks 3 --verify --repeat 1 > said 2>&1 ||
  fail "reduce.idsl, not strict: $(cat said)"

[ $checks -ge 12 ] || fail "there were only $checks checks"
exit $failed
