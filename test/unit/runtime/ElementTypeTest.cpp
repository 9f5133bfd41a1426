//===- ElementTypeTest.cpp - element types of operands --------------------===//

#include "host/ElementType.h"
#include "host/Error.h"

#include <gtest/gtest.h>

using namespace idc::host;
using idc::npy::DType;

namespace {

std::string errorOf(const std::string &name, int64_t bytes) {
  try {
    ElementType::parse(name, bytes);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(ElementType, Scalars) {
  struct {
    const char *name;
    int64_t bytes;
    DType dtype;
    int64_t components;
  } cases[] = {{"bool", 1, DType::B1, 1},
               {"i32", 4, DType::I4, 1},
               {"i64", 8, DType::I8, 1},
               {"u32", 4, DType::U4, 1},
               {"u64", 8, DType::U8, 1},
               {"f16", 2, DType::F2, 1},
               {"bf16", 2, DType::F4, 1},
               {"f32", 4, DType::F4, 1},
               {"f64", 8, DType::F8, 1},
               {"complex<f32>", 8, DType::C8, 1},
               {"complex<f64>", 16, DType::C16, 1},
               {"complex<f16>", 4, DType::F2, 2},
               {"mod<998244353>", 4, DType::U4, 1},
               {"mod<18446744069414584321>", 8, DType::U8, 1}};
  for (const auto &c : cases) {
    ElementType type = ElementType::parse(c.name, c.bytes);
    EXPECT_TRUE(type.uniform()) << c.name;
    EXPECT_EQ(type.dtype(), c.dtype) << c.name;
    EXPECT_EQ(type.components(), c.components) << c.name;
  }
  EXPECT_EQ(ElementType::parse("mod<998244353>", 4).fields[0].modulus, 998244353u);
  EXPECT_EQ(ElementType::parse("mod<18446744069414584321>", 8).fields[0].modulus, 18446744069414584321u);
}

TEST(ElementType, RecordsAndArrays) {
  ElementType record = ElementType::parse("{a: f32, b: f32, c: f32, d: f32}", 16);
  EXPECT_TRUE(record.uniform());
  EXPECT_EQ(record.components(), 4);
  EXPECT_EQ(record.fields[2].offset, 8);
  EXPECT_EQ(ElementType::parse("complex<f32>[3]", 24).components(), 3);

  ElementType mixed = ElementType::parse("{flag: bool, value: f64, rest: {x: i32, y: f16[2]}}", 24);
  EXPECT_FALSE(mixed.uniform());
  ASSERT_EQ(mixed.fields.size(), 5u);
  EXPECT_EQ(mixed.fields[1].offset, 8);
  EXPECT_EQ(mixed.fields[2].offset, 16);
  EXPECT_EQ(mixed.fields[4].offset, 22);
}

TEST(ElementType, Errors) {
  EXPECT_EQ(errorOf("f32", 8), "the element type 'f32' has 4 bytes, but the manifest says 8");
  for (const char *name : {"", "f31", "Eq<f32>", "complex<>", "complex<complex<f32>>", "mod<0>", "mod<x>", "{}", "{a}",
                           "{a: f32", "f32[", "f32[0]", "f32[99999999]", "f32 f32", "mod<99999999999999999999>"})
    EXPECT_EQ(errorOf(name, 4),
              "the element type '" + std::string(name) + "' cannot be read from or written to a file");
  EXPECT_NE(errorOf(std::string(100000, '{'), 4), "no error");
  EXPECT_NE(errorOf("f32[4096][4096]", 4), "no error");
}

} // namespace
