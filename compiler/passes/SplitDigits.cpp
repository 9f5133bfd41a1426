// Input: the algebra. Output: the same program on digits of prime radix.
//
// Every digit of radix r = p·q with p the smallest prime factor becomes two, t = u + p·v, until all radices are prime:
// of sequences, permutations, nodes, exponents and what bodies say of digits. A node over a digit then acts on its
// parts together; elements and addresses stay where they are.
//
//   id.node [2] (%x) : !id.seq<4**2, f32>   ->   id.node [4, 3] (%x) : !id.seq<2**4, f32>
//
// What plans digits then meets one form of programs on 4^m and 2^(2m) elements.
#include "compiler/passes/Passes.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using digits::Permutation;
using digits::Polynomial;

namespace idc::passes {
#define GEN_PASS_DEF_SPLITDIGITS
#include "compiler/passes/Passes.h.inc"

namespace {

/// How the digits of one sequence split.
struct Parts {
  std::vector<std::vector<int32_t>> radices; // [digit-1], least significant part first
  std::vector<int> first;                    // [digit-1]: the number of its least significant part
  std::vector<int> all;                      // the radices of all parts

  explicit Parts(ArrayRef<int32_t> given) {
    for (int32_t radix : given) {
      first.push_back(static_cast<int>(all.size()) + 1);
      radices.emplace_back();
      for (int64_t p = 2; radix > 1; ++p) {
        if (p * p > radix)
          p = radix; // a prime
        for (; radix % p == 0; radix /= static_cast<int32_t>(p)) {
          radices.back().push_back(static_cast<int32_t>(p));
          all.push_back(static_cast<int>(p));
        }
      }
    }
  }
  int count(int digit) const { return static_cast<int>(radices[digit - 1].size()); }

  /// The digit as a sum over its parts.
  Polynomial value(int digit) const {
    Polynomial sum;
    int64_t weight = 1;
    for (int i = 0; i < count(digit); weight *= radices[digit - 1][i++])
      sum = sum + Polynomial::term(weight, {first[digit - 1] + i});
    return sum;
  }

  Polynomial exponent(const Polynomial &given, int64_t root) const {
    return given.substitute([&](int digit) { return value(digit); }).reduced(root, all);
  }
};

SmallVector<int64_t> splitNodeDigits(ArrayRef<int64_t> digits, const Parts &parts) {
  SmallVector<int64_t> result;
  for (int64_t digit : digits)
    for (int i = parts.count(static_cast<int>(digit)); i-- > 0;)
      result.push_back(parts.first[digit - 1] + i);
  return result;
}

Permutation splitMap(const Permutation &map, const Parts &parts) {
  std::vector<int> sources, complemented; // places
  for (int place = 1; place <= map.size(); ++place)
    for (int i = 0, digit = map.source(place); i < parts.count(digit); ++i) {
      sources.push_back(parts.first[digit - 1] + i);
      if (map.complemented(place))
        complemented.push_back(static_cast<int>(sources.size()));
    }
  int n = static_cast<int>(sources.size());
  Permutation result = Permutation::fromSources(std::move(sources));
  for (int place : complemented)
    result = result.then(Permutation::complement(n, place));
  return result;
}

void splitBody(Region &body, const Parts &parts) {
  MLIRContext *context = body.getContext();
  SmallVector<id::DigitOp> readings;
  body.walk([&](Operation *op) {
    if (auto omega = dyn_cast<id::OmegaOp>(op))
      omega.setExponentAttr(
          id::PolyAttr::get(context, parts.exponent(omega.getExponent().getPolynomial(), omega.getRoot())));
    else if (auto digit = dyn_cast<id::DigitOp>(op))
      readings.push_back(digit);
  });
  for (id::DigitOp op : readings) {
    int digit = static_cast<int>(op.getDigit());
    if (parts.count(digit) == 1) {
      op.setDigit(parts.first[digit - 1]);
      continue;
    }
    OpBuilder builder(op);
    SmallVector<Value> own;
    for (int i = 0; i < parts.count(digit); ++i)
      own.push_back(id::DigitOp::create(builder, op.getLoc(), op.getType(), parts.first[digit - 1] + i));
    op.getResult().replaceAllUsesWith(id::numberOf(builder, op.getLoc(), own, parts.radices[digit - 1]));
    op.erase();
  }
}

/// The arrangement that has all digits of the node.
ArrayRef<int32_t> arrangementOf(id::NodeOp node) {
  for (Value value : llvm::concat<Value>(node.getInputs(), node.getOutputs()))
    if (node.isArray(value))
      return id::radicesOf(value.getType());
  llvm_unreachable("one value has as many digits as the largest");
}

struct SplitDigits : impl::SplitDigitsBase<SplitDigits> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // Attributes first, while the types still tell the radices.
    for (Operation &op : function.getBody().front()) {
      if (auto permute = dyn_cast<id::PermuteOp>(op)) {
        Parts parts(permute.getInput().getType().getRadices());
        permute.setMapAttr(id::PermAttr::get(&getContext(), splitMap(permute.getMap().getPermutation(), parts)));
      } else if (auto resize = dyn_cast<id::ResizeOp>(op)) {
        Parts parts(resize.getInput().getType().getRadices().take_front(resize.getLowest()));
        resize.setLowest(parts.all.size());
      } else if (auto gather = dyn_cast<id::GatherOp>(op)) {
        splitBody(gather.getBody(), Parts(gather.getType().getRadices()));
        Parts parts(gather.getInput().getType().getRadices().take_front(gather.getLowest()));
        gather.setLowest(parts.all.size());
      } else if (auto scatter = dyn_cast<id::ScatterOp>(op)) {
        splitBody(scatter.getBody(), Parts(scatter.getInput().getType().getRadices()));
        Parts parts(scatter.getInput().getType().getRadices().take_front(scatter.getLowest()));
        scatter.setLowest(parts.all.size());
      } else if (auto twiddle = dyn_cast<id::TwiddleOp>(op)) {
        Parts parts(id::radicesOf(twiddle.getType()));
        Polynomial exponent = parts.exponent(twiddle.getExponent().getPolynomial(), twiddle.getRoot());
        twiddle.setExponentAttr(id::PolyAttr::get(&getContext(), exponent));
      } else if (auto pointwise = dyn_cast<id::PointwiseOp>(op)) {
        splitBody(pointwise.getBody(), Parts(id::radicesOf(pointwise.getOutputs()[0].getType())));
      } else if (auto node = dyn_cast<id::NodeOp>(op)) {
        Parts parts(arrangementOf(node));
        splitBody(node.getBody(), parts);
        node.setDigits(splitNodeDigits(node.getDigits(), parts));
      }
    }
    auto split = [&](Type type) -> Type {
      auto sequence = dyn_cast<id::SeqType>(type);
      if (!sequence)
        return type;
      std::vector<int> all = Parts(sequence.getRadices()).all;
      return id::SeqType::get(&getContext(), SmallVector<int32_t>(all.begin(), all.end()), sequence.getElement());
    };
    for (BlockArgument argument : function.getArguments())
      argument.setType(split(argument.getType()));
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults())
        result.setType(split(result.getType()));
    SmallVector<Type> inputs, results;
    for (Type type : function.getArgumentTypes())
      inputs.push_back(split(type));
    for (Type type : function.getResultTypes())
      results.push_back(split(type));
    function.setFunctionType(FunctionType::get(&getContext(), inputs, results));
  }
};

} // namespace
} // namespace idc::passes
