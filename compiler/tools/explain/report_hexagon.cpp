#include "plan/hexagon.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {

Json HexagonReport(const plan::Plan& plan, const plan::Repeat& repeat) {
  const plan::TimeBand& band = *repeat.band;
  const plan::Hexagon& hexagon = *band.hexagon;
  const plan::HexagonStorage storage = plan::StorageOf(plan, repeat);
  Json launches = Json::array();
  for (const plan::KernelId id : band.launches) launches.push_back(id.index);
  Json strips = Json::array();
  for (const plan::BandStrip& strip : hexagon.strips) {
    strips.push_back({{"width", strip.width}, {"slope", strip.side.slope}});
  }
  Json boxes = Json::array();
  for (const plan::HexagonBox& box : storage.boxes) {
    boxes.push_back({{"buffer", plan.buffers[box.buffer].name},
                     {"rows", box.rows.size()},
                     {"written", box.written}});
  }
  return {{"launches", std::move(launches)}, {"turns", 2 * hexagon.half},
          {"narrowest", hexagon.width},      {"widest", plan::WidestOf(band)},
          {"pitch", plan::PitchOf(band)},    {"slope", band.outer.slope},
          {"strips", std::move(strips)},     {"boxes", std::move(boxes)},
          {"shared_bytes", storage.bytes},   {"block", hexagon.block}};
}

}  // namespace stencilgen::driver
