#include "support/face_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stencilgen::testing {

std::string ElementText(const std::string& array, const std::vector<std::string>& iterators,
                        const std::vector<int>& offsets) {
  std::string text = array;
  for (std::size_t d = 0; d < iterators.size(); ++d) {
    text += offsets[d] == 0 ? fmt::format("[{}]", iterators[d])
                            : fmt::format("[{}{:+d}]", iterators[d], offsets[d]);
  }
  return text;
}

FaceCall WriteFaceCall(Prng* prng, const std::vector<std::string>& iterators,
                       const std::vector<std::string>& parameters, const std::string& name,
                       const std::string& array, const std::string& other) {
  const auto face = static_cast<std::size_t>(prng->Below(static_cast<int>(iterators.size())));
  const bool low = prng->Percent(50);
  const int depth = prng->Percent(25) ? 1 : 0;
  const int thickness = prng->Percent(20) ? 1 : 0;
  std::vector<std::string> domain;
  for (std::size_t d = 0; d < iterators.size(); ++d) {
    const std::string& size = parameters[d];
    const int edge = prng->Percent(30) ? 1 : 0;
    domain.push_back(d != face ? fmt::format("{}:{}-{}", edge, size, edge + 1)
                     : low
                         ? fmt::format("{}:{}", depth, depth + thickness)
                         : fmt::format("{0}-{1}:{0}-{2}", size, depth + thickness + 1, depth + 1));
  }
  const int inward = (low ? 1 : -1) * prng->Range(1, 2);
  const auto offsets = [&](int along) {
    std::vector<int> all(iterators.size(), 0);
    all[face] = along;
    if (prng->Percent(15)) all[static_cast<std::size_t>(prng->Below(int(all.size())))] += 1;
    return all;
  };
  const std::vector<int> here(iterators.size(), 0);
  std::string value = fmt::format("0.5*{}", ElementText("A", iterators, offsets(inward)));
  if (prng->Percent(50))
    value += fmt::format(" + 0.25*{}", ElementText("B", iterators, offsets(0)));
  if (prng->Percent(30)) value += fmt::format(" + 0.125*{}", ElementText("A", iterators, here));
  return {fmt::format("stencil {} (A, B) {{\n  {} = {};\n}}\n", name,
                      ElementText("A", iterators, here), value),
          fmt::format("[{}] : {} ({}, {});", fmt::join(domain, "]["), name, array, other)};
}

}  // namespace stencilgen::testing
