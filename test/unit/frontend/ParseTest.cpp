// Grammar: precedence, spellings, syntax errors.
#include "FrontendFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

/// The expression `text`, printed from its tree with all its structure.
std::string tree(const Expr &expr) {
  if (expr.kind == Expr::Kind::Binary)
    return "(" + tree(*expr.arguments[0]) + expr.name + tree(*expr.arguments[1]) + ")";
  if (expr.kind == Expr::Kind::Unary)
    return "(" + expr.name + tree(*expr.arguments[0]) + ")";
  return printExpr(expr);
}

std::string parsed(const std::string &text) {
  Diagnostics diagnostics;
  auto source = parseText("const A = " + text + ";", "test.id", {}, diagnostics);
  return source ? tree(*source->main().consts[0]->value) : diagnostics.str();
}

std::string errors(const std::string &text) {
  Diagnostics diagnostics;
  auto source = parseText(text, "test.id", {}, diagnostics);
  if (source)
    check(*source, diagnostics);
  return diagnostics.str();
}

} // namespace

TEST(Parse, Precedence) {
  EXPECT_EQ(parsed("1 + 2 * 3 - 4"), "((1+(2*3))-4)");
  EXPECT_EQ(parsed("-2^n"), "(-(2^n))");
  EXPECT_EQ(parsed("2^3^4"), "(2^(3^4))");
  EXPECT_EQ(parsed("a || b && c == d | e & f << 1 + 2"), "(a||(b&&(c==(d|(e&(f<<(1+2)))))))");
  EXPECT_EQ(parsed("a > b"), "(a>b)");
  EXPECT_EQ(parsed("a >> b >= c"), "((a>>b)>=c)");
  EXPECT_EQ(parsed("!x && ~y == -z"), "((!x)&&((~y)==(-z)))");
  EXPECT_EQ(parsed("x.a[1].b * 2"), "(x.a[1].b*2)");
}

TEST(Parse, PipesAndDigits) {
  EXPECT_EQ(parsed("x |> f @ h-1 |> g(2) @ (3..1, n) |> unshuffle(n, 1) ^ (m+1) |> conj"),
            "x |> f @ h - 1 |> g(2) @ (3..1, n) |> unshuffle(n, 1) ^ (m + 1) |> conj");
  EXPECT_EQ(parsed("x |> Γ(n, 1) |> ρ(n, 1)"), "x |> Γ(n, 1) |> ρ(n, 1)");
  EXPECT_EQ(parsed("x |> mod<Q> |> complex<f64>"), "x |> mod<Q> |> complex<f64>");
  EXPECT_EQ(parsed("P{ a: 1, b: x }"), "P{ a: 1, b: x }");
}

TEST(Parse, AstIsPrinted) {
  Diagnostics diagnostics;
  auto source = parseText("/// Doc.\ntype P<T>= { a: T, b: complex<T> };\n"
                          "func f<T>(x: T) -> (T, T) { if 1 == 2 { return (x, x); } else { return (x, -x); } }\n",
                          "test.id", {}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  EXPECT_EQ(source->main().types[0]->doc, "Doc.\n");
  EXPECT_EQ(printAst(*source), R"(file "test.id"
  type P<T>
    field a: T
    field b: complex<T>
  func f<T>
    param x: T
    result T
    result T
    if 1 == 2
      return (x, x)
    else
      return (x, -x)
)");
}

TEST(Parse, RecordLiteralsNeedAColon) {
  EXPECT_EQ(errors("algorithm f<T = f32>(x: T[2^n]) -> T[2^n] { let k = n; if k == n { x = x; } return x; }"), "");
}

TEST(Parse, ScheduleWordsAreNames) {
  EXPECT_EQ(errors("func f(load: f32, store: f32, order: f32) -> f32 { let by = load; return by + store * order; }"),
            "");
}

TEST(Parse, SeveralErrorsInOneRun) {
  std::string text = errors("const = 1;\nconst B = 2\nfunc f(x: f32) -> f32 { return x + ; }\n");
  EXPECT_NE(text.find("test.id:1:7: error: expected a name, found '='"), std::string::npos) << text;
  EXPECT_NE(text.find("test.id:2:12: error: expected ';'"), std::string::npos) << text;
  EXPECT_NE(text.find("test.id:3:36: error: expected an expression, found ';'"), std::string::npos) << text;
}

TEST(Parse, ErrorsShowTheLineAndACaret) {
  EXPECT_EQ(errors("const A = 1;\nconst B = A + unknown;\n"), "test.id:2:15: error: unknown name 'unknown'\n"
                                                              "const B = A + unknown;\n"
                                                              "              ^~~~~~~\n");
}

TEST(Parse, BytesThatAreNoText) {
  EXPECT_NE(errors("const A = \xff;").find("not valid UTF-8"), std::string::npos);
  EXPECT_NE(errors(std::string("const A = \0;", 12)).find("zero byte"), std::string::npos);
  EXPECT_NE(errors("const A = \"x;\n").find("string is not closed"), std::string::npos);
  EXPECT_NE(errors("const Γρ = 1;").find("error"), std::string::npos);
}

TEST(Parse, DeepNestingIsDiagnosed) {
  for (const char *open : {"(", "[", "-(", "x |> f("}) {
    std::string text = "const A = ";
    for (int i = 0; i < 20000; ++i)
      text += open;
    EXPECT_NE(errors(text).find("nested too deeply"), std::string::npos);
  }
  std::string chain = "const A = 1", minus = "const A = ", types = "const A = ";
  for (int i = 0; i < 20000; ++i) {
    chain += " + 1";
    minus += "-";
    types += "complex<";
  }
  EXPECT_NE(errors(chain + ";").find("nested too deeply"), std::string::npos);
  EXPECT_NE(errors(minus + "1;").find("nested too deeply"), std::string::npos);
  EXPECT_NE(errors(types).find("nested too deeply"), std::string::npos);
}

TEST(Parse, ImportsAreSharedAndOwnNamesHide) {
  Diagnostics diagnostics;
  auto source = parseText("import \"fft.id\";\nimport \"complex.id\";\nfunc scale(x: f32) -> f32 { return x; }\n",
                          "test.id", {IDC_STDLIB_DIR}, diagnostics);
  ASSERT_TRUE(source) << diagnostics.str();
  EXPECT_EQ(source->files.size(), 4u); // fft.id imports lengths.id, which imports complex.id, too
  EXPECT_EQ(findFunction(source->main(), "scale")->params.size(), 1u);
  EXPECT_NE(findFunction(source->main(), "fft"), nullptr);
  EXPECT_TRUE(check(*source, diagnostics)) << diagnostics.str();
}
