#include "support/schedule_matrix.h"

#include <utility>

#include "support/check.h"

namespace stencilgen::testing {

std::vector<NamedSchedule> ScheduleMatrix() {
  static const std::vector<std::pair<const char*, const char*>> kTexts = {
      {"tile", "block=8,4,4 fusion=max shared=yes"},
      {"each", "block=16,5,3 fusion=none shared=yes"},
      {"serial", "block=16,4,4 stream=0:0 fusion=max shared=yes"},
      {"chunks", "block=8,5,4 stream=0:3 fusion=max shared=yes"},
      {"fitted", "block=8,5,4 stream=0:0:2 fusion=max shared=yes"},
      {"timed_fitted", "block=16,8,1 stream=0:0:3 time_tile=3 fusion=max shared=yes barriers=step"},
      {"inner", "block=8,4,5 stream=1:4 fusion=max shared=yes"},
      {"step", "block=16,5,1 stream=0:0 fusion=max shared=yes barriers=step"},
      {"timed", "block=16,8,8 time_tile=2 fusion=max shared=yes"},
      {"timed_chunks", "block=16,8,1 stream=0:5 time_tile=3 fusion=max shared=yes barriers=step"},
      {"ahead",
       "block=16,6,1 unroll=1,2,1 stream=0:0 time_tile=4 fusion=max shared=yes "
       "prefetch=register"},
      {"together", "block=8,6,3 stream=0:4 fusion=max shared=yes prefetch=step"},
      {"async", "block=8,4,4 stream=0:0 fusion=none shared=yes prefetch=async"},
      {"async_step", "block=16,5,4 stream=0:4 fusion=max shared=yes prefetch=async barriers=step"},
      {"rim", "block=8,5,1 stream=0:0 fusion=max shared=yes halo=loads"},
      {"rim_ahead",
       "block=8,3,4 unroll=2,2,1 stream=0:5 time_tile=2 fusion=max shared=yes halo=loads "
       "prefetch=register barriers=step"},
      {"rim_async", "block=8,4,4 stream=0:4 fusion=max shared=yes halo=loads prefetch=async"},
      {"rim_tile", "block=8,4,4 unroll=2,1,1 fusion=max shared=yes halo=loads"},
      {"points", "block=5,3,3 unroll=3,2,1 fusion=max shared=yes"},
      {"points_stream", "block=8,4,4 unroll=2,3,1 stream=0:2 fusion=max shared=yes"},
      {"vectors", "block=8,4,4 unroll=4,1,1 stream=0:0 fusion=max shared=yes"},
      {"shuffle", "block=32,3,3 stream=0:0 fusion=max shared=yes shuffle=yes"},
      {"shuffle_points", "block=8,8,4 unroll=2,1,1 fusion=max shared=yes shuffle=yes"},
      {"greedy", "block=16,6,4 stream=0:0 fusion=greedy shared=yes"},
      {"greedy_timed",
       "block=16,8,1 stream=0:5 time_tile=4 fusion=greedy shared=yes objective=registers"},
      {"greedy_tiles", "block=8,6,4 fusion=greedy shared=yes objective=shared-memory"},
      {"split_recompute",
       "block=16,5,1 stream=0:0 shared=yes split=2 crossing=recompute barriers=step"},
      {"split_store", "block=8,6,4 shared=yes time_tile=2 split=3 crossing=store"},
      {"windows", "block=8,2,2 unroll=1,2,1 stream=0:3"},
      {"fitted_windows", "block=8,2,2 unroll=1,2,1 stream=0:0:4"},
  };
  std::vector<NamedSchedule> schedules;
  for (const auto& [name, text] : kTexts) {
    const auto timed = ReadSchedule(text);
    STENCILGEN_CHECK(timed);
    schedules.push_back({name, *timed, timed->schedule.stream.has_value()});
  }
  return schedules;
}

}  // namespace stencilgen::testing
