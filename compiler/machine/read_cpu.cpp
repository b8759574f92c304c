#include "machine/description_reader.h"

namespace stencilgen::machine {
namespace {

const std::vector<Field<Cpu>>& CpuFields() {
  static const std::vector<Field<Cpu>> kFields = {
      {"model", &Cpu::model},
      {"cores", &Cpu::cores, 1, 1e6},
      {"threads", &Cpu::threads, 1, 1e6},
      {"vector_bytes", &Cpu::vector_bytes, 4, 256},
      {"vector_registers", &Cpu::vector_registers, 1, 1024},
      {"multiply_adds", &Cpu::multiply_adds, 1, 64},
      {"clock", &Cpu::clock, 1, kMostRate},
      {"read_one", &Cpu::read_one, 1, kMostRate},
      {"read_all", &Cpu::read_all, 1, kMostRate},
      {"copy_one", &Cpu::copy_one, 1, kMostRate},
      {"copy_all", &Cpu::copy_all, 1, kMostRate},
      {"triad_one", &Cpu::triad_one, 1, kMostRate},
      {"triad_all", &Cpu::triad_all, 1, kMostRate},
      {"streaming_copy_one", &Cpu::streaming_copy_one, 1, kMostRate},
      {"streaming_copy_all", &Cpu::streaming_copy_all, 1, kMostRate},
      {"streaming_triad_one", &Cpu::streaming_triad_one, 1, kMostRate},
      {"streaming_triad_all", &Cpu::streaming_triad_all, 1, kMostRate}};
  return kFields;
}

const std::vector<Field<Cache>>& CacheFields() {
  static const std::vector<Field<Cache>> kFields = {
      {"level", &Cache::level, 1, 9},     {"bytes", &Cache::bytes, 1, kMostBytes},
      {"line", &Cache::line, 1, 4096},    {"cores", &Cache::cores, 1, 1e6},
      {"one", &Cache::one, 1, kMostRate}, {"all", &Cache::all, 1, kMostRate}};
  return kFields;
}

ReadResult ReadCaches(std::vector<Cache>& caches, const Json& json, const DescriptionText& text) {
  if (!json.is_array() || json.empty()) {
    return text.Error({"caches"}, "`caches` is no array of caches",
                      R"(an object a level, as {"level": 1, "bytes": 32768, ...})");
  }
  caches.clear();
  for (std::size_t n = 0; n < json.size(); ++n) {
    const JsonPath path = {"caches", n};
    if (!json[n].is_object()) return text.Error(path, "a cache is an object");
    const std::vector<std::string> names = NamesOf(CacheFields());
    if (auto error = CheckNames(json[n], text, path, "cache", names)) return error;
    if (auto error = CheckComplete(json[n], names, text, path, "")) return error;
    Cache cache;
    if (auto error = ReadFields(cache, CacheFields(), json[n], text, path)) return error;
    if (!caches.empty() &&
        (cache.level <= caches.back().level || cache.bytes <= caches.back().bytes)) {
      return text.Error(path, "a cache is no larger than the one of the level before it",
                        "the first level comes first");
    }
    caches.push_back(cache);
  }
  return std::nullopt;
}

ReadResult CheckTogether(const Cpu& cpu, const DescriptionText& text) {
  if (cpu.threads < cpu.cores) {
    return text.Error({"threads"}, fmt::format("`threads` is {}, fewer than `cores`, {}",
                                               cpu.threads, cpu.cores));
  }
  if ((cpu.vector_bytes & (cpu.vector_bytes - 1)) != 0) {
    return text.Error(
        {"vector_bytes"},
        fmt::format("`vector_bytes` is {}, but must be a power of 2", cpu.vector_bytes));
  }
  return std::nullopt;
}

}  // namespace

std::variant<Target, DescriptionError> ReadCpu(const Json& json, const DescriptionText& text) {
  std::vector<std::string> fields = NamesOf(CpuFields());
  fields.emplace_back("caches");
  std::vector<std::string> names = {"kind", "base"};
  names.insert(names.end(), fields.begin(), fields.end());
  if (auto error = CheckNames(json, text, {}, "CPU", names)) return *error;
  Cpu cpu;
  if (json.contains("base")) {
    if (json["base"] != "generic") {
      return text.Error(
          {"base"},
          fmt::format("`base` is {}, of which there is no description", json["base"].dump()),
          R"("base": "generic" is what code is made for by default)");
    }
    cpu = DefaultCpu();
  } else if (auto error =
                 CheckComplete(json, fields, text, {},
                               R"(with "base": "generic" what is not said is the default CPU's)")) {
    return *error;
  }
  if (auto error = ReadFields(cpu, CpuFields(), json, text, {})) return *error;
  if (json.contains("caches")) {
    if (auto error = ReadCaches(cpu.caches, json["caches"], text)) return *error;
  }
  if (auto error = CheckTogether(cpu, text)) return *error;
  return cpu;
}

Json PrintCpu(const Cpu& cpu) {
  Json json;
  json["kind"] = "cpu";
  json.update(PrintFields(cpu, CpuFields()));
  for (const Cache& cache : cpu.caches) {
    json["caches"].push_back(PrintFields(cache, CacheFields()));
  }
  return json;
}

}  // namespace stencilgen::machine
