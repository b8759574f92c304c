#include "driver/scaling_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "driver/option_values.h"

namespace stencilgen::driver {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// `2us`: a number above zero and one of the units.
template <std::size_t count>
bool ReadQuantity(double& where, std::string_view text, const std::array<Unit, count>& units) {
  double number = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || !(number > 0 && number < 1e12)) return false;
  const std::string_view name = text.substr(static_cast<std::size_t>(stop - text.data()));
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& any) { return any.name == name; });
  if (unit == units.end()) return false;
  where = number * unit->factor;
  return true;
}

}  // namespace

std::optional<UsageError> ReadRankCounts(ScalingOptions& options, const std::string& value) {
  options.ranks.clear();
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    constexpr int kMost = 65536;
    auto count =
        ReadInteger("--ranks", "the number of ranks", value.substr(begin, end - begin), 1, kMost);
    if (auto* error = std::get_if<UsageError>(&count)) {
      error->hint = "explain takes numbers of ranks, for example --ranks 64,512,4096";
      return *error;
    }
    options.ranks.push_back(static_cast<int>(std::get<0>(count)));
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<UsageError> ApplyNetwork(Options& options, const std::string& value) {
  static constexpr std::array<Unit, 4> kTimes = {
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  static constexpr std::array<Unit, 3> kRates = {{{"GB/s", 1e9}, {"MB/s", 1e6}, {"TB/s", 1e12}}};
  options.scaling.given = "--network";
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string_view part = std::string_view(value).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const std::string_view text = equals < part.size() ? part.substr(equals + 1) : "";
    const bool good =
        (name == "latency" && ReadQuantity(options.scaling.latency, text, kTimes)) ||
        (name == "bandwidth" && ReadQuantity(options.scaling.bytes_per_second, text, kRates));
    if (good) continue;
    return UsageError{fmt::format("--network: `{}` is no latency and no bandwidth", part),
                      "for example --network latency=2us,bandwidth=25GB/s"};
  }
  return std::nullopt;
}

std::optional<UsageError> ApplyScaling(Options& options, const std::string& value) {
  options.scaling.given = "--scaling";
  auto choice = ReadChoice("--scaling", value, {"strong", "weak"});
  if (auto* error = std::get_if<UsageError>(&choice)) return *error;
  options.scaling.weak = value == "weak";
  return std::nullopt;
}

}  // namespace stencilgen::driver
