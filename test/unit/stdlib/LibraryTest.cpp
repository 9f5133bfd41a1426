// The library as a whole: its files can be imported together and are free of mistakes.
#include "LibraryFixture.h"
#include "Programs.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

using namespace idc::frontend;
using namespace idc::frontend::test;
using idc::test::LibraryProgram;
using idc::test::libraryPrograms;

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

static std::unique_ptr<Elaborated> elaborate(const LibraryProgram &program, int64_t size, const std::string &type) {
  return fromFile(program.file, program.name, program.everySize(size), program.typesFor(type));
}

TEST(Library, EveryProgramTakesTheTypesOfItsContract) {
  for (const LibraryProgram &program : libraryPrograms()) {
    EXPECT_FALSE(program.types.empty()) << program.name;
    for (const std::string &type : program.types)
      for (int64_t size : {0, 1, 3}) {
        auto elaborated = elaborate(program, size, type);
        EXPECT_TRUE(elaborated->program) << program.name << " of " << type << ": " << elaborated->messages();
      }
    for (const std::string &type : program.unsuitable)
      EXPECT_FALSE(elaborate(program, 3, type)->program) << program.name << " of " << type;
  }
}

TEST(Library, EveryDocumentedAlgorithmIsTested) {
  std::set<std::string> tested, documented;
  for (const LibraryProgram &program : libraryPrograms())
    tested.insert(program.file + " " + program.name);
  // Programs with parameters in <..> run against NumPy: yield "file", "entry", …
  std::ifstream cases(std::filesystem::path(IDC_STDLIB_DIR).parent_path() / "test/e2e/library-programs.py");
  const std::regex yields("yield \"(\\w+)\", \"(\\w+)\"");
  std::smatch found;
  for (std::string line; std::getline(cases, line);)
    if (std::regex_search(line, found, yields))
      tested.insert(found[1].str() + ".id " + found[2].str());
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
