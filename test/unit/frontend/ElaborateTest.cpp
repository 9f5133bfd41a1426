// What programs elaborate to: steps, digits, exponents.
#include "FrontendFixture.h"

#include <chrono>

using namespace idc::frontend;
using namespace idc::frontend::test;

TEST(Elaborate, EveryProgramAtSmallSizes) {
  const std::vector<std::pair<std::string, TypeMap>> entries = {
      {"fft", {}},         {"fft_ct", {}}, {"bitonic_sort", {{"T", "i32"}}}, {"exclusive_scan", {{"T", "f32"}}},
      {"tridiagonal", {}}, {"ntt", {}}};
  for (const auto &entry : entries)
    for (int64_t n = 1; n <= 6; ++n) {
      auto result = fromFile("algorithms.id", entry.first, {{"n", n}}, entry.second);
      EXPECT_TRUE(result->program.has_value()) << entry.first << "\n" << result->messages();
    }
}

TEST(Elaborate, StockhamSteps) {
  auto result = fromFile("fft.id", "fft", {{"n", 3}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  const Program &program = *result->program;
  ASSERT_EQ(program.steps.size(), 8u); // the first unshuffle is the identity and no step
  EXPECT_EQ(program.steps[0].kind, Step::Kind::Pointwise);
  EXPECT_EQ(program.steps[1].kind, Step::Kind::Node);
  EXPECT_EQ(program.steps[1].digits, std::vector<int>{3});
  EXPECT_EQ(program.steps[2].permutation.str(), idc::digits::Permutation::unshuffle(3, 3, 2).str());
  const Instr &omega = program.steps[6].body.instrs[0];
  EXPECT_EQ(omega.op, Op::Omega);
  EXPECT_EQ(omega.root, 8);
  ASSERT_TRUE(omega.hasPoly);
  using idc::digits::Polynomial;
  EXPECT_EQ(omega.poly, Polynomial::term(2, {2, 3}) + Polynomial::term(1, {1, 3}));
  EXPECT_EQ(spell(*omega.type), "complex<f32>");
  EXPECT_EQ(program.types, (std::vector<std::pair<std::string, std::string>>{{"T", "f32"}}));
}

TEST(Elaborate, ExponentsAreReduced) {
  const char *text = R"(
    func scale<T>(x: T, w: T) -> T { return x * w; }
    algorithm f<T = f32>(x: complex<T>[2^n]) -> complex<T>[2^n] {
      return x |> scale(omega(4, digit(1) * digit(1) + 6 * digit(2) - digit(3) + 4 * digit(3) * digit(2) - 5));
    })";
  auto result = fromText(text, "f", {{"n", 3}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  using idc::digits::Polynomial;
  EXPECT_EQ(result->program->steps[0].body.instrs[0].poly,
            Polynomial::term(1, {1}) + Polynomial::term(2, {2}) + Polynomial::term(3, {3}) + Polynomial::constant(3));
}

TEST(Elaborate, ExponentsThatAreNoPolynomials) {
  const char *text = R"(
    func scale<T>(x: T, w: T) -> T { return x * w; }
    algorithm f<T = f32>(x: complex<T>[2^n]) -> complex<T>[2^n] { return x |> scale(omega(16, index() >> 1)); })";
  auto result = fromText(text, "f", {{"n", 3}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  const Body &body = result->program->steps[0].body;
  const Instr *omega = nullptr;
  for (const Instr &instr : body.instrs)
    if (instr.op == Op::Omega)
      omega = &instr;
  ASSERT_NE(omega, nullptr);
  EXPECT_FALSE(omega->hasPoly);
  EXPECT_EQ(omega->operands.size(), 1u);
  Buffer y = run(*result, {Buffer(8, Scalar{1, 0, 0})})[0];
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(y[i].re, rootOfUnity(16, i >> 1).re);
}

TEST(Elaborate, LargeProgramsAreQuick) {
  auto start = std::chrono::steady_clock::now();
  auto result = fromFile("fft.id", "fft", {{"n", 26}});
  EXPECT_TRUE(result->program.has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Elaborate, BatchDigitsOfDimensions) {
  auto result = fromFile("algorithms.id", "fft2", {{"m", 2}, {"n", 3}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  std::vector<int> digits;
  for (const Step &step : result->program->steps)
    if (step.kind == Step::Kind::Node)
      digits.push_back(step.digits[0]);
  EXPECT_EQ(digits, (std::vector<int>{3, 3, 3, 5, 5}));
}

TEST(Elaborate, PlainLengthsAreFactored) {
  const char *text = "algorithm f<T = f32>(x: T[N]) -> T[N] { return x; }";
  auto result = fromText(text, "f", {{"N", 60}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  EXPECT_EQ(result->program->values[0].radices, (std::vector<int>{5, 3, 2, 2}));
}

TEST(Elaborate, SharedInputsSayWhereTheirDigitsAre) {
  auto result = fromFile("algorithms.id", "filter_columns", {{"m", 2}, {"n", 3}});
  ASSERT_TRUE(result->program.has_value()) << result->messages();
  const Step &step = result->program->steps.back();
  ASSERT_EQ(step.broadcastDigits.size(), 2u);
  EXPECT_TRUE(step.broadcastDigits[0].empty());
  EXPECT_EQ(step.broadcastDigits[1], (std::vector<int>{4, 5}));
}

TEST(Elaborate, NotesLeadToTheEntry) {
  const char *text = "func g<T>(x: T) -> T { return x + true; }\n"
                     "algorithm f<T = f32>(x: T[2^n]) -> T[2^n] { return x |> g; }\n";
  auto result = fromText(text, "f", {{"n", 2}});
  EXPECT_FALSE(result->program.has_value());
  std::string messages = result->messages();
  EXPECT_NE(messages.find("test.id:1:33: error: the operands of '+' have different types: f32 and bool"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("test.id:2:"), std::string::npos) << messages;
  EXPECT_NE(messages.find("note: in 'g' with T = f32, used here"), std::string::npos) << messages;
}

TEST(Elaborate, PrintedProgram) {
  auto result = fromFile("algorithms.id", "exclusive_scan", {{"n", 1}}, {{"T", "i32"}});
  ASSERT_TRUE(result->program.has_value());
  EXPECT_EQ(printProgram(*result->program), R"(program exclusive_scan n=1 T=i32
  input x v0: i32[2]
  v1: i32[], v2: i32[] = node reduce @ (1) v0[]
    %2: i32 = add %0, %1
    yield %2, %0
  v3: i32[] = pointwise nothing v1
    %1: i32 = constant 0
    yield %1
  v4: i32[2] = node expand @ (1) v3, v2
    %2: i32 = add %0, %1
    yield %0, %2
  output v4
)");
}
