#include "idc/compiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

using Request = std::unique_ptr<idc_request, void (*)(idc_request *)>;
using Result = std::unique_ptr<idc_result, void (*)(idc_result *)>;
using Module = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;

Request newRequest() {
  idc_request *request = nullptr;
  EXPECT_EQ(idc_request_create(&request), IDC_SUCCESS);
  return Request(request, idc_request_destroy);
}

Request requestOf(const std::string &text, const std::vector<std::string> &settings = {}) {
  Request request = newRequest();
  EXPECT_EQ(idc_request_text(request.get(), text.data(), text.size(), "mine.id"), IDC_SUCCESS);
  for (const std::string &setting : settings)
    EXPECT_EQ(idc_request_set(request.get(), setting.c_str()), IDC_SUCCESS);
  return request;
}

Result compile(const Request &request, idc_status expected = IDC_SUCCESS) {
  idc_result *result = nullptr;
  EXPECT_EQ(idc_compile(request.get(), &result), expected);
  return Result(result, idc_result_destroy);
}

Module load(const Result &result) {
  idc_module *module = nullptr;
  EXPECT_EQ(idc_result_load(result.get(), &module), IDC_SUCCESS) << idc_last_error();
  return Module(module, idc_module_unload);
}

std::vector<double> run(const Result &result, const std::vector<double> &x, size_t results, int64_t batch = 1) {
  Module module = load(result);
  int64_t bytes = 0;
  EXPECT_EQ(idc_workspace_size(module.get(), batch, &bytes), IDC_SUCCESS);
  std::vector<double> y(results), workspace(static_cast<size_t>(bytes) / sizeof(double) + 2);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  EXPECT_EQ(idc_launch(module.get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr), IDC_SUCCESS)
      << idc_last_error();
  return y;
}

/// What is wrong, as the first diagnostic says it.
idc_diagnostic firstError(const Result &result) {
  idc_diagnostic diagnostic{};
  EXPECT_GT(idc_result_diagnostic_count(result.get()), 0);
  EXPECT_EQ(idc_result_diagnostic(result.get(), 0, &diagnostic), IDC_SUCCESS);
  return diagnostic;
}

const char *doubling = "func twice<T>(x: T) -> T { return x + x; }\n"
                       "/// Twice every element.\n"
                       "algorithm doubled<T = f64>(x: T[2^n]) -> T[2^n] { return x |> twice; }\n";

/// A cache of its own for each test. The environment is read once in a process: the folder stays, its contents go.
class CompilerLibrary : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "idc-library-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    setenv("IDC_CACHE", (folder / "cache").c_str(), 1);
  }
  static void TearDownTestSuite() { fs::remove_all(folder); }
  void TearDown() override { fs::remove_all(folder / "cache"); }

  static std::vector<fs::path> entries() {
    std::vector<fs::path> paths;
    if (fs::exists(folder / "cache"))
      for (const auto &entry : fs::directory_iterator(folder / "cache"))
        if (entry.path().filename().string().rfind("llvmcache-", 0) == 0)
          paths.push_back(entry.path());
    return paths;
  }

  static void write(const fs::path &path, const std::string &text) { std::ofstream(path) << text; }

  static fs::path folder;
};
fs::path CompilerLibrary::folder;

TEST_F(CompilerLibrary, CompilesAndRunsText) {
  Result result = compile(requestOf(doubling, {"n=2"}));
  EXPECT_EQ(run(result, {1, 2, 3, 4}, 4), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(idc_result_diagnostic_count(result.get()), 0);
  EXPECT_EQ(idc_result_image(result.get(), nullptr), nullptr);
  size_t bytes = 0;
  const char *manifest = idc_result_manifest(result.get(), &bytes);
  EXPECT_EQ(std::string(manifest).size(), bytes);
  EXPECT_STREQ(
      idc_result_signature(result.get()),
      R"({"entry":"doubled","inputs":[{"name":"x","shape":[4],"type":"f64"}],)"
      R"("outputs":[{"name":"y0","shape":[4],"type":"f64"}],"scalars":[],"sizes":{"n":2},"types":{"T":"f64"}})");
}

TEST_F(CompilerLibrary, CompilesTheStandardLibrary) {
  Request request = newRequest();
  idc_request_file(request.get(), "fft.id");
  idc_request_entry(request.get(), "fft_any");
  idc_request_set(request.get(), "N=6");
  idc_request_set(request.get(), "T=f64");
  std::vector<double> x(12);
  x[2] = 1; // the second value is 1: the result are roots of unity
  std::vector<double> y = run(compile(request), x, 12);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(y[static_cast<size_t>(2 * k)], std::cos(M_PI * k / 3), 1e-15);
    EXPECT_NEAR(y[static_cast<size_t>(2 * k + 1)], -std::sin(M_PI * k / 3), 1e-15);
  }
}

TEST_F(CompilerLibrary, TakesLayoutsAndPlans) {
  Request request = requestOf(doubling, {"n=2"});
  idc_request_layout(request.get(), "x=stride:2");
  idc_request_plan(request.get(), "latency");
  idc_request_in_place(request.get(), 0);
  EXPECT_EQ(run(compile(request), {1, 9, 2, 9, 3, 9, 4, 9}, 4), (std::vector<double>{2, 4, 6, 8}));
}

TEST_F(CompilerLibrary, InPlaceResultsMayLieOnArguments) {
  Request request = requestOf(doubling, {"n=2"});
  idc_request_in_place(request.get(), 1);
  Result result = compile(request);
  EXPECT_EQ(idc_in_place(load(result).get(), 0, 0), 1);
}

TEST_F(CompilerLibrary, MakesImagesForGpus) {
  Request request = requestOf(doubling, {"n=10"});
  idc_request_target(request.get(), "sm_90");
  Result result = compile(request);
  size_t bytes = 0;
  const void *image = idc_result_image(result.get(), &bytes);
  ASSERT_NE(image, nullptr);
  EXPECT_GT(bytes, 100u);
  EXPECT_NE(std::string(idc_result_manifest(result.get(), nullptr)).find("sm_90"), std::string::npos);
  idc_module *module = nullptr;
  idc_status status = idc_result_load(result.get(), &module); // whether there is a GPU or not
  EXPECT_EQ(status == IDC_SUCCESS, module != nullptr);
  idc_module_unload(module);
  EXPECT_NE(std::string(idc_targets()).find("sm_90"), std::string::npos);
  EXPECT_STREQ(idc_target_for(9, 0), "sm_90");
  EXPECT_STREQ(idc_target_for(8, 1), "sm_80");
  EXPECT_EQ(idc_target_for(1, 0), nullptr);
}

TEST_F(CompilerLibrary, SaysWhatIsWrongAndWhere) {
  Result result =
      compile(requestOf("algorithm f(x: f64[2^n]) -> f64[2^n] {\n  return x |> unnamed;\n}\n"), IDC_ERROR_PROGRAM);
  idc_diagnostic error = firstError(result);
  EXPECT_EQ(error.severity, IDC_SEVERITY_ERROR);
  EXPECT_STREQ(error.file, "mine.id");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 15);
  EXPECT_STREQ(error.text, "unknown function 'unnamed'");
  EXPECT_STREQ(error.rendered, "mine.id:2:15: error: unknown function 'unnamed'\n"
                               "  return x |> unnamed;\n"
                               "              ^~~~~~~\n");
  idc_module *module = nullptr;
  EXPECT_EQ(idc_result_load(result.get(), &module), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_result_manifest(result.get(), nullptr), nullptr);
  EXPECT_EQ(idc_result_diagnostic(result.get(), 1, &error), IDC_ERROR_INVALID_ARGUMENT);
}

TEST_F(CompilerLibrary, ErrorsWithoutAPlaceAreDiagnosticsToo) {
  auto message = [](const Request &request) {
    Result result = compile(request, IDC_ERROR_PROGRAM);
    idc_diagnostic error = firstError(result);
    EXPECT_STREQ(error.file, "");
    EXPECT_EQ(error.line, 0);
    EXPECT_EQ(std::string(error.rendered), "error: " + std::string(error.text) + "\n");
    return std::string(error.text);
  };
  Request request = requestOf(doubling, {"n=2"});
  idc_request_target(request.get(), "sm_1");
  EXPECT_NE(message(request).find("sm_1"), std::string::npos);
  EXPECT_NE(message(requestOf(doubling, {"n"})).find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(message(requestOf(doubling, {"n=2", "n=3"})).find("given twice"), std::string::npos);
  EXPECT_NE(message(requestOf(doubling, {"n=99999999999999999999"})).find("no integer of 64 bits"), std::string::npos);
  request = requestOf(doubling, {"n=2"});
  idc_request_plan(request.get(), "slow");
  EXPECT_NE(message(request).find("unknown plan 'slow'"), std::string::npos);
  request = newRequest();
  EXPECT_NE(message(request).find("neither a file nor a text"), std::string::npos);
  idc_request_file(request.get(), "/nowhere/at/all.id");
  EXPECT_NE(message(request).find("/nowhere/at/all.id"), std::string::npos);
  request = requestOf(doubling, {"n=2"});
  idc_request_layout(request.get(), "z=stride:2");
  EXPECT_NE(message(request).find("z"), std::string::npos);
}

TEST_F(CompilerLibrary, WrongSettingsAreDiagnosed) {
  EXPECT_NE(std::string(firstError(compile(requestOf(doubling), IDC_ERROR_PROGRAM)).rendered), "");
  Result result = compile(requestOf(doubling, {"n=2", "m=3"}), IDC_ERROR_PROGRAM);
  EXPECT_NE(std::string(firstError(result).text).find("m"), std::string::npos);
}

TEST_F(CompilerLibrary, NullPointersAreRefused) {
  idc_result *result = nullptr;
  EXPECT_EQ(idc_request_create(nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_compile(nullptr, &result), IDC_ERROR_INVALID_ARGUMENT);
  Request request = newRequest();
  EXPECT_EQ(idc_compile(request.get(), nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_request_file(request.get(), nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_request_text(request.get(), "", 0, nullptr), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_request_set(nullptr, "n=1"), IDC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(idc_result_diagnostic_count(nullptr), 0);
  idc_request_destroy(nullptr);
  idc_result_destroy(nullptr);
}

TEST_F(CompilerLibrary, DescribesAlgorithms) {
  Request request = requestOf("const Half = 2;\n" + std::string(doubling) +
                              "algorithm other<T, m: int = 3>(x: T[a: N / Half + 1][2^m], s: T) -> (T[N], T[1]) {\n"
                              "  return (x |> crop(N), x |> crop(1));\n}\n");
  idc_result *described = nullptr;
  ASSERT_EQ(idc_describe(request.get(), &described), IDC_SUCCESS);
  Result result(described, idc_result_destroy);
  EXPECT_STREQ(
      idc_result_description(described),
      R"([{"doc":"Twice every element.","generics":[{"default":"f64","kind":"type","name":"T"}],"name":"doubled",)"
      R"("parameters":[{"dimensions":[["^",2,"n"]],"element":"T","name":"x","text":"T[2^n]"}],)"
      R"("results":[{"dimensions":[["^",2,"n"]],"element":"T","name":"y0","text":"T[2^n]"}]},)"
      R"({"doc":"","generics":[{"default":null,"kind":"type","name":"T"},{"default":"3","kind":"int","name":"m"}],)"
      R"("name":"other","parameters":[)"
      R"({"dimensions":[["+",["/","N",2],1],["^",2,"m"]],"element":"T","name":"x","text":"T[a: N / Half + 1][2^m]"},)"
      R"({"dimensions":[],"element":"T","name":"s","text":"T"}],"results":[)"
      R"({"dimensions":["N"],"element":"T","name":"y0","text":"T[N]"},)"
      R"({"dimensions":[1],"element":"T","name":"y1","text":"T[1]"}]}])");
  Request wrong = requestOf("algorithm");
  ASSERT_EQ(idc_describe(wrong.get(), &described), IDC_ERROR_PROGRAM);
  EXPECT_EQ(idc_result_description(described), nullptr);
  idc_result_destroy(described);
}

TEST_F(CompilerLibrary, TheAdjointIsAProgram) {
  Request request = requestOf("func square<T>(x: T) -> T { return x * x; }\n"
                              "algorithm squares<T = f64>(x: T[2^n], k: i32[2^n]) -> T[2^n] { return x |> square; }\n",
                              {"n=2"});
  idc_result *derived = nullptr;
  ASSERT_EQ(idc_adjoint(request.get(), nullptr, &derived), IDC_SUCCESS);
  Result adjoint(derived, idc_result_destroy);
  ASSERT_NE(idc_result_adjoint(derived), nullptr);
  EXPECT_EQ(idc_result_manifest(derived, nullptr), nullptr);
  Result compiled = compile(requestOf(idc_result_adjoint(derived)));
  EXPECT_STREQ(idc_result_signature(compiled.get()),
               R"({"entry":"squares_adjoint","inputs":[{"name":"x","shape":[4],"type":"f64"},)"
               R"({"name":"d_y0","shape":[4],"type":"f64"}],)"
               R"("outputs":[{"name":"y0","shape":[4],"type":"f64"}],"scalars":[],"sizes":{},"types":{}})");

  ASSERT_EQ(idc_adjoint(request.get(), " x ", &derived), IDC_SUCCESS);
  idc_result_destroy(derived);
  ASSERT_EQ(idc_adjoint(request.get(), "k", &derived), IDC_ERROR_PROGRAM);
  idc_diagnostic diagnostic;
  ASSERT_EQ(idc_result_diagnostic(derived, 0, &diagnostic), IDC_SUCCESS);
  EXPECT_STREQ(diagnostic.text, "there is no gradient with respect to 'k': i32 has no derivatives: they are those of "
                                "f16, bf16, f32, f64 and complex numbers");
  EXPECT_EQ(diagnostic.line, 2);
  EXPECT_EQ(idc_result_adjoint(derived), nullptr);
  idc_result_destroy(derived);
  EXPECT_EQ(idc_adjoint(nullptr, nullptr, &derived), IDC_ERROR_INVALID_ARGUMENT);
}

TEST_F(CompilerLibrary, ExplanationsAreTextAndPictures) {
  idc_result *explained = nullptr;
  ASSERT_EQ(idc_explain(requestOf(doubling, {"n=3"}).get(), &explained), IDC_SUCCESS);
  const std::string json = idc_result_explanation(explained);
  for (const char *part : {R"("text":"doubled_n3)", R"("digits":"<svg)", R"("kernels":"<svg)",
                           R"("circuit":"<svg)"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json.substr(0, 400);
  EXPECT_EQ(idc_result_manifest(explained, nullptr), nullptr);
  idc_result_destroy(explained);
  ASSERT_EQ(idc_explain(requestOf(doubling).get(), &explained), IDC_ERROR_PROGRAM); // n is not set
  EXPECT_EQ(idc_result_diagnostic_count(explained), 1);
  EXPECT_EQ(idc_result_explanation(explained), nullptr);
  idc_result_destroy(explained);
  EXPECT_EQ(idc_explain(nullptr, &explained), IDC_ERROR_INVALID_ARGUMENT);
}

TEST_F(CompilerLibrary, TheSecondIdenticalRequestIsFound) {
  Request request = requestOf(doubling, {"n=3"});
  EXPECT_EQ(idc_result_origin(compile(request).get()), IDC_ORIGIN_COMPILED);
  Result second = compile(request);
  EXPECT_EQ(idc_result_origin(second.get()), IDC_ORIGIN_MEMORY);
  EXPECT_EQ(idc_result_origin(compile(requestOf(doubling, {"n=4"})).get()), IDC_ORIGIN_COMPILED);
  EXPECT_EQ(run(second, {1, 2, 3, 4, 5, 6, 7, 8}, 8)[7], 16);
}

TEST_F(CompilerLibrary, AChangedFileIsCompiledAgain) {
  write(folder / "other.id", "func some<T>(x: T) -> T { return x + x; }\n");
  write(folder / "main.id", "import \"other.id\";\nalgorithm f(x: f64[2^n]) -> f64[2^n] { return x |> some; }\n");
  Request request = newRequest();
  idc_request_file(request.get(), (folder / "main.id").c_str());
  idc_request_set(request.get(), "n=1");
  EXPECT_EQ(run(compile(request), {1, 2}, 2), (std::vector<double>{2, 4}));
  write(folder / "other.id", "func some<T>(x: T) -> T { return x + x + x; }\n");
  Result changed = compile(request);
  EXPECT_EQ(idc_result_origin(changed.get()), IDC_ORIGIN_COMPILED);
  EXPECT_EQ(run(changed, {1, 2}, 2), (std::vector<double>{3, 6}));
}

TEST_F(CompilerLibrary, AFileThatAppearsBeforeAnImportTakesItsPlace) {
  fs::create_directories(folder / "later");
  write(folder / "later" / "part.id", "func part<T>(x: T) -> T { return x + x; }\n");
  write(folder / "uses.id", "import \"part.id\";\nalgorithm f(x: f64[2^n]) -> f64[2^n] { return x |> part; }\n");
  Request request = newRequest();
  idc_request_file(request.get(), (folder / "uses.id").c_str());
  idc_request_folder(request.get(), (folder / "later").c_str());
  idc_request_set(request.get(), "n=1");
  EXPECT_EQ(run(compile(request), {1, 2}, 2), (std::vector<double>{2, 4}));
  write(folder / "part.id", "func part<T>(x: T) -> T { return x; }\n");
  EXPECT_EQ(run(compile(request), {1, 2}, 2), (std::vector<double>{1, 2}));
}

/// What another process does: `n` is one that this one has not compiled, but for the child.
idc_origin originInChild(const Request &request) {
  pid_t child = fork();
  if (child == 0) {
    idc_result *result = nullptr;
    idc_status status = idc_compile(request.get(), &result);
    idc_module *module = nullptr;
    if (status == IDC_SUCCESS)
      status = idc_result_load(result, &module);
    _exit(status == IDC_SUCCESS ? idc_result_origin(result) : 100);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return static_cast<idc_origin>(WEXITSTATUS(status));
}

TEST_F(CompilerLibrary, OtherProcessesFindItOnDisk) {
  Request request = requestOf(doubling, {"n=5"});
  EXPECT_EQ(originInChild(request), IDC_ORIGIN_COMPILED);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(originInChild(request), IDC_ORIGIN_DISK);
}

TEST_F(CompilerLibrary, DamagedEntriesAreReplaced) {
  Request request = requestOf(doubling, {"n=6"});
  EXPECT_EQ(originInChild(request), IDC_ORIGIN_COMPILED);
  std::vector<fs::path> paths = entries();
  ASSERT_EQ(paths.size(), 2u);
  for (const fs::path &path : paths)
    for (int part = 0; part < 4; ++part) {
      std::ifstream in(path, std::ios::binary);
      std::string content((std::istreambuf_iterator<char>(in)), {});
      in.close();
      size_t at = content.size() * static_cast<size_t>(part) / 4;
      if (part == 3)
        content.resize(content.size() / 2);
      else
        content[at] = static_cast<char>(content[at] ^ 1);
      write(path, content);
      EXPECT_EQ(originInChild(request), IDC_ORIGIN_COMPILED) << path << " " << part;
      EXPECT_EQ(originInChild(request), IDC_ORIGIN_DISK) << path << " " << part;
    }
}

TEST_F(CompilerLibrary, ACacheThatCannotBeWrittenIsNoError) {
  write(folder / "cache", "a file where the folder should be\n");
  Request request = requestOf(doubling, {"n=7"});
  EXPECT_EQ(originInChild(request), IDC_ORIGIN_COMPILED);
  EXPECT_EQ(originInChild(request), IDC_ORIGIN_COMPILED);
  fs::remove(folder / "cache");
  fs::create_directories(folder / "cache");
  fs::permissions(folder / "cache", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(idc_result_origin(compile(request).get()), IDC_ORIGIN_COMPILED);
  fs::permissions(folder / "cache", fs::perms::owner_all);
}

TEST_F(CompilerLibrary, SixteenThreadsCompileAndRunAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([t] {
      for (int n : {1 + t % 4, 5}) { // some requests are those of other threads
        Request request = requestOf(doubling, {"n=" + std::to_string(n), "T=f64"});
        if (t % 5 == 0)
          idc_request_plan(request.get(), "latency");
        Result result = compile(request);
        const size_t values = size_t(1) << n;
        std::vector<double> x(3 * values);
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = static_cast<double>(i) + t;
        for (int repetition = 0; repetition < 20; ++repetition) {
          std::vector<double> y = run(result, x, x.size(), 3);
          for (size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(y[i], 2 * x[i]);
        }
        compile(requestOf("algorithm f(x: f64[2^n]) -> f64[2^n] { return y; }"), IDC_ERROR_PROGRAM);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CompilerLibrary, NothingIsWrittenToStandardError) {
  testing::internal::CaptureStderr();
  compile(requestOf("algorithm f(x: f64[2^n]) -> f64[2^n] { return y; }"), IDC_ERROR_PROGRAM);
  Request request = requestOf(doubling, {"n=62"}); // too large to launch, which passes find
  compile(request, IDC_ERROR_PROGRAM);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
