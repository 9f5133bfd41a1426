// The library as a whole: its files can be imported together and are free of mistakes.
#include "LibraryFixture.h"

#include <filesystem>
#include <fstream>
#include <set>

using namespace idc::frontend;
using namespace idc::frontend::test;

TEST(Library, EveryFileChecksAndAllCanBeImportedTogether) {
  std::string all;
  int count = 0;
  for (const auto &file : std::filesystem::directory_iterator(IDC_STDLIB_DIR)) {
    if (file.path().extension() != ".id")
      continue;
    Diagnostics diagnostics;
    auto source = parseFile(file.path(), {IDC_STDLIB_DIR}, diagnostics);
    EXPECT_TRUE(source && check(*source, diagnostics)) << diagnostics.str();
    all += "import \"" + file.path().filename().string() + "\";\n";
    ++count;
  }
  EXPECT_GE(count, 12);
  all += "algorithm f<T = f32>(x: complex<T>[y: 2^m][x: 2^n]) -> complex<T>[1] {"
         "  return x |> fft2d |> inclusive_scan |> bit_reverse |> sum;"
         "}";
  auto program = fromText(all, "f", {{"m", 2}, {"n", 3}});
  EXPECT_TRUE(program->program.has_value()) << program->messages();
}

namespace {

struct Entry {
  const char *file, *name;
  std::vector<const char *> sizes, variables;
  std::vector<std::string> types, unsuitable;
};

const std::vector<std::string> floating = {"f16", "bf16", "f32", "f64"};
const std::vector<std::string> ordered = {"f16", "bf16", "f32", "f64", "i32", "i64", "u32", "u64"};
const std::vector<std::string> numbers = {"f16", "f32", "f64", "i32", "i64", "u32", "u64", "complex<f32>", "mod<97>"};
const std::vector<std::string> anything = {"bool", "f32", "i64", "complex<f64>", "mod<97>"};
const std::vector<std::string> unordered = {"complex<f32>", "mod<97>"};
const std::vector<std::string> fields = {"mod<97>", "mod<998244353>", "complex<f32>", "complex<f64>"};
const std::vector<std::string> divisible = {"f32", "f64", "complex<f32>", "complex<f64>"};
const std::vector<std::string> exact = {"i32", "u64", "mod<97>", "bool"};

const Entry entries[] = {
    {"fft.id", "fft", {"n"}, {"T"}, floating, exact},
    {"fft.id", "ifft", {"n"}, {"T"}, floating, exact},
    {"fft.id", "fft_ct", {"n"}, {"T"}, floating, exact},
    {"fft.id", "fft_dif", {"n"}, {"T"}, floating, exact},
    {"fft.id", "ifft_dit", {"n"}, {"T"}, floating, exact},
    {"fft.id", "convolve", {"n"}, {"T"}, floating, exact},
    {"fft.id", "fft_radix4", {"m"}, {"T"}, floating, exact},
    {"fft.id", "fft2d", {"m", "n"}, {"T"}, floating, exact},
    {"fft.id", "ifft2d", {"m", "n"}, {"T"}, floating, exact},
    {"fft.id", "fft3d", {"l", "m", "n"}, {"T"}, floating, exact},
    {"fft.id", "ifft3d", {"l", "m", "n"}, {"T"}, floating, exact},
    {"hadamard.id", "hadamard", {"n"}, {"T"}, numbers, {}},
    {"ntt.id", "ntt", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"ntt.id", "intt", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"ntt.id", "ntt_dif", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"ntt.id", "intt_dit", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"ntt.id", "cyclic_convolution", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"ntt.id", "negacyclic_convolution", {"n"}, {"T"}, fields, {"f32", "i32"}},
    {"sort.id", "bitonic_sort", {"n"}, {"T"}, ordered, unordered},
    {"sort.id", "bitonic_sort_descending", {"n"}, {"T"}, ordered, unordered},
    {"sort.id", "sort_by_key", {"n"}, {"K", "V"}, ordered, unordered},
    {"reduce.id", "sum", {"n"}, {"T"}, numbers, {"bool"}},
    {"reduce.id", "maximum", {"n"}, {"T"}, ordered, unordered},
    {"reduce.id", "minimum", {"n"}, {"T"}, ordered, unordered},
    {"reduce.id", "argmax", {"n"}, {"T"}, ordered, unordered},
    {"reduce.id", "argmin", {"n"}, {"T"}, ordered, unordered},
    {"reduce.id", "dot", {"n"}, {"T"}, numbers, {"bool"}},
    {"scan.id", "exclusive_scan", {"n"}, {"T"}, numbers, {"bool"}},
    {"scan.id", "inclusive_scan", {"n"}, {"T"}, numbers, {"bool"}},
    {"scan.id", "inclusive_max_scan", {"n"}, {"T"}, ordered, unordered},
    {"scan.id", "exclusive_max_scan", {"n"}, {"T"}, ordered, unordered},
    {"scan.id", "segmented_scan", {"n"}, {"T"}, numbers, {"bool"}},
    {"scan.id", "segmented_exclusive_scan", {"n"}, {"T"}, numbers, {"bool"}},
    {"recurrence.id", "linear_recurrence", {"n"}, {"T"}, numbers, {"bool"}},
    {"haar.id", "haar", {"n"}, {"T"}, floating, exact},
    {"haar.id", "ihaar", {"n"}, {"T"}, floating, exact},
    {"haar.id", "haar2d", {"m", "n"}, {"T"}, floating, exact},
    {"haar.id", "ihaar2d", {"m", "n"}, {"T"}, floating, exact},
    {"transpose.id", "transpose", {"m", "n"}, {"T"}, anything, {}},
    {"transpose.id", "rotate", {"l", "m", "n"}, {"T"}, anything, {}},
    {"bit_reverse.id", "bit_reverse", {"n"}, {"T"}, anything, {}},
    {"tridiagonal.id", "tridiagonal", {"n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "periodic_tridiagonal", {"n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "tridiagonal_columns", {"m", "n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "tridiagonal_shared", {"m", "n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "tridiagonal_checked", {"n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "periodic_tridiagonal_checked", {"n"}, {"T"}, divisible, exact},
    {"tridiagonal.id", "wang_mou", {"n"}, {"T"}, divisible, exact},
};

std::unique_ptr<Elaborated> elaborateEntry(const Entry &entry, int64_t size, const std::string &type) {
  SizeMap sizes;
  TypeMap types;
  for (const char *name : entry.sizes)
    sizes[name] = size;
  for (const char *name : entry.variables)
    types[name] = type;
  return fromFile(entry.file, entry.name, sizes, types);
}

} // namespace

TEST(Library, EveryEntryTakesTheTypesOfItsContract) {
  for (const Entry &entry : entries) {
    for (const std::string &type : entry.types)
      for (int64_t size : {0, 1, 3}) {
        auto program = elaborateEntry(entry, size, type);
        EXPECT_TRUE(program->program) << entry.name << " of " << type << ": " << program->messages();
      }
    for (const std::string &type : entry.unsuitable)
      EXPECT_FALSE(elaborateEntry(entry, 3, type)->program) << entry.name << " of " << type;
  }
}

TEST(Library, EveryDocumentedAlgorithmIsTested) {
  std::set<std::string> tested, documented;
  for (const Entry &entry : entries)
    tested.insert(std::string(entry.file) + " " + entry.name);
  for (const auto &file : std::filesystem::directory_iterator(IDC_STDLIB_DIR)) {
    if (file.path().extension() != ".id")
      continue;
    std::ifstream text(file.path());
    const std::string keyword = "algorithm ";
    std::string line, before;
    for (; std::getline(text, line); before = line)
      if (line.compare(0, keyword.size(), keyword) == 0 && before.compare(0, 3, "///") == 0)
        documented.insert(file.path().filename().string() + " " +
                          line.substr(keyword.size(), line.find_first_of("<(") - keyword.size()));
  }
  EXPECT_EQ(tested, documented);
}
