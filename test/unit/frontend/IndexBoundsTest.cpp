// Searches for numbers outside a range, against all numbers one by one.
#include "compiler/frontend/IndexBounds.h"

#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/Value.h"

#include "gtest/gtest.h"

#include <random>

using namespace idc::frontend;

namespace {

/// Bodies of random operations on the digits of a sequence, in types of several widths.
class RandomBody {
public:
  RandomBody(unsigned seed, const std::vector<int> &radices) : draw(seed) {
    for (size_t digit = 1; digit <= radices.size(); ++digit) {
      Instr instr;
      instr.op = Op::Digit;
      instr.digit = static_cast<int>(digit);
      add(std::move(instr), i64Type());
    }
    for (int64_t value : {1, 2, 3, 7, 10, -1, below(40), below(40) - 20})
      constant(value, i64Type());
    for (int count = 4 + below(12); count > 0; --count)
      step();
    Instr last;
    last.op = Op::Convert;
    last.operands = {integer()};
    add(std::move(last), i64Type());
    body.results = {static_cast<int>(body.instrs.size()) - 1};
  }

  Body body;

private:
  std::mt19937 draw;

  int below(int count) { return static_cast<int>(draw() % static_cast<unsigned>(count)); }
  int add(Instr instr, TypeRef type) {
    instr.type = std::move(type);
    body.instrs.push_back(std::move(instr));
    return static_cast<int>(body.instrs.size()) - 1;
  }
  int constant(int64_t value, TypeRef type) {
    Instr instr;
    instr.op = Op::Constant;
    instr.intValue = value;
    return add(std::move(instr), std::move(type));
  }
  int make(Op op, std::vector<int> operands, TypeRef type) {
    Instr instr;
    instr.op = op;
    instr.operands = std::move(operands);
    return add(std::move(instr), std::move(type));
  }
  /// The number of an earlier value of a type, later ones more often.
  int of(const std::string &type) {
    std::vector<int> found;
    for (size_t i = 0; i < body.instrs.size(); ++i)
      if (spell(*body.instrs[i].type) == type)
        found.push_back(static_cast<int>(i));
    if (found.empty())
      return -1;
    const int some = below(static_cast<int>(found.size())), other = below(static_cast<int>(found.size()));
    return found[static_cast<size_t>(std::max(some, other))];
  }
  int integer() { return of("i64"); }

  void step() {
    static const Op both[] = {Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Min, Op::Max, Op::Add, Op::Sub};
    static const Op compared[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
      make(both[below(10)], {integer(), integer()}, i64Type());
      return;
    case 3: {
      const int divisor = constant(below(2) ? 1 + below(9) : -1 - below(9), i64Type());
      make(below(2) ? Op::Div : Op::Rem, {integer(), divisor}, i64Type());
      return;
    }
    case 4:
      make(compared[below(6)], {integer(), integer()}, boolType());
      return;
    case 5: {
      const int a = of("bool"), b = of("bool");
      if (a >= 0)
        make(below(3) ? below(2) ? Op::And : Op::Or : Op::Xor, {a, b}, boolType());
      return;
    }
    case 6:
      if (const int condition = of("bool"); condition >= 0)
        make(Op::Select, {condition, integer(), integer()}, i64Type());
      return;
    case 7: {
      const int by = constant(below(70), i64Type());
      make(below(2) ? Op::Shl : Op::Shr, {integer(), by}, i64Type());
      return;
    }
    case 8: {
      static const Op single[] = {Op::Neg, Op::Not, Op::Abs, Op::Popcount, Op::Clz};
      make(single[below(5)], {integer()}, i64Type());
      return;
    }
    default: { // narrow types wrap
      static const char *const names[] = {"i8", "u8", "i16", "u32", "u64"};
      const TypeRef narrow = scalarType(names[below(5)]);
      const int value = make(Op::Convert, {integer()}, narrow);
      make(Op::Convert, {make(below(2) ? Op::Add : Op::Mul, {value, value}, narrow)}, i64Type());
      return;
    }
    }
  }
};

} // namespace

TEST(IndexBounds, FindsTheFirstNumberOutside) {
  const std::vector<std::vector<int>> shapes = {{2, 2, 2, 2, 2, 2}, {100}, {3, 5, 7}, {1, 4, 9}, {2, 37}};
  int inside = 0, outside = 0;
  for (unsigned seed = 1; seed <= 20000; ++seed) {
    const std::vector<int> &radices = shapes[seed % shapes.size()];
    const RandomBody random(seed, radices);
    const int64_t length = 1 + seed % 97;
    IndexedInteger expected;
    bool isOutside = false;
    std::string error;
    ASSERT_TRUE(forEachIndex(
        random.body, radices, {},
        [&](int64_t value) {
          isOutside = value < 0 || value >= length;
          expected.value = value;
          expected.element += !isOutside;
          return !isOutside;
        },
        error))
        << error;
    OutsideSearch search(random.body, radices, length);
    const OutsideSearch::Answer answer = search.search(1 << 20);
    ASSERT_EQ(answer, isOutside ? OutsideSearch::Answer::Outside : OutsideSearch::Answer::Inside) << "seed " << seed;
    if (isOutside) {
      EXPECT_EQ(search.first().element, expected.element) << "seed " << seed;
      EXPECT_EQ(search.first().value, expected.value) << "seed " << seed;
    }
    (isOutside ? outside : inside) += 1;
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(outside, 1000);
}

TEST(IndexBounds, LooksAtNoMoreThanItIsTold) {
  Body body;
  auto add = [&](Op op, std::vector<int> operands, int64_t value = 0) {
    Instr instr;
    instr.op = op;
    instr.type = i64Type();
    instr.operands = std::move(operands);
    instr.intValue = value;
    instr.digit = 1;
    body.instrs.push_back(std::move(instr));
    return static_cast<int>(body.instrs.size()) - 1;
  };
  const int k = add(Op::Digit, {}), seven = add(Op::Constant, {}, 7);
  body.results = {add(Op::Sub, {add(Op::Rem, {k, seven}), add(Op::Rem, {k, seven})})}; // 0, but not by bounds
  EXPECT_EQ(OutsideSearch(body, {1000}, 1000).search(100), OutsideSearch::Answer::Unknown);
  EXPECT_EQ(OutsideSearch(body, {1000}, 1000).search(2000), OutsideSearch::Answer::Inside);
}
