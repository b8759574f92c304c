#include "machine/gpu.h"

#include <algorithm>
#include <array>

#include "support/check.h"

namespace stencilgen::machine {

namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = 1024 * kKi;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

/// What all of them have in common, and what the architectures of today have.
Gpu Base(const char* arch, const char* model, int sms) {
  Gpu device;
  device.arch = arch;
  device.model = model;
  device.sms = sms;
  device.threads_per_sm = 2048;
  device.threads_per_block = 1024;
  device.blocks_per_sm = 32;
  device.registers_per_sm = 64 * 1024;
  device.registers_per_thread = 255;
  device.register_unit = 256;
  device.register_file_partitions = 4;
  device.shared_per_block = 48 * kKi;
  device.shared_reserved = 1 * kKi;
  device.shared_unit = 128;
  device.shared_per_clock = 128;
  return device;
}

/// Before sm_80 nothing is reserved, and a block's shared memory comes in larger units.
Gpu OlderBase(const char* arch, const char* model, int sms) {
  Gpu device = Base(arch, model, sms);
  device.shared_reserved = 0;
  device.shared_unit = 256;
  return device;
}

Gpu SetShared(Gpu device, std::int64_t per_sm, std::int64_t per_block_most) {
  device.shared_per_sm = per_sm;
  device.shared_per_block_most = per_block_most;
  return device;
}

/// Memory in GB/s, peaks in TFLOP/s, clock in GHz.
Gpu SetSpeed(Gpu device, std::int64_t l2_bytes, double memory_peak, double memory_achieved,
             double fp32, double fp64, double clock) {
  device.l2_bytes = l2_bytes;
  device.memory_peak = memory_peak * kGiga;
  device.memory_achieved = memory_achieved * kGiga;
  device.fp32_peak = fp32 * kTera;
  device.fp64_peak = fp64 * kTera;
  device.clock = clock * kGiga;
  // Of four instruction slots a multiply-add more than one goes to an addition or multiplication
  // alone, and others to loads, addresses and exchange between threads; double precision leaves
  // slots for those where it is the slower.
  constexpr double kFp32Share = 0.35;
  constexpr double kFp64Share = 0.6;
  device.fp32_stencil = kFp32Share * device.fp32_peak;
  device.fp64_stencil = std::min(kFp64Share * device.fp64_peak, device.fp32_stencil);
  return device;
}

/// TFLOP/s, where 3D stencils have been measured.
Gpu SetStencil(Gpu device, double fp32, double fp64) {
  device.fp32_stencil = fp32 * kTera;
  device.fp64_stencil = fp64 * kTera;
  return device;
}

Gpu K20c() {
  Gpu device = SetShared(OlderBase("sm_35", "Tesla K20c", 13), 48 * kKi, 48 * kKi);
  device.blocks_per_sm = 16;
  // 32 banks of 8 bytes; values of 4 bytes reach half of it.
  device.shared_per_clock = 256;
  device = SetSpeed(device, 1280 * kKi, 208, 150, 3.52, 1.17, 0.706);
  return SetStencil(device, 0.73, 0.36);
}

Gpu P100() {
  Gpu device = SetShared(OlderBase("sm_60", "Tesla P100 SXM2", 56), 64 * kKi, 48 * kKi);
  device.register_file_partitions = 2;
  return SetSpeed(device, 4 * kMi, 732, 550, 10.6, 5.3, 1.48);
}

Gpu TitanXPascal() {
  const Gpu device = SetShared(OlderBase("sm_61", "Titan X (Pascal)", 28), 96 * kKi, 48 * kKi);
  return SetStencil(SetSpeed(device, 3 * kMi, 480, 370, 10.97, 0.343, 1.531), 2.94, 0.3);
}

Gpu V100() {
  return SetSpeed(SetShared(OlderBase("sm_70", "Tesla V100 SXM2", 80), 96 * kKi, 96 * kKi), 6 * kMi,
                  900, 800, 15.7, 7.8, 1.53);
}

Gpu T4() {
  Gpu device = SetShared(OlderBase("sm_75", "Tesla T4", 40), 64 * kKi, 64 * kKi);
  device.threads_per_sm = 1024;
  device.blocks_per_sm = 16;
  return SetSpeed(device, 4 * kMi, 320, 240, 8.1, 0.254, 1.59);
}

Gpu A100() {
  return SetSpeed(SetShared(Base("sm_80", "A100 SXM4 40 GB", 108), 164 * kKi, 163 * kKi), 40 * kMi,
                  1555, 1390, 19.5, 9.7, 1.41);
}

Gpu Rtx3090() {
  Gpu device = SetShared(Base("sm_86", "GeForce RTX 3090", 82), 100 * kKi, 99 * kKi);
  device.threads_per_sm = 1536;
  device.blocks_per_sm = 16;
  return SetSpeed(device, 6 * kMi, 936, 850, 35.6, 0.556, 1.695);
}

Gpu Rtx4090() {
  Gpu device = SetShared(Base("sm_89", "GeForce RTX 4090", 128), 100 * kKi, 99 * kKi);
  device.threads_per_sm = 1536;
  device.blocks_per_sm = 24;
  return SetSpeed(device, 72 * kMi, 1008, 920, 82.6, 1.29, 2.52);
}

Gpu H200() {
  return SetSpeed(SetShared(Base("sm_90", "H200 SXM", 132), 228 * kKi, 227 * kKi), 60 * kMi, 4800,
                  4300, 67, 34, 1.98);
}

Gpu B200() {
  return SetSpeed(SetShared(Base("sm_100", "B200", 148), 228 * kKi, 227 * kKi), 126 * kMi, 8000,
                  7000, 75, 37, 1.965);
}

Gpu AmdBase(const char* arch, const char* model, int units, int warp) {
  Gpu device = SetShared(Base(arch, model, units), 64 * kKi, 64 * kKi);
  device.warp = warp;
  device.blocks_per_sm = 16;
  device.registers_per_thread = 256;
  device.registers_per_sm = 128 * 1024;
  device.register_unit = 8 * warp;
  device.shared_per_block = 64 * kKi;
  device.shared_reserved = 0;
  device.shared_unit = 512;
  return device;
}

Gpu Mi100() {
  Gpu device = AmdBase("gfx908", "Instinct MI100", 120, 64);
  device.registers_per_sm = 64 * 1024;
  device.register_unit = 4 * 64;
  return SetSpeed(device, 8 * kMi, 1229, 1000, 23.1, 11.5, 1.502);
}

Gpu Mi250x() {
  return SetSpeed(AmdBase("gfx90a", "Instinct MI250X, one of its two dies", 110, 64), 8 * kMi, 1638,
                  1350, 23.9, 23.9, 1.7);
}

Gpu Mi300x() {
  return SetSpeed(AmdBase("gfx942", "Instinct MI300X", 304, 64), 32 * kMi, 5300, 4000, 81.7, 81.7,
                  2.1);
}

Gpu Rx6900Xt() {
  Gpu device = AmdBase("gfx1030", "Radeon RX 6900 XT", 40, 32);
  device.shared_per_sm = 128 * kKi;
  return SetSpeed(device, 4 * kMi, 512, 430, 23.0, 1.44, 2.25);
}

Gpu Rx7900Xtx() {
  Gpu device = AmdBase("gfx1100", "Radeon RX 7900 XTX", 48, 32);
  device.shared_per_sm = 128 * kKi;
  device.registers_per_sm = 192 * 1024;
  device.register_unit = 24 * 32;
  return SetSpeed(device, 6 * kMi, 960, 800, 30.7, 0.96, 2.5);
}

// Limits and peaks are the vendor's. The achieved bandwidth of the H200 is measured; the others'
// are round numbers about which large copies and STREAM are known to reach. No measurement has
// checked any of AMD's; single precision is that of instructions for one value, not for pairs of
// them. What stencils reach in single precision on the K20c and the Titan X is that of the 27-point
// one in [S] 3.7.1 (Rawat, *Optimization of Stencil Computations on GPUs*, Ohio State 2018); in
// double precision, half of it and nearly the peak.
const std::array<Gpu, 15>& Gpus() {
  static const std::array devices = {K20c(),  P100(),    TitanXPascal(), V100(),     T4(),
                                     A100(),  Rtx3090(), Rtx4090(),      H200(),     B200(),
                                     Mi100(), Mi250x(),  Mi300x(),       Rx6900Xt(), Rx7900Xtx()};
  return devices;
}

}  // namespace

const Gpu* FindGpu(std::string_view arch) {
  if (LanguageOf(arch) == GpuLanguage::Cuda && !arch.empty() &&
      (arch.back() == 'a' || arch.back() == 'f')) {
    arch.remove_suffix(1);
  }
  for (const Gpu& device : Gpus()) {
    if (device.arch == arch) return &device;
  }
  return nullptr;
}

const Gpu& DefaultGpu(GpuLanguage language) {
  const Gpu* device = FindGpu(language == GpuLanguage::Hip ? "gfx90a" : "sm_90");
  STENCILGEN_CHECK(device != nullptr);
  return *device;
}

GpuLanguage LanguageOf(std::string_view arch) {
  return arch.substr(0, 3) == "gfx" ? GpuLanguage::Hip : GpuLanguage::Cuda;
}

int WarpOf(std::string_view arch) {
  if (const Gpu* device = FindGpu(arch)) return device->warp;
  if (LanguageOf(arch) == GpuLanguage::Cuda) return 32;
  // gfx9 and before: 64; gfx10 and later: 32 by default.
  return arch.size() > 6 ? 32 : 64;
}

}  // namespace stencilgen::machine
