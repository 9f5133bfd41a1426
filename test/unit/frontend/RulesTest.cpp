// The rules of docs/language.md, one small program each.
#include "FrontendFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const std::string helpers = R"(
func scale<T>(x: T, w: T) -> T { return x * w; }
func add<T>(x: T, y: T) -> T { return x + y; }
node butterfly<T>(x: T[2]) -> T[2] { return [x[0] + x[1], x[0] - x[1]]; }
)";

/// The body of an algorithm `f<T = f64>(x: T[2^n]) -> T[2^n]`.
std::string algorithm(const std::string &body) {
  return helpers + "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { " + body + " }";
}

/// Its result for x = 0, 1, 2, …; integers of real results, exact at these sizes.
std::vector<int64_t> values(const std::string &text, const SizeMap &sizes, const TypeMap &types = {},
                            size_t length = 8) {
  auto result = fromText(text, "f", sizes, types);
  std::vector<int64_t> numbers;
  if (!result->program) {
    ADD_FAILURE() << result->messages();
    return numbers;
  }
  bool real = spell(*result->program->values[result->program->outputs[0]].element)[0] == 'f';
  Buffer output = run(*result, {counting(length)})[0];
  for (const Scalar &value : output)
    numbers.push_back(real ? static_cast<int64_t>(value.re) : value.integer);
  return numbers;
}

std::string errorOf(const std::string &text, const SizeMap &sizes, const TypeMap &types = {}) {
  auto result = fromText(text, "f", sizes, types);
  EXPECT_FALSE(result->program.has_value());
  std::string messages = result->messages();
  size_t begin = messages.find("error: ");
  return begin == std::string::npos ? messages : messages.substr(begin + 7, messages.find('\n', begin) - begin - 7);
}

using Numbers = std::vector<int64_t>;

} // namespace

TEST(Rules, LoopsCountTheirWay) {
  EXPECT_EQ(values(algorithm("for i in 3..2 { x = x |> scale(0); } return x;"), {{"n", 1}}, {}, 2), (Numbers{0, 1}));
  EXPECT_EQ(values(algorithm("for i in 2 downto 3 { x = x |> scale(0); } return x;"), {{"n", 1}}, {}, 2),
            (Numbers{0, 1}));
  EXPECT_EQ(values(algorithm("let s = 0; for i in 9 downto 1 by 4 { s = 10 * s + i; } return x |> scale(s);"),
                   {{"n", 1}}, {}, 2),
            (Numbers{0, 951}));
}

TEST(Rules, ReturnLeavesEverywhere) {
  EXPECT_EQ(values(algorithm("for i in 1..5 { if i == 3 { return x |> scale(i); } } return x;"), {{"n", 1}}, {}, 2),
            (Numbers{0, 3}));
  EXPECT_EQ(values(algorithm("if n == 0 { return x; } return x |> butterfly @ 1;"), {{"n", 0}}, {}, 1), (Numbers{0}));
}

TEST(Rules, PermutationsAndPowers) {
  EXPECT_EQ(values(algorithm("return x |> reverse(n, 1);"), {{"n", 3}}), (Numbers{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(values(algorithm("return x |> unshuffle(n, 1);"), {{"n", 3}}), (Numbers{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(values(algorithm("return x |> unshuffle(n, 1) ^ 2 |> unshuffle(n, 1);"), {{"n", 3}}),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values(algorithm("return x |> unshuffle(n, 1) |> Γ(n, 1) ^ -1;"), {{"n", 3}}),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values(algorithm("return x |> complement(2);"), {{"n", 3}}), (Numbers{2, 3, 0, 1, 6, 7, 4, 5}));
  EXPECT_EQ(values(algorithm("return x |> reverse(n, 1);"), {{"n", 0}}, {}, 1), (Numbers{0}));
  EXPECT_EQ(values(algorithm("return x |> permute([2..1, 3]);"), {{"n", 3}}), (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(Rules, DigitsAndIndex) {
  EXPECT_EQ(values(algorithm("return x |> scale(0) |> add(index());"), {{"n", 3}}), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values(algorithm("return x |> scale(0) |> add(digits(3, 2));"), {{"n", 3}}),
            (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(values(algorithm("return x |> scale(0) |> add(digits(1, 2) + 5);"), {{"n", 3}}),
            (Numbers{5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(values(algorithm("return x |> scale(1 - 2*digit(1));"), {{"n", 2}}, {}, 4), (Numbers{0, -1, 2, -3}));
}

TEST(Rules, DimensionNamesDenotePlaces) {
  std::string text = helpers + "algorithm f<T = f64>(x: T[y: 2^m][x: 2^n]) -> T[y: 2^m][x: 2^n] "
                               "{ return x |> scale(0) |> add(10 * digits(y) + digits(x)); }";
  EXPECT_EQ(values(text, {{"m", 1}, {"n", 2}}), (Numbers{0, 1, 2, 3, 10, 11, 12, 13}));
  // A permutation that moves whole dimensions moves their names.
  text = helpers + "algorithm f<T = f64>(x: T[y: 2^m][x: 2^n]) -> T[x: 2^n][y: 2^m] "
                   "{ return x |> permute([x, y]) |> scale(0) |> add(10 * digits(y) + digits(x)); }";
  EXPECT_EQ(values(text, {{"m", 1}, {"n", 2}}), (Numbers{0, 10, 1, 11, 2, 12, 3, 13}));
  // Any other leaves one dimension without a name.
  text = helpers + "algorithm f<T = f64>(x: T[y: 2^m][x: 2^n]) -> T[y: 2^m][x: 2^n] "
                   "{ return x |> reverse(n+m, 1) |> butterfly @ y; }";
  EXPECT_NE(errorOf(text, {{"m", 1}, {"n", 2}}).find("unknown name 'y'"), 0u);
}

TEST(Rules, ShapesBindSizes) {
  std::string text = "algorithm g<T>(x: T[2^(2*m)]) -> T[2^(2*m)] { return x |> max(m); }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return g(x); }";
  EXPECT_EQ(values(text, {{"n", 2}}, {}, 4), (Numbers{1, 1, 2, 3}));
  EXPECT_NE(errorOf(text, {{"n", 3}}).find("has the shape [2^3], but [2^(2 * m)] is expected"), std::string::npos);
  text = "algorithm g<T>(x: T[2^a * 3^b]) -> T[2^a * 3^b] { return x |> max(10 * a + b); }"
         "algorithm f<T = f64>(x: T[12]) -> T[12] { return x |> g; }";
  EXPECT_EQ(values(text, {}, {}, 12)[0], 21);
  text = "algorithm g<T>(x: T[N]) -> T[N] { return x |> max(N); }"
         "algorithm f<T = f64>(x: T[2^n * 3]) -> T[2^n * 3] { return x |> g; }";
  EXPECT_EQ(values(text, {{"n", 2}}, {}, 12)[0], 12);
}

TEST(Rules, MixedRadicesReverse) {
  std::string text = "algorithm f<T = f64>(x: T[2^a * 3^b]) -> T[3^b * 2^a] { return x |> reverse(a+b, 1); }";
  EXPECT_EQ(values(text, {{"a", 1}, {"b", 1}}, {}, 6), (Numbers{0, 3, 1, 4, 2, 5}));
}

TEST(Rules, NodesInsertAndRemoveSeveralDigits) {
  std::string text = "node sum<T>(x: T[r]) -> T { let s = x[0]; for i in 1..r-1 { s = s + x[i]; } return s; }"
                     "node spread<T>(x: T) -> T[4] { return [x, x + 1, x + 2, x + 3]; }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return x |> sum @ (3, 1) |> spread @ (1, 3); }";
  // Sums over digits 3 and 1: {0,1,4,5} = 10, {2,3,6,7} = 18; then digit 1 is the high one of the four.
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{10, 12, 18, 20, 11, 13, 19, 21}));
}

TEST(Rules, TuplesOfSequences) {
  std::string text = helpers + "func both<T>(x: T) -> (T, T) { return (x, -x); }"
                               "algorithm f<T = f64>(x: T[2^n]) -> (T[2^n], T[2^n]) {"
                               "  let (p, m) = x |> both; (p, m) = (m, p); return (p, m) |> reverse(n, 1); }";
  auto result = fromText(text, "f", {{"n", 2}});
  std::vector<Buffer> y = run(*result, {counting(4)});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(y[0][1].re, -2.0L);
  EXPECT_EQ(y[1][1].re, 2.0L);
}

TEST(Rules, LowDigitsAreRepeated) {
  std::string text = helpers + "algorithm f<T = f64>(x: T[2^n], w: T[2^m]) -> T[2^n] { return (x, w) |> scale; }";
  auto result = fromText(text, "f", {{"n", 3}, {"m", 1}});
  Buffer y = run(*result, {counting(8), counting(2)})[0];
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(y[i].re, static_cast<long double>(i * (i % 2)));
}

TEST(Rules, BuiltinsAndTypesAreStages) {
  std::string text = "algorithm f<T = f64>(x: T[2^n]) -> i32[2^n] { return (x, x |> max(2)) |> max |> i32; }";
  EXPECT_EQ(values(text, {{"n", 2}}, {}, 4), (Numbers{2, 2, 2, 3}));
  text = "algorithm f(x: i64[2^n]) -> i64[2^n] { return x |> mod<7> |> max7 |> i64; }"
         "func max7(x: mod<7>) -> mod<7> { return x / 3 - 1; }";
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{6, 4, 2, 0, 5, 3, 1, 6})); // 1/3 = 5 mod 7
}

TEST(Rules, IntegerArithmetic) {
  std::string text = "func g<T>(x: T) -> T { return (x - 3) / 2 * 100 + (x - 3) % 2 * 10 + ((x - 3) >> 1); }"
                     "algorithm f<T = i32>(x: T[2^n]) -> T[2^n] { return x |> g; }";
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{-112, -101, -11, 0, 10, 101, 111, 202}));
  text = "func g(x: u32) -> u32 { return xor(x, 3) | x << 4 & ~x; }"
         "algorithm f(x: u32[2^n]) -> u32[2^n] { return x |> g; }";
  EXPECT_EQ(values(text, {{"n", 1}}, {}, 2), (Numbers{3, 18}));
}

TEST(Rules, MinAndMaxArePermutations) {
  std::string text = "func both<T>(x: T, y: T) -> (T, T) { return (min(x, y), max(x, y)); }"
                     "algorithm f<T = f64>(x: T[2^n], y: T[2^n]) -> (T[2^n], T[2^n]) { return (x, y) |> both; }";
  auto result = fromText(text, "f", {{"n", 0}});
  Scalar nan, one;
  nan.re = std::numeric_limits<long double>::quiet_NaN();
  one.re = 1;
  std::vector<Buffer> y = run(*result, {{nan}, {one}});
  EXPECT_TRUE(std::isnan(y[0][0].re));
  EXPECT_EQ(y[1][0].re, 1.0L);
}

TEST(Rules, RootsTakeTheTypeTheyMeet) {
  std::string text = helpers + "algorithm f<T = f64>(x: complex<T>[2^n]) -> complex<T>[2^n] {"
                               "  let w = conj(omega(4, 1)) * 2; return x |> scale(-w + 0.5); }";
  auto result = fromText(text, "f", {{"n", 0}});
  Scalar one;
  one.re = 1;
  Buffer y = run(*result, {{one}})[0];
  EXPECT_EQ(y[0].re, 0.5L);
  EXPECT_EQ(y[0].im, -2.0L);
}

TEST(Rules, RealBesideComplex) {
  std::string text = "func half<T>(x: complex<T>, s: T) -> complex<T> { return s * x + complex(0, 1) * re(x); }"
                     "algorithm f<T = f64>(x: complex<T>[2^n]) -> complex<T>[2^n] { return x |> half(0.5); }";
  auto result = fromText(text, "f", {{"n", 0}});
  Scalar value;
  value.re = 4;
  value.im = 2;
  Buffer y = run(*result, {{value}})[0];
  EXPECT_EQ(y[0].re, 2.0L);
  EXPECT_EQ(y[0].im, 5.0L);
}

TEST(Rules, RecordsTakeTheirTypeWhereTheyAreUsed) {
  std::string text = "type P<T> = { a: T, b: T };"
                     "func zero<T>(x: T) -> P<T> { return P{ b: 0, a: 1 }; }"
                     "func value<T>(p: P<T>, k: T) -> T { let q = P{ a: p.a, b: k }; return p.a + q.b; }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return x |> zero |> value(6); }";
  EXPECT_EQ(values(text, {{"n", 1}}, {}, 2), (Numbers{7, 7}));
}

TEST(Rules, SmallArrays) {
  std::string text = "func sum<T>(x: T[r]) -> T { let s = x[0]; for i in 1..r-1 { s = s + x[i]; } return s; }"
                     "node prefix<T>(x: T[4]) -> T[4] { let y = x; for i in 1..3 { y[i] = y[i-1] + x[i]; }"
                     "  y[0] = sum([x[0], y[3]]); return y; }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return x |> prefix @ 2..1; }";
  EXPECT_EQ(values(text, {{"n", 2}}, {}, 4), (Numbers{6, 1, 3, 6}));
}

TEST(Rules, AlgorithmsAtDigits) {
  std::string text = helpers + "algorithm swap<T>(x: T[2^k]) -> T[2^k] { return x |> reverse(k, 1) |> "
                               "add(100 * digit(k)); }"
                               "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return x |> swap @ (3, 1); }";
  // Digits 3 and 1 change places; 100 for the new digit 3.
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{0, 4, 2, 6, 101, 105, 103, 107}));
}

TEST(Rules, AlgorithmsThatDropDigits) {
  std::string text = "node sum<T>(x: T[2]) -> T { return x[0] + x[1]; }"
                     "algorithm total<T>(x: T[2^k]) -> T[1] { for i in 1..k { x = x |> sum @ 1; } return x; }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^(n-2)] { return x |> total @ (3, 1); }";
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{10, 18}));
}

TEST(Rules, ConditionsOfData) {
  std::string text = "func g<T>(x: T) -> T { return select(x > 2 && !(x == 5) || x < 1, x, -x); }"
                     "algorithm f<T = f64>(x: T[2^n]) -> T[2^n] { return x |> g; }";
  EXPECT_EQ(values(text, {{"n", 3}}), (Numbers{0, -1, -2, 3, 4, -5, 6, 7}));
}

TEST(Rules, LargeModuli) {
  // 2^64 - 2^32 + 1; the constant and the arithmetic need more than 64 bits.
  std::string text = "const P = 2^64 - 2^32 + 1;"
                     "func g(x: mod<P>, w: mod<P>) -> mod<P> { return x * w; }"
                     "algorithm f(x: mod<P>[2^n]) -> mod<P>[2^n] { return x |> g(omega(2, digit(1))) |> g(P - 2); }";
  auto result = fromText(text, "f", {{"n", 1}});
  Buffer y = run(*result, {counting(2)})[0];
  EXPECT_EQ(y[1].integer, 2); // 1 · (-1) · (-2)
}

TEST(Rules, SeparateNameSpaces) {
  std::string text = "type scale<T> = { scale: T };"
                     "func scale<T>(x: T) -> scale<T> { let scale = scale{ scale: x }; return scale; }"
                     "func open<T>(r: scale<T>) -> T { return r.scale; }"
                     "algorithm f<T = f64>(x: T[x: 2^n]) -> T[x: 2^n] { return x |> scale |> open |> reverse(n, 1); }";
  EXPECT_EQ(values(text, {{"n", 2}}, {}, 4), (Numbers{0, 2, 1, 3}));
}

TEST(Rules, RequirementsNameTheCall) {
  std::string text = algorithm("require n >= 2, \"f needs two digits\"; return x;");
  EXPECT_EQ(errorOf(text, {{"n", 1}}), "f needs two digits");
}
