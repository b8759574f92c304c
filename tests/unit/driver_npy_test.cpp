#include <filesystem>
#include <fstream>
#include <random>

#include "driver/files.h"
#include "support/catch.h"
#include "tools/run/npy.h"

using namespace stencilgen;
using namespace stencilgen::driver;

namespace {

/// A version 1 file with this dictionary and payload.
std::string File(std::string header, const std::string& payload) {
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + payload;
}

std::string Write(const TemporaryDirectory& folder, const std::string& bytes) {
  const std::string path = (folder.path() / "a.npy").string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string Refusal(const std::string& bytes, ScalarType type,
                    const std::vector<std::int64_t>& shape) {
  const TemporaryDirectory folder;
  const auto read = ReadNpy(Write(folder, bytes), type, shape);
  const auto* error = std::get_if<UsageError>(&read);
  REQUIRE(error != nullptr);
  return error->message;
}

}  // namespace

TEST_CASE("values of every type survive a round trip") {
  const TemporaryDirectory folder;
  const std::vector<std::int64_t> shape = {2, 3};
  const std::vector<graph::Values> all = {std::vector<std::uint8_t>{0, 1, 1, 0, 1, 0},
                                          std::vector<std::int32_t>{1, -2, 3, 4, 5, 6},
                                          std::vector<float>{0.5F, -1.25F, 3e30F, 0, 1, 2},
                                          std::vector<double>{0.1, 1e-300, -3, 4, 5, 6}};
  for (const graph::Values& values : all) {
    const auto type = static_cast<ScalarType>(values.index());
    const std::string bytes = EncodeNpy(values, shape);
    CHECK(bytes.size() % 64 == (6 * static_cast<std::size_t>(SizeInBytes(type))) % 64);
    const auto read = ReadNpy(Write(folder, bytes), type, shape);
    REQUIRE(std::holds_alternative<graph::Values>(read));
    CHECK(std::get<graph::Values>(read) == values);
  }
}

TEST_CASE("a header as NumPy writes it is read") {
  const auto decoded = DecodeNpyHeader(
      File("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }           ", ""));
  REQUIRE(std::holds_alternative<NpyHeader>(decoded));
  const auto& header = std::get<NpyHeader>(decoded);
  CHECK(header.type == ScalarType::Double);
  CHECK(header.shape == std::vector<std::int64_t>{3, 4});
  CHECK(header.elements == 12);
  std::string version2 = "\x93NUMPY";
  version2 += '\x02';
  const std::string text = "{\"shape\": (5,), 'fortran_order': False, 'descr': '|b1'}";
  version2 += std::string("\x00", 1) + static_cast<char>(text.size()) + std::string(3, '\0') + text;
  const auto second = DecodeNpyHeader(version2);
  REQUIRE(std::holds_alternative<NpyHeader>(second));
  CHECK(std::get<NpyHeader>(second).shape == std::vector<std::int64_t>{5});
  CHECK(std::get<NpyHeader>(second).data_offset == version2.size());
}

TEST_CASE("files that do not fit say why") {
  const std::string payload(6 * 8, '\0');
  const auto file = [&](const std::string& descr, const std::string& order,
                        const std::string& shape) {
    return File(
        "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + "}",
        payload);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::vector<std::int64_t> shape = {2, 3};
  has(Refusal(file("<f8", "True", "(2, 3)"), ScalarType::Double, shape), "Fortran");
  has(Refusal(file(">f8", "False", "(2, 3)"), ScalarType::Double, shape), ">f8");
  has(Refusal(file("<i8", "False", "(2, 3)"), ScalarType::Int, shape), "<i8");
  has(Refusal(file("<f4", "False", "(2, 3)"), ScalarType::Double, shape), "float");
  has(Refusal(file("<f8", "False", "(3, 2)"), ScalarType::Double, shape), "(3, 2)");
  has(Refusal(file("<f8", "False", "(6,)"), ScalarType::Double, shape), "(6,)");
  has(Refusal(file("<f8", "False", "(2, 4)"), ScalarType::Double, {2, 4}), "48 of 64");
  has(Refusal(file("<f8", "False", "(2, 3"), ScalarType::Double, shape), "damaged");
  has(Refusal(file("<f8", "False", "(-2, 3)"), ScalarType::Double, shape), "damaged");
  has(Refusal(file("<f8", "False", "(4294967296, 4294967296)"), ScalarType::Double, shape),
      "damaged");
  has(Refusal("", ScalarType::Double, shape), "no .npy");
  has(Refusal("hello", ScalarType::Double, shape), "no .npy");
  has(Refusal("\x93NUMPY\x07", ScalarType::Double, shape), "no .npy");
  const auto missing = ReadNpy("/nonexistent/a.npy", ScalarType::Double, shape);
  has(std::get<UsageError>(missing).message, "no such file");
  const auto folder = ReadNpy("/", ScalarType::Double, shape);
  has(std::get<UsageError>(folder).message, "no regular file");
}

TEST_CASE("every truncation and a thousand mutations of a file are handled") {
  const graph::Values values = std::vector<double>{1, 2, 3, 4, 5, 6};
  const std::string good = EncodeNpy(values, {2, 3});
  const TemporaryDirectory folder;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto read = ReadNpy(Write(folder, good.substr(0, size)), ScalarType::Double, {2, 3});
    CHECK(std::holds_alternative<UsageError>(read));
  }
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = good;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes; ++i) {
      bytes[random() % 128] = static_cast<char>(random());
    }
    const auto decoded = DecodeNpyHeader(bytes);
    if (std::holds_alternative<UsageError>(decoded)) ++refused;
  }
  CHECK(refused > 500);
}
