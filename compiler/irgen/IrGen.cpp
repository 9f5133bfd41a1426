// Input: frontend::Program, straight-line steps with scalar bodies. Output: one func.func of id ops.
//
// Every step becomes one op: Permute -> id.permute, Resize -> id.resize, Gather -> id.gather, Scatter -> id.scatter,
// Pointwise -> id.pointwise, Node -> id.node; an input that lacks digits of its step gets them by id.repeat and, where
// they are not the highest, id.permute. Bodies become regions of arith, math and complex ops on leaves, with id.digit
// and id.omega for what depends on the index. Integers are signless in the IR; the signed or unsigned operation is
// chosen here, where the source type is still known.
//
//   x |> add_sub @ 3     ->   %1 = id.node [3](%0) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
//                               ^bb0(%a: f32, %b: f32): … id.yield %s, %d : f32, f32 }
#include "compiler/irgen/IrGen.h"

#include "compiler/frontend/ScalarMemory.h"

#include "id/ConstantData.h"
#include "id/IdDialect.h"
#include "id/InverseMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace idc;
using frontend::Instr;
using Code = frontend::Op;
using Kind = frontend::Type::Kind;

namespace {

class Generator {
public:
  Generator(const frontend::Program &program, const llvm::SourceMgr &sources, MLIRContext &context)
      : program(program), sources(sources), builder(&context) {}

  OwningOpRef<ModuleOp> run() {
    // The function stands at its first parameter.
    Location loc = place(program.inputs.empty() ? llvm::SMLoc() : program.values[program.inputs.front().value].loc);
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> inputs, outputs;
    for (const frontend::Parameter &p : program.inputs)
      inputs.push_back(sequenceType(p.value));
    for (const frontend::Constant &constant : program.constants)
      inputs.push_back(sequenceType(constant.value));
    for (int value : program.outputs)
      outputs.push_back(sequenceType(value));
    if (failed)
      return {};
    auto function = func::FuncOp::create(builder, loc, program.entry, builder.getFunctionType(inputs, outputs));
    function->setAttr("id.entry", builder.getUnitAttr());
    if (!program.scalars.empty()) {
      SmallVector<Attribute> scalars;
      for (const frontend::ScalarParameter &scalar : program.scalars)
        scalars.push_back(TypeAttr::get(scalarType(*scalar.type)));
      function->setAttr("id.scalars", builder.getArrayAttr(scalars));
    }
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    values.resize(program.values.size());
    for (size_t i = 0; i < program.inputs.size(); ++i)
      values[program.inputs[i].value] = block->getArgument(i);
    for (auto [i, constant] : llvm::enumerate(program.constants)) {
      const unsigned argument = static_cast<unsigned>(program.inputs.size() + i);
      values[constant.value] = block->getArgument(argument);
      function.setArgAttr(argument, id::dataAttr, memoryOf(constant));
    }
    for (const frontend::Step &step : program.steps)
      emit(step);
    SmallVector<Value> results;
    for (int value : program.outputs)
      results.push_back(values[value]);
    if (failed)
      return {};
    func::ReturnOp::create(builder, loc, results);
    if (mlir::failed(verify(*module)))
      return {};
    return module;
  }

private:
  const frontend::Program &program;
  const llvm::SourceMgr &sources;
  OpBuilder builder;
  std::vector<Value> values;
  bool failed = false;

  Location place(llvm::SMLoc loc) {
    if (!loc.isValid())
      return UnknownLoc::get(builder.getContext());
    unsigned buffer = sources.FindBufferContainingLoc(loc);
    if (!buffer)
      return UnknownLoc::get(builder.getContext());
    auto [line, column] = sources.getLineAndColumn(loc, buffer);
    return FileLineColLoc::get(builder.getContext(), sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line,
                               column);
  }

  Type scalarType(const frontend::Type &type) {
    switch (type.kind) {
    case Kind::Bool:
      return builder.getI1Type();
    case Kind::I8:
    case Kind::U8:
      return builder.getI8Type();
    case Kind::I16:
    case Kind::U16:
      return builder.getI16Type();
    case Kind::I32:
    case Kind::U32:
      return builder.getI32Type();
    case Kind::I64:
    case Kind::U64:
      return builder.getI64Type();
    case Kind::F16:
      return builder.getF16Type();
    case Kind::BF16:
      return builder.getBF16Type();
    case Kind::F32:
      return builder.getF32Type();
    case Kind::F64:
      return builder.getF64Type();
    case Kind::Complex:
      return ComplexType::get(scalarType(*type.element));
    case Kind::Mod:
      return id::ModType::get(builder.getContext(), type.modulus);
    case Kind::Record: {
      SmallVector<Type> fields;
      for (const auto &field : type.fields)
        fields.push_back(scalarType(*field.second));
      return id::RecordType::get(builder.getContext(), fields);
    }
    case Kind::Array: { // of a record: as so many fields
      SmallVector<Type> elements(static_cast<size_t>(type.length), scalarType(*type.element));
      return id::RecordType::get(builder.getContext(), elements);
    }
    }
    llvm_unreachable("the types are listed");
  }

  Type sequenceType(int value) {
    const frontend::Sequence &sequence = program.values[value];
    SmallVector<int32_t> radices(sequence.radices.begin(), sequence.radices.end());
    return id::SeqType::get(builder.getContext(), radices, scalarType(*sequence.element));
  }

  /// The bytes of a constant as memory has them, every number rounded once.
  DenseElementsAttr memoryOf(const frontend::Constant &constant) {
    const frontend::Type &element = *program.values[constant.value].element;
    const auto layout = host::ElementType::parse(frontend::spellStructure(element));
    std::vector<char> bytes(constant.leaves.size() / layout.fields.size() * static_cast<size_t>(layout.bytes));
    frontend::storeScalars(constant.leaves, layout, bytes.data());
    auto shape = RankedTensorType::get({static_cast<int64_t>(bytes.size())}, builder.getI8Type());
    return DenseElementsAttr::getFromRawBuffer(shape, bytes);
  }

  void emit(const frontend::Step &step) {
    Location loc = place(step.loc);
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (int input : step.inputs)
      inputs.push_back(values[input]);
    for (int output : step.outputs)
      types.push_back(sequenceType(output));
    if (llvm::is_contained(inputs, Value()))
      return; // an earlier step failed
    repeatInputs(step, inputs, loc);
    Operation *op = nullptr;
    switch (step.kind) {
    case frontend::Step::Kind::Permute:
      op = id::PermuteOp::create(builder, loc, types[0], inputs[0],
                                 id::PermAttr::get(builder.getContext(), step.permutation));
      break;
    case frontend::Step::Kind::Resize: {
      auto resize = id::ResizeOp::create(builder, loc, types[0], inputs[0], step.lowest);
      if (!step.body.results.empty())
        emitBody(step.body, resize.getBody(), loc);
      op = resize;
      break;
    }
    case frontend::Step::Kind::Gather: {
      auto gather = id::GatherOp::create(builder, loc, types[0], inputs[0], step.lowest);
      emitBody(step.body, gather.getBody(), loc);
      op = gather;
      break;
    }
    case frontend::Step::Kind::Scatter: {
      auto scatter = id::ScatterOp::create(builder, loc, types[0], inputs[0], step.lowest);
      emitBody(step.body, scatter.getBody(), loc);
      if (!sendsEachApart(scatter))
        error(loc, "'scatter' sends elements to places of their own; of more than " +
                       std::to_string(frontend::maxTried) +
                       " this is known where the place is (a*k + b) % N, or each of its bits a sum of bits of k");
      op = scatter;
      break;
    }
    case frontend::Step::Kind::Node:
      if (!step.digits.empty()) {
        SmallVector<int64_t> digits(step.digits.begin(), step.digits.end());
        auto node = id::NodeOp::create(builder, loc, types, digits, inputs);
        emitBody(step.body, node.getBody(), loc);
        op = node;
        break;
      }
      [[fallthrough]]; // an empty range: arrays of one element
    case frontend::Step::Kind::Pointwise: {
      auto pointwise = id::PointwiseOp::create(builder, loc, types, inputs);
      emitBody(step.body, pointwise.getBody(), loc);
      op = pointwise;
      break;
    }
    }
    for (size_t i = 0; i < step.outputs.size(); ++i)
      values[step.outputs[i]] = op->getResult(i);
  }

  /// Gives every input of a step the digits that it lacks.
  void repeatInputs(const frontend::Step &step, SmallVector<Value> &inputs, Location loc) {
    if (step.broadcastDigits.empty())
      return;
    std::vector<int> radices = fullRadices(step);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<int> &own = program.values[step.inputs[i]].radices, &places = step.broadcastDigits[i];
      if (places.empty() && !own.empty())
        continue;
      // The digits that the input should have, and which of the repeated sequence's digits each is.
      bool array = i < step.arrayInput.size() && step.arrayInput[i];
      SmallVector<int32_t> wanted, repeated(own.begin(), own.end());
      std::vector<int> sources;
      for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit) {
        if (!array && llvm::is_contained(step.digits, digit))
          continue;
        wanted.push_back(radices[digit - 1]);
        auto at = llvm::find(places, digit);
        sources.push_back(at != places.end() ? static_cast<int>(at - places.begin()) + 1
                                             : static_cast<int>(repeated.size()) + 1);
        if (at == places.end())
          repeated.push_back(radices[digit - 1]);
      }
      Type element = id::elementOf(inputs[i].getType());
      auto type = [&](ArrayRef<int32_t> shape) { return id::SeqType::get(builder.getContext(), shape, element); };
      inputs[i] = builder.createOrFold<id::RepeatOp>(loc, type(repeated), inputs[i]);
      auto map = id::PermAttr::get(builder.getContext(), digits::Permutation::fromSources(sources));
      inputs[i] = builder.createOrFold<id::PermuteOp>(loc, type(wanted), inputs[i], map);
    }
  }

  /// The radices of the arrangement that has all digits of a step.
  std::vector<int> fullRadices(const frontend::Step &step) {
    for (size_t i = 0; i < step.outputs.size(); ++i)
      if (i >= step.arrayOutput.size() || step.arrayOutput[i] || step.digits.empty())
        return program.values[step.outputs[i]].radices;
    // The outputs lack the node's digits, an array input has them.
    std::vector<int> radices = program.values[step.outputs[0]].radices;
    for (int digit : sorted(step.digits))
      radices.insert(radices.begin() + (digit - 1), 0);
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (step.arrayInput[i]) {
        const std::vector<int> &own = program.values[step.inputs[i]].radices, &places = step.broadcastDigits[i];
        for (size_t k = 0; k < own.size(); ++k)
          radices[places.empty() ? k : places[k] - 1] = own[k];
      }
    return radices;
  }

  static std::vector<int> sorted(std::vector<int> digits) {
    llvm::sort(digits);
    return digits;
  }

  void emitBody(const frontend::Body &body, Region &region, Location loc) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region);
    SmallVector<Value> scalars;
    SmallVector<const frontend::Type *> types;
    llvm::SetVector<Value> entries; // of tables, which have them as attributes
    for (const frontend::TypeRef &param : body.params) {
      scalars.push_back(block->addArgument(scalarType(*param), loc));
      types.push_back(param.get());
    }
    for (const Instr &instr : body.instrs) {
      Location at = instr.loc.isValid() ? place(instr.loc) : loc;
      SmallVector<Value> operands;
      SmallVector<const frontend::Type *> operandTypes;
      for (int operand : instr.operands) {
        operands.push_back(scalars[operand]);
        operandTypes.push_back(types[operand]);
      }
      Value value;
      if (!llvm::is_contained(operands, Value())) {
        value = emitInstr(instr, operands, operandTypes.empty() ? *instr.type : *operandTypes.back(), at);
        if (!value)
          error(at, "this operation on " + frontend::spell(*instr.type) + " cannot be compiled to kernels yet");
      }
      if (instr.op == Code::Lookup)
        entries.insert(operands.begin() + 1, operands.end());
      scalars.push_back(value);
      types.push_back(instr.type.get());
    }
    SmallVector<Value> results;
    for (int result : body.results)
      results.push_back(scalars[result]);
    if (!llvm::is_contained(results, Value()))
      id::YieldOp::create(builder, loc, results);
    else
      failed = true;
    for (Value entry : entries)
      if (entry && entry.use_empty())
        entry.getDefiningOp()->erase();
  }

  /// True where no place is that of two elements, as tried by the front end, or known.
  static bool sendsEachApart(id::ScatterOp scatter) {
    const auto sent = scatter.getInput().getType().getRadices().take_front(scatter.getLowest());
    const auto places = scatter.getType().getRadices().take_front(static_cast<size_t>(scatter.getNewLowest()));
    return id::elementsOf(sent) <= frontend::maxTried || id::InverseMap::of(scatter.getBody(), sent, places);
  }

  void error(Location loc, const std::string &message) {
    if (!failed)
      emitError(loc) << message;
    failed = true;
  }

  static bool isUnsigned(const frontend::Type &t) {
    return (t.kind >= Kind::U8 && t.kind <= Kind::U64) || t.kind == Kind::Bool;
  }
  static bool isFloat(const frontend::Type &t) {
    return t.kind == Kind::F16 || t.kind == Kind::BF16 || t.kind == Kind::F32 || t.kind == Kind::F64;
  }

  /// A number of a type of reals; one of f32 is not rounded twice.
  FloatAttr rounded(Type type, long double number) {
    return builder.getFloatAttr(type, type.isF32() ? static_cast<float>(number) : static_cast<double>(number));
  }

  Value constant(const Instr &instr, Location loc) {
    Type type = scalarType(*instr.type);
    if (auto complex = dyn_cast<ComplexType>(type)) {
      auto part = [&](long double v) { return rounded(complex.getElementType(), v); };
      return complex::ConstantOp::create(builder, loc, complex,
                                         builder.getArrayAttr({part(instr.real), part(instr.imag)}));
    }
    if (isa<FloatType>(type))
      return arith::ConstantOp::create(builder, loc, rounded(type, instr.real));
    if (isa<IntegerType>(type))
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, instr.intValue));
    if (isa<id::ModType>(type))
      return id::ModConstantOp::create(builder, loc, type, instr.intValue);
    return {};
  }

  /// What a constant is.
  static Attribute valueOf(Value constant) {
    Operation *op = constant.getDefiningOp();
    return op->getAttr("value");
  }

  /// x^exponent in a prime field, by squaring.
  Value power(Value x, uint64_t exponent, Location loc) {
    Value result;
    for (; exponent; exponent >>= 1) {
      if (exponent & 1)
        result = result ? id::ModMulOp::create(builder, loc, result, x).getResult() : x;
      if (exponent > 1)
        x = id::ModMulOp::create(builder, loc, x, x);
    }
    return result;
  }

  /// The operations of prime fields; null for others.
  Value emitMod(const Instr &instr, ArrayRef<Value> v, uint64_t modulus, Location loc) {
    OpBuilder &b = builder;
    switch (instr.op) {
    case Code::Add:
      return id::ModAddOp::create(b, loc, v[0], v[1]);
    case Code::Sub:
      return id::ModSubOp::create(b, loc, v[0], v[1]);
    case Code::Mul:
      return id::ModMulOp::create(b, loc, v[0], v[1]);
    case Code::Div: // Fermat: the inverse is the power P - 2, 0 for 0; 1 is the only unit of mod<2>
      return id::ModMulOp::create(b, loc, v[0], modulus == 2 ? v[1] : power(v[1], modulus - 2, loc));
    case Code::Fma:
      return id::ModAddOp::create(b, loc, id::ModMulOp::create(b, loc, v[0], v[1]), v[2]);
    case Code::Neg:
      return id::ModSubOp::create(b, loc, id::ModConstantOp::create(b, loc, v[0].getType(), 0), v[0]);
    case Code::Eq:
      return id::ModEqualOp::create(b, loc, v[0], v[1]);
    case Code::Ne: {
      Value equal = id::ModEqualOp::create(b, loc, v[0], v[1]);
      return arith::XOrIOp::create(b, loc, equal, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    }
    case Code::Conj:
      return v[0];
    default:
      return {};
    }
  }

  /// `operandType` is the type of the last operand: what a comparison or a conversion works on.
  Value emitInstr(const Instr &instr, ArrayRef<Value> v, const frontend::Type &operandType, Location loc) {
    OpBuilder &b = builder;
    Type type = scalarType(*instr.type);
    bool isComplex = operandType.kind == Kind::Complex, real = isFloat(operandType), uns = isUnsigned(operandType);
    bool integer = !isComplex && !real && operandType.kind != Kind::Mod;
    bool selects = instr.op == Code::Select || instr.op == Code::Lookup || instr.op == Code::Convert || v.empty();
    if (operandType.kind == Kind::Mod && !selects)
      return emitMod(instr, v, operandType.modulus, loc);
    switch (instr.op) {
    case Code::Constant:
      return constant(instr, loc);
    case Code::Digit:
      return id::DigitOp::create(b, loc, b.getI64Type(), instr.digit);
    case Code::Omega:
      return id::OmegaOp::create(b, loc, type, instr.root, id::PolyAttr::get(b.getContext(), instr.poly),
                                 v.empty() ? Value() : v[0]);
    case Code::Lookup:
      return id::LookupOp::create(b, loc, type, v[0], b.getArrayAttr(llvm::map_to_vector(v.drop_front(), valueOf)));
    case Code::ScalarParam:
      return id::ParameterOp::create(b, loc, type, instr.digit);
    case Code::Add:
      return isComplex ? complex::AddOp::create(b, loc, v[0], v[1]).getResult()
             : real    ? arith::AddFOp::create(b, loc, v[0], v[1]).getResult()
             : integer ? arith::AddIOp::create(b, loc, v[0], v[1]).getResult()
                       : Value();
    case Code::Sub:
      return isComplex ? complex::SubOp::create(b, loc, v[0], v[1]).getResult()
             : real    ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult()
             : integer ? arith::SubIOp::create(b, loc, v[0], v[1]).getResult()
                       : Value();
    case Code::Mul:
      return isComplex ? complex::MulOp::create(b, loc, v[0], v[1]).getResult()
             : real    ? arith::MulFOp::create(b, loc, v[0], v[1]).getResult()
             : integer ? arith::MulIOp::create(b, loc, v[0], v[1]).getResult()
                       : Value();
    case Code::Div:
      return isComplex        ? complex::DivOp::create(b, loc, v[0], v[1]).getResult()
             : real           ? arith::DivFOp::create(b, loc, v[0], v[1]).getResult()
             : integer && uns ? arith::DivUIOp::create(b, loc, v[0], divisor(v[0], v[1], uns, loc)).getResult()
             : integer        ? arith::DivSIOp::create(b, loc, v[0], divisor(v[0], v[1], uns, loc)).getResult()
                              : Value();
    case Code::Rem:
      return uns ? arith::RemUIOp::create(b, loc, v[0], divisor(v[0], v[1], uns, loc)).getResult()
                 : arith::RemSIOp::create(b, loc, v[0], divisor(v[0], v[1], uns, loc)).getResult();
    case Code::Neg:
      if (isComplex)
        return complex::NegOp::create(b, loc, v[0]);
      if (real)
        return arith::NegFOp::create(b, loc, v[0]);
      return integer ? arith::SubIOp::create(b, loc, zero(type, loc), v[0]).getResult() : Value();
    case Code::And:
      return arith::AndIOp::create(b, loc, v[0], v[1]);
    case Code::Or:
      return arith::OrIOp::create(b, loc, v[0], v[1]);
    case Code::Xor:
      return arith::XOrIOp::create(b, loc, v[0], v[1]);
    case Code::Not:
      return arith::XOrIOp::create(b, loc, v[0],
                                   arith::ConstantOp::create(b, loc, b.getIntegerAttr(v[0].getType(), -1)));
    case Code::Shl:
    case Code::Shr:
      return shift(instr.op, v[0], v[1], uns, loc);
    case Code::Eq:
    case Code::Ne:
    case Code::Lt:
    case Code::Le:
    case Code::Gt:
    case Code::Ge:
      return compare(instr.op, v[0], v[1], operandType, loc);
    case Code::Select:
      return arith::SelectOp::create(b, loc, v[0], v[1], v[2]);
    case Code::Min: // min(a, b) is b if b < a, else a
      return integer || real
                 ? arith::SelectOp::create(b, loc, compare(Code::Lt, v[1], v[0], operandType, loc), v[1], v[0])
                 : Value();
    case Code::Max: // max(a, b) is a if b < a, else b
      return integer || real
                 ? arith::SelectOp::create(b, loc, compare(Code::Lt, v[1], v[0], operandType, loc), v[0], v[1])
                 : Value();
    case Code::Abs:
      if (isComplex)
        return complex::AbsOp::create(b, loc, v[0]);
      if (real)
        return math::AbsFOp::create(b, loc, v[0]);
      return uns ? v[0] : math::AbsIOp::create(b, loc, v[0]).getResult();
    case Code::Sqrt:
      return real ? math::SqrtOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Rsqrt:
      return real ? math::RsqrtOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Exp:
      return real ? math::ExpOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Log:
      return real ? math::LogOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Sin:
      return real ? math::SinOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Cos:
      return real ? math::CosOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Tanh:
      return real ? math::TanhOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Erf:
      return real ? math::ErfOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Pow:
      return real ? math::PowFOp::create(b, loc, v[0], v[1]).getResult() : Value();
    case Code::Atan2:
      return real ? math::Atan2Op::create(b, loc, v[0], v[1]).getResult() : Value();
    case Code::Floor:
      return real ? math::FloorOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Ceil:
      return real ? math::CeilOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Round:
      return real ? math::RoundEvenOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Popcount:
      return integer ? math::CtPopOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Clz:
      return integer ? math::CountLeadingZerosOp::create(b, loc, v[0]).getResult() : Value();
    case Code::Fma:
      if (isComplex)
        return complex::AddOp::create(b, loc, complex::MulOp::create(b, loc, v[0], v[1]), v[2]);
      if (real)
        return math::FmaOp::create(b, loc, v[0], v[1], v[2]);
      return integer ? arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, v[0], v[1]), v[2]).getResult()
                     : Value();
    case Code::Conj:
      return isComplex ? complex::ConjOp::create(b, loc, v[0]).getResult() : v[0];
    case Code::Re:
      return complex::ReOp::create(b, loc, v[0]);
    case Code::Im:
      return complex::ImOp::create(b, loc, v[0]);
    case Code::MakeComplex:
      return complex::CreateOp::create(b, loc, type, v[0], v[1]);
    case Code::Convert:
      return convert(v[0], operandType, *instr.type, loc);
    }
    return {};
  }

  Value zero(Type type, Location loc) { return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)); }

  Value integerConstant(Type type, const APInt &value, Location loc) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }

  /// What x is divided by: 1 in place of a divisor that has no quotient, 0, or -1 where x is the least integer, whose
  /// quotient by 1 is the wrapped one. Constants that always have a quotient stay as they are.
  Value divisor(Value x, Value y, bool isUnsigned, Location loc) {
    APInt known;
    if (matchPattern(y, m_ConstantInt(&known)) && !known.isZero() && (isUnsigned || !known.isAllOnes()))
      return y;
    OpBuilder &b = builder;
    Type type = y.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    auto equal = [&](Value v, const APInt &value) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, v, integerConstant(type, value, loc));
    };
    Value without = equal(y, APInt::getZero(width));
    if (!isUnsigned) {
      Value wraps =
          arith::AndIOp::create(b, loc, equal(y, APInt::getAllOnes(width)), equal(x, APInt::getSignedMinValue(width)));
      without = arith::OrIOp::create(b, loc, without, wraps);
    }
    return arith::SelectOp::create(b, loc, without, integerConstant(type, APInt(width, 1), loc), y);
  }

  /// x << amount or x >> amount, where an amount of the width or more, compared unsigned, moves every bit out.
  Value shift(Code op, Value x, Value amount, bool isUnsigned, Location loc) {
    OpBuilder &b = builder;
    Type type = x.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    APInt known;
    Value inside; // null: the amount is known to be less than the width
    if (!matchPattern(amount, m_ConstantInt(&known)) || known.uge(width))
      inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, amount,
                                     integerConstant(type, APInt(width, width), loc));
    if (op == Code::Shr && !isUnsigned) {
      if (inside) // a shift by width - 1 leaves copies of the sign
        amount = arith::SelectOp::create(b, loc, inside, amount, integerConstant(type, APInt(width, width - 1), loc));
      return arith::ShRSIOp::create(b, loc, x, amount);
    }
    Value shifted = op == Code::Shl ? arith::ShLIOp::create(b, loc, x, amount).getResult()
                                    : arith::ShRUIOp::create(b, loc, x, amount).getResult();
    return inside ? arith::SelectOp::create(b, loc, inside, shifted, zero(type, loc)).getResult() : shifted;
  }

  Value compare(Code op, Value a, Value b, const frontend::Type &type, Location loc) {
    if (type.kind == Kind::Complex) {
      if (op == Code::Eq)
        return complex::EqualOp::create(builder, loc, a, b);
      return op == Code::Ne ? complex::NotEqualOp::create(builder, loc, a, b).getResult() : Value();
    }
    if (isFloat(type)) {
      auto predicate = op == Code::Eq   ? arith::CmpFPredicate::OEQ
                       : op == Code::Ne ? arith::CmpFPredicate::UNE
                       : op == Code::Lt ? arith::CmpFPredicate::OLT
                       : op == Code::Le ? arith::CmpFPredicate::OLE
                       : op == Code::Gt ? arith::CmpFPredicate::OGT
                                        : arith::CmpFPredicate::OGE;
      return arith::CmpFOp::create(builder, loc, predicate, a, b);
    }
    if (type.kind == Kind::Mod)
      return {};
    bool u = isUnsigned(type);
    auto predicate = op == Code::Eq   ? arith::CmpIPredicate::eq
                     : op == Code::Ne ? arith::CmpIPredicate::ne
                     : op == Code::Lt ? (u ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt)
                     : op == Code::Le ? (u ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle)
                     : op == Code::Gt ? (u ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                                      : (u ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge);
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  Value convert(Value v, const frontend::Type &from, const frontend::Type &to, Location loc) {
    Type type = scalarType(to);
    if (from.kind == Kind::Mod && to.kind == Kind::Mod)
      return from.modulus == to.modulus ? v : Value();
    if (from.kind == Kind::Mod) {
      Value residue = id::ModToOp::create(builder, loc, v);
      frontend::Type wide{};
      wide.kind = Kind::U64;
      return convert(residue, wide, to, loc);
    }
    if (to.kind == Kind::Mod) {
      if (isFloat(from) || from.kind == Kind::Complex)
        return {};
      frontend::Type wide{};
      wide.kind = isUnsigned(from) ? Kind::U64 : Kind::I64;
      return id::ModFromOp::create(builder, loc, type, convert(v, from, wide, loc), !isUnsigned(from));
    }
    if (to.kind == Kind::Complex) {
      if (from.kind == Kind::Complex) {
        Value re = complex::ReOp::create(builder, loc, v), im = complex::ImOp::create(builder, loc, v);
        return complex::CreateOp::create(builder, loc, type, convert(re, *from.element, *to.element, loc),
                                         convert(im, *from.element, *to.element, loc));
      }
      Type part = scalarType(*to.element);
      return complex::CreateOp::create(builder, loc, type, convert(v, from, *to.element, loc), zero(part, loc));
    }
    if (v.getType() == type)
      return v;
    if (isFloat(from) && isFloat(to)) {
      unsigned a = v.getType().getIntOrFloatBitWidth(), b = type.getIntOrFloatBitWidth();
      if (a == b) // f16 and bf16: through f32
        return arith::TruncFOp::create(builder, loc, type,
                                       arith::ExtFOp::create(builder, loc, builder.getF32Type(), v));
      return a < b ? arith::ExtFOp::create(builder, loc, type, v).getResult()
                   : arith::TruncFOp::create(builder, loc, type, v).getResult();
    }
    if (isFloat(from))
      return isUnsigned(to) ? arith::FPToUIOp::create(builder, loc, type, v).getResult()
                            : arith::FPToSIOp::create(builder, loc, type, v).getResult();
    if (isFloat(to))
      return isUnsigned(from) ? arith::UIToFPOp::create(builder, loc, type, v).getResult()
                              : arith::SIToFPOp::create(builder, loc, type, v).getResult();
    if (to.kind == Kind::Bool)
      return compare(Code::Ne, v, zero(v.getType(), loc), from, loc);
    unsigned a = v.getType().getIntOrFloatBitWidth(), b = type.getIntOrFloatBitWidth();
    if (a > b)
      return arith::TruncIOp::create(builder, loc, type, v);
    return isUnsigned(from) ? arith::ExtUIOp::create(builder, loc, type, v).getResult()
                            : arith::ExtSIOp::create(builder, loc, type, v).getResult();
  }
};

} // namespace

OwningOpRef<ModuleOp> irgen::generate(const frontend::Program &program, const llvm::SourceMgr &sources,
                                      MLIRContext &context) {
  context
      .loadDialect<id::IdDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect, complex::ComplexDialect>();
  return Generator(program, sources, context).run();
}
