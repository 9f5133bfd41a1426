#include "compiler/explain/TileValues.h"

#include "compiler/codegen/ManifestWriter.h"
#include "compiler/conversion/LowerToGpu.h"
#include "compiler/emulator/EmulatedModule.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/ScalarMemory.h"
#include "host/Arrays.h"
#include "host/ElementText.h"
#include "host/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::explain;
using frontend::Scalar;

static constexpr int64_t mostElements = 4096;

/// The leaves of `elements` elements that are first, first + 1, …
static std::vector<Scalar> numbered(int64_t first, int64_t elements, const frontend::TypeRef &element) {
  std::vector<Scalar> all;
  const std::vector<frontend::TypeRef> types = frontend::leaves(element);
  for (int64_t k = first; k < first + elements; ++k)
    for (const frontend::TypeRef &type : types) {
      Scalar leaf;
      leaf.re = static_cast<long double>(k);
      leaf.integer = type->kind == frontend::Type::Kind::Bool ? k % 2
                     : type->kind == frontend::Type::Kind::Mod
                         ? k % static_cast<int64_t>(std::min<uint64_t>(type->modulus, INT64_MAX))
                         : k;
      all.push_back(leaf);
    }
  return all;
}

std::vector<std::vector<Scalar>> explain::numberedInputs(const Facts &facts) {
  std::vector<std::vector<Scalar>> all;
  int64_t first = 0;
  for (const auto &[parameter, array] : llvm::zip(facts.program->inputs, facts.inputs)) {
    all.push_back(numbered(first, array.elements, facts.program->values[static_cast<size_t>(parameter.value)].element));
    first += array.elements;
  }
  return all;
}

namespace {

/// What is 16 bytes at least, at an address that is a multiple of 16.
class Memory {
public:
  void *room(int64_t bytes) {
    blocks.emplace_back(static_cast<size_t>(bytes) / sizeof(Block) + 1, Block{});
    return blocks.back().data();
  }

private:
  using Block = std::array<uint32_t, 4>;
  std::vector<std::vector<Block>> blocks;
};

/// The function up to a tile of one of its kernels, which is its only result.
class CutFunction {
public:
  CutFunction(mlir::func::FuncOp whole, size_t kernel, unsigned operation)
      : module(mlir::cast<mlir::ModuleOp>(whole->getParentOp()->clone())) {
    mlir::func::FuncOp function = get();
    const auto kernels = llvm::to_vector(function.getOps<id::KernelOp>());
    mlir::Operation *terminator = function.front().getTerminator();
    id::KernelOp cut = storing(kernels[kernel], operation);
    mlir::OpBuilder b(terminator);
    mlir::func::ReturnOp::create(b, terminator->getLoc(), cut.getOutputs());
    terminator->erase();
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (op.use_empty() && !op.hasTrait<mlir::OpTrait::IsTerminator>())
        op.erase();
    function.setFunctionType(b.getFunctionType(function.getArgumentTypes(), cut.getOutputs().getTypes()));
  }

  mlir::func::FuncOp get() { return *module->getOps<mlir::func::FuncOp>().begin(); }
  id::SeqType result() { return mlir::cast<id::SeqType>(get().getResultTypes().front()); }

private:
  /// The kernel with a store of the tile, by its index, in the place of all that follows.
  static id::KernelOp storing(id::KernelOp kernel, unsigned operation) {
    mlir::Block &body = kernel.getBody().front();
    mlir::Operation *made = &*std::next(body.begin(), operation);
    const mlir::Value tile = made->getResult(0);
    const auto type = mlir::cast<id::TileType>(tile.getType());
    while (&body.back() != made)
      body.back().erase();
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&body);
    const auto stored = id::SeqType::get(b.getContext(), type.getRadices(), type.getElement());
    const mlir::Location loc = kernel.getLoc();
    auto order = id::PermAttr::get(b.getContext(), digits::Permutation::identity(type.getNumDigits()));
    mlir::Value buffer = id::StoreOp::create(b, loc, stored, tile, order, mlir::UnitAttr());
    id::YieldOp::create(b, loc, buffer);
    b.setInsertionPoint(kernel);
    auto cut = id::KernelOp::create(b, loc, mlir::TypeRange(stored), kernel.getNameAttr(), kernel.getLaunchAttr(),
                                    kernel.getInputs());
    cut.getBody().takeBody(kernel.getBody());
    return cut;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class Observer {
public:
  Observer(codegen::Compiler &compiler, const Facts &facts, mlir::func::FuncOp function)
      : facts(facts), function(function), target(compiler.target()) {}

  /// The elements of a tile, or none where no kernel can be made of what is left.
  std::vector<std::string> observe(size_t kernel, unsigned operation) {
    mlir::ScopedDiagnosticHandler quiet(function.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
    CutFunction cut(function, kernel, operation);
    std::vector<conversion::LoweredKernel> launches;
    if (failed(mlir::verify(cut.get())))
      return {};
    mlir::OwningOpRef<mlir::ModuleOp> lowered = conversion::lowerToGpu(cut.get(), target, launches);
    if (!lowered)
      return {};
    const id::SeqType result = cut.result();
    codegen::ManifestInfo info;
    info.entry = facts.program->entry, info.symbol = facts.symbol, info.target = facts.target;
    for (const Array &input : facts.inputs)
      info.inputs.push_back(dense(input.name, input.type, input.elementBytes, input.elements));
    for (const frontend::ScalarParameter &scalar : facts.program->scalars) {
      const std::string type = frontend::spellStructure(*scalar.type);
      info.scalars.push_back({scalar.name, type, host::ElementType::parse(type).bytes});
    }
    info.outputs.push_back(
        dense("tile", spelled(result.getElement()), id::elementBytes(result.getElement()), result.getNumElements()));
    info.outputs.back().isOutput = true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    lowered->print(stream);
    auto module = emulator::EmulatedModule::create(text, codegen::writeManifest(info, launches, {}), {});
    if (!module) {
      llvm::consumeError(module.takeError());
      return {};
    }
    return run(**module, info.outputs.back());
  }

private:
  const Facts &facts;
  mlir::func::FuncOp function;

  static codegen::ManifestArray dense(const std::string &name, const std::string &type, int64_t bytes,
                                      int64_t elements) {
    codegen::ManifestArray array;
    array.name = name, array.type = type, array.elementBytes = bytes, array.elements = elements;
    return array;
  }
  const passes::Target &target;

  std::vector<std::string> run(const emulator::EmulatedModule &module, const codegen::ManifestArray &output) {
    Memory memory;
    auto filled = [&](const std::vector<Scalar> &leaves, const frontend::Type &element, int64_t bytes) {
      void *at = memory.room(bytes);
      frontend::storeScalars(leaves, host::ElementType::parse(frontend::spellStructure(element)),
                             static_cast<char *>(at));
      return at;
    };
    std::vector<const void *> inputs, scalars;
    for (const auto &[parameter, array, leaves] : llvm::zip(facts.program->inputs, facts.inputs, numberedInputs(facts)))
      inputs.push_back(filled(leaves, *facts.program->values[static_cast<size_t>(parameter.value)].element,
                              array.elements * array.elementBytes));
    for (const auto &[scalar, value] :
         llvm::zip(facts.program->scalars, frontend::scalarsNear(*facts.program, /*wanted=*/1)))
      scalars.push_back(filled({value}, *scalar.type, sizeof(Scalar)));
    int64_t workspace = 0;
    idc_workspace_size(&module, 1, &workspace);
    const int64_t bytes = output.elements * output.elementBytes;
    void *const result = memory.room(bytes);
    if (idc_launch(&module, 1, inputs.data(), scalars.data(), &result, memory.room(workspace), nullptr) != IDC_SUCCESS)
      return {};
    const char *begin = static_cast<const char *>(result);
    const npy::Array values =
        host::toArray({begin, begin + bytes}, host::ElementType::parse(output.type), 1, output.elements);
    std::vector<std::string> texts;
    for (int64_t k = 0; k < output.elements; ++k)
      texts.push_back(host::elementText(values, k, values.elements() / output.elements, /*digits=*/4));
    return texts;
  }

  /// As manifests have it: as it is called where the program takes or gives it, as integers have no sign here.
  std::string spelled(mlir::Type element) {
    for (const auto &[type, array] : llvm::zip(function.getArgumentTypes(), facts.inputs))
      if (id::elementOf(type) == element)
        return array.type;
    for (const auto &[type, array] : llvm::zip(function.getResultTypes(), facts.outputs))
      if (id::elementOf(type) == element)
        return array.type;
    if (element.isInteger(1))
      return "bool";
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return text;
  }
};

bool isObserved(const Kernel &kernel) {
  return !kernel.isPersistent && kernel.team == 1 && llvm::none_of(kernel.events, [](const Event &event) {
    const auto *access = std::get_if<Access>(&event);
    return access && access->staysInCache;
  });
}

} // namespace

std::vector<TileValues> explain::observeTiles(codegen::Compiler &compiler, const Facts &facts) {
  std::vector<TileValues> all(facts.kernels.size());
  llvm::Expected<mlir::func::FuncOp> function = compiler.stages(llvm::nulls());
  if (!function) {
    llvm::consumeError(function.takeError());
    return all;
  }
  auto isSmall = [](const Array &array) { return array.elements <= mostElements; };
  if (!facts.passes.empty() || !llvm::all_of(facts.inputs, isSmall) || !llvm::all_of(facts.outputs, isSmall) ||
      !llvm::all_of(facts.kernels, isObserved))
    return all;
  Observer observer(compiler, facts, *function);
  for (auto [number, kernel] : llvm::enumerate(facts.kernels))
    for (const Event &event : kernel.events) {
      const Tile &tile = std::visit([](const auto &each) -> const Tile & { return each.tile; }, event);
      if (tile.radices.empty() || tile.elements() > mostElements || all[number].count(tile.operation))
        continue;
      try {
        all[number][tile.operation] = observer.observe(number, tile.operation);
      } catch (const host::Error &) { // an element that nothing outside of kernels has
      }
    }
  return all;
}
