//===- NpyTest.cpp - NumPy array files ------------------------------------===//

#include "npy/Npy.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace idc::npy;

namespace {

std::string filePath() {
  return ::testing::TempDir() + "idc-" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".npy";
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file with this header dictionary and this data, of version 1 unless told.
std::string makeFile(const std::string &header, const std::string &data, char version = 1) {
  std::string path = filePath();
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << version << '\0' << char(header.size()) << char(header.size() >> 8);
  if (version == 2)
    file << '\0' << '\0';
  file << header << data;
  return path;
}

std::string errorOf(const std::string &path) {
  try {
    read(path);
  } catch (const Error &error) {
    std::string message = error.what();
    size_t at = message.find(path);
    return at == std::string::npos ? message : message.replace(at, path.size(), "F");
  }
  return "no error";
}

TEST(Npy, RoundTripsEveryTypeAndShape) {
  for (DType type :
       {DType::B1, DType::I4, DType::I8, DType::U4, DType::U8, DType::F2, DType::F4, DType::F8, DType::C8, DType::C16})
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{}, {1}, {7}, {2, 3}, {0, 5}, {2, 1, 3, 4}}) {
      Array array{type, shape, {}};
      for (int64_t i = 0; i < array.elements() * size(type); ++i)
        array.data.push_back(char(i * 37 + 1));
      write(filePath(), array);
      Array copy = read(filePath());
      EXPECT_EQ(copy.type, type);
      EXPECT_EQ(copy.shape, shape);
      EXPECT_EQ(copy.data, array.data);
    }
}

TEST(Npy, WritesWhatNumpyWrites) {
  Array array{DType::F4, {3}, std::vector<char>(12)};
  write(filePath(), array);
  std::string expected =
      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  expected.resize(127, ' ');
  EXPECT_EQ(contents(filePath()), expected + "\n" + std::string(12, '\0'));
}

TEST(Npy, ReadsBothVersionsAndSpellings) {
  for (char version : {char(1), char(2)}) {
    Array array = read(makeFile("{\"shape\": (2, 1), 'fortran_order':False,'descr': '<i4'}\n", "abcdefgh", version));
    EXPECT_EQ(array.type, DType::I4);
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(std::string(array.data.begin(), array.data.end()), "abcdefgh");
  }
  EXPECT_EQ(read(makeFile("{'descr': '|b1', 'fortran_order': True, 'shape': (2,), }\n", "ab")).type, DType::B1);
}

TEST(Npy, ErrorsNameTheFileAndTheCause) {
  const std::string data(64, '\0');
  EXPECT_EQ(errorOf("/does/not/exist.npy"), "cannot read 'F': No such file or directory");
  std::ofstream(filePath()) << "text";
  EXPECT_EQ(errorOf(filePath()), "'F' is not a .npy file");
  EXPECT_EQ(errorOf(makeFile("{}", "", 3)), "'F' has .npy version 3; versions 1 and 2 are supported");
  EXPECT_EQ(errorOf(makeFile("{}", data)), "'F' lacks 'descr', 'fortran_order' or 'shape' in its header");
  EXPECT_EQ(errorOf(makeFile("nonsense", data)), "'F' has a malformed header");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2", data)),
            "'F' has a malformed header");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", data)),
            "'F' has a malformed header");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", data)),
            "'F' is in Fortran order; save it with numpy.ascontiguousarray");
  EXPECT_EQ(errorOf(makeFile("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", data)), "'F' is big-endian");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}", data)),
            "'F' has element type '<U3'; supported are b1, i4, i8, u4, u8, f2, f4, f8, c8 and c16");
  EXPECT_EQ(errorOf(makeFile("{'descr': [], 'fortran_order': False, 'shape': (2,)}", data)),
            "'F' has records without fields");
  EXPECT_EQ(errorOf(makeFile("{'descr': [('a', '<f4', (9999,))], 'fortran_order': False, 'shape': (2,)}", data)),
            "'F' has an array of too many elements in a record");
  EXPECT_EQ(errorOf(makeFile("{'descr': [('a', '<U4')], 'fortran_order': False, 'shape': (2,)}", data)),
            "'F' has element type '<U4'; supported are b1, i4, i8, u4, u8, f2, f4, f8, c8 and c16");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': (9,)}", data)),
            "'F' is truncated: 64 bytes of data, 72 expected");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", data)),
            "'F' has a shape that is too large");
}

TEST(Npy, Records) {
  // As numpy.save writes numpy.dtype([('u', '?'), ('r', [('z', 'c8'), ('y', 'f2', (2,))])], align=True).
  const std::string aligned = "[('u', '|b1'), ('', '|V3'), ('r', [('z', '<c8'), ('y', '<f2', (2,))])]";
  Array array =
      read(makeFile("{'descr': " + aligned + ", 'fortran_order': False, 'shape': (2,)}\n", std::string(32, 'x')));
  EXPECT_EQ(array.recordBytes, 16);
  EXPECT_EQ(array.description, aligned);
  ASSERT_EQ(array.fields.size(), 4u);
  EXPECT_EQ(array.fields[1].name, "r.z");
  EXPECT_EQ(array.fields[1].offset, 4);
  EXPECT_EQ(array.fields[3].name, "r.y");
  EXPECT_EQ(array.fields[3].offset, 14);
  write(filePath(), array);
  Array copy = read(filePath());
  EXPECT_EQ(copy.description, aligned);
  EXPECT_EQ(copy.data, array.data);
}

TEST(Npy, ReadsRegularFilesOnly) {
  EXPECT_EQ(errorOf("/dev/zero"), "cannot read 'F': it is no regular file");
  EXPECT_EQ(errorOf(::testing::TempDir()), "cannot read 'F': it is a folder");
}

TEST(Npy, EveryTruncationIsAnError) {
  write(filePath(), {DType::F8, {2}, std::vector<char>(16)});
  std::string whole = contents(filePath());
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(filePath(), std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(errorOf(filePath()), "no error") << length;
  }
}

TEST(Npy, RefusesToWriteWhatDoesNotFit) {
  EXPECT_THROW(write(filePath(), {DType::F4, {3}, std::vector<char>(8)}), std::invalid_argument);
  EXPECT_THROW(write("/dev/full", {DType::F4, {2}, std::vector<char>(8)}), Error);
  EXPECT_THROW(write("/does/not/exist.npy", {DType::F4, {2}, std::vector<char>(8)}), Error);
}

} // namespace
