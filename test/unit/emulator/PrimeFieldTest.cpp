// The arithmetic of prime fields as kernels have it, against that of wide integers.
#include "ElementwiseFixture.h"

#include "compiler/conversion/PrimeField.h"

#include <random>
#include <set>

using namespace idc::emulator;
using idc::conversion::PrimeField;
using idc::conversion::Residue;

namespace {

__extension__ typedef unsigned __int128 Wide;

class PrimeFields : public ElementwiseFixture {
protected:
  /// Pairs of residues: all pairs of edge values, then random ones.
  static std::vector<Operands> residues(uint64_t modulus) {
    std::mt19937_64 random(modulus);
    std::set<uint64_t> edges;
    for (uint64_t base : {uint64_t(0), modulus, modulus / 2, uint64_t(1) << 16, uint64_t(1) << 31, uint64_t(1) << 32,
                          uint64_t(1) << 33, uint64_t(1) << 63, ~uint64_t(0)})
      for (uint64_t d : {0, 1, 2})
        for (uint64_t value : {base + d, base - d})
          edges.insert(value % modulus);
    std::vector<Operands> pairs;
    for (uint64_t x : edges)
      for (uint64_t y : edges)
        pairs.push_back({x, y});
    // Products whose halves are small or large in every combination.
    for (int i = 0; i < 20000; ++i)
      pairs.push_back({(random() >> random() % 64) % modulus, (random() >> random() % 64) % modulus});
    return pairs;
  }

  template <class Emit, class Expected> void expect(uint64_t modulus, Emit emit, Expected expected) {
    bool wide = modulus > (uint64_t(1) << 32);
    Scalar type{wide ? "i64" : "i32", wide ? size_t(8) : size_t(4)};
    std::vector<Operands> pairs = residues(modulus);
    std::vector<uint64_t> found =
        results(type, type, "    %r = arith.addi %x, %y {placeholder} : " + type.type + "\n", pairs,
                [&](mlir::ModuleOp module) {
                  module.walk([&](mlir::Operation *op) {
                    if (!op->hasAttr("placeholder"))
                      return;
                    mlir::OpBuilder builder(op);
                    PrimeField field(builder, op->getLoc(), modulus);
                    Residue x{op->getOperand(0)}, y{op->getOperand(1)};
                    op->replaceAllUsesWith(mlir::ValueRange{field.canonical(emit(field, x, y))});
                    op->erase();
                  });
                });
    for (size_t i = 0; i < pairs.size(); ++i)
      ASSERT_EQ(found[i], static_cast<uint64_t>(expected(Wide(pairs[i][0]), Wide(pairs[i][1])) % modulus))
          << modulus << ": " << pairs[i][0] << ", " << pairs[i][1];
  }
};

// The field whose products are folded, those on both sides of it that are not, and narrow ones.
constexpr uint64_t moduli[] = {18446744069414584321u,
                               18446744056529682433u,
                               18446744073709551557u,
                               9223372036737335297u,
                               2305843009213693951u,
                               4294967311u,
                               4294967291u,
                               2147483647u,
                               2013265921u,
                               998244353u,
                               65537u,
                               2u};

TEST_F(PrimeFields, Sums) {
  for (uint64_t p : moduli)
    expect(
        p, [](PrimeField &f, Residue x, Residue y) { return f.add(x, y); }, [](Wide x, Wide y) { return x + y; });
}

TEST_F(PrimeFields, Differences) {
  for (uint64_t p : moduli)
    expect(
        p, [](PrimeField &f, Residue x, Residue y) { return f.sub(x, y); }, [p](Wide x, Wide y) { return x + p - y; });
}

TEST_F(PrimeFields, Products) {
  for (uint64_t p : moduli)
    expect(
        p, [](PrimeField &f, Residue x, Residue y) { return f.mul(x, y); }, [](Wide x, Wide y) { return x * y; });
}

TEST_F(PrimeFields, ProductsByConstants) {
  for (uint64_t p : moduli)
    for (uint64_t c : {uint64_t(0), uint64_t(1), p - 1, uint64_t(UINT32_MAX) % p, (uint64_t(1) << 32) % p, 7 % p})
      expect(
          p, [c](PrimeField &f, Residue x, Residue) { return f.mul(x, f.constant(c)); },
          [c](Wide x, Wide) { return x * c; });
}

// As many sums and differences in a row as make the integers overflow unless they are reduced, and products of such.
TEST_F(PrimeFields, LongSums) {
  for (uint64_t p : moduli) {
    auto sum = [](PrimeField &f, Residue x, Residue y) {
      for (int i = 0; i < 5; ++i) {
        x = f.add(x, y);
        y = f.sub(y, f.mul(x, f.constant(1)));
        x = f.add(x, x);
      }
      return std::pair(x, y);
    };
    auto expected = [p](Wide x, Wide y) {
      for (int i = 0; i < 5; ++i) {
        x = (x + y) % p;
        y = (y + p - x) % p;
        x = (x + x) % p;
      }
      return std::pair(x, y);
    };
    expect(
        p,
        [&](PrimeField &f, Residue x, Residue y) {
          auto [a, b] = sum(f, x, y);
          return f.mul(a, b);
        },
        [&](Wide x, Wide y) {
          auto [a, b] = expected(x, y);
          return a * b;
        });
    expect(
        p,
        [&](PrimeField &f, Residue x, Residue y) {
          auto [a, b] = sum(f, x, y);
          return f.sub(f.mul(a, f.constant(3 % p)), b);
        },
        [&](Wide x, Wide y) {
          auto [a, b] = expected(x, y);
          return a * (3 % p) + p - b;
        });
  }
}

} // namespace
