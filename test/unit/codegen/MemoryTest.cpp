// Every access to memory and every exchange of the kernels that the planner makes of the library's transforms, counted
// by brute force: exchanges through shared memory meet in no bank, loads and stores use all bytes of the 32-byte
// sectors that they touch.
#include "compiler/codegen/Compiler.h"
#include "compiler/conversion/addresses/Access.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace idc;
using digits::Field;
using digits::Mapping;

namespace {

struct Case {
  const char *file, *entry, *type, *target;
};

class Memory : public ::testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    context.loadDialect<id::IdDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                        mlir::complex::ComplexDialect>();
  }

  /// The kernels of 2^n elements; null with a failure added.
  mlir::OwningOpRef<mlir::ModuleOp> stages(int n) {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + GetParam().file;
    request.libraries = {IDC_STDLIB};
    request.entry = GetParam().entry;
    request.sizes["n"] = n;
    request.types["T"] = GetParam().type;
    request.target = GetParam().target;
    codegen::Compiler compiler(request);
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    llvm::Expected<std::string> text = compiler.emit(codegen::Level::Stages, stream);
    if (!text) {
      ADD_FAILURE() << llvm::toString(text.takeError()) << errors;
      return {};
    }
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(*text, &context);
    if (!module)
      ADD_FAILURE() << "the stages cannot be read back:\n" << *text;
    return module;
  }

  void checkExchange(id::ExchangeOp op) {
    if (op.getKind() != id::ExchangeKind::Shared)
      return;
    ASSERT_TRUE(op.getLayout());
    ++exchanges;
    digits::SharedLayout layout = op.getLayoutAttr().getLayout();
    int64_t wordBytes = id::elementBytes(op.getInput().getType().getElement());
    for (id::TileType type : {op.getInput().getType(), op.getResult().getType()})
      EXPECT_EQ(digits::countConflicts(type.getMapping(), layout, wordBytes), 1)
          << "bank conflicts of " << type.getMappingText().str();
  }

  /// `order`: the tile's digits from the lowest address up; `vectorBits`: register columns of one wide access.
  void checkAccess(const char *what, id::TileType type, digits::AddressOrder order,
                   const std::vector<int> &vectorBits) {
    ++accesses;
    Mapping mapping = type.getMapping();
    for (int d = type.getNumDigits() + 1; d <= static_cast<int>(mapping.digits().size()); ++d)
      order.push_back(d);
    // The counter takes the lowest register columns as the wide access.
    std::vector<digits::Column> registers;
    for (int bit : vectorBits)
      registers.push_back(mapping[Field::Reg][bit]);
    for (size_t i = 0; i < mapping[Field::Reg].size(); ++i)
      if (std::find(vectorBits.begin(), vectorBits.end(), static_cast<int>(i)) == vectorBits.end())
        registers.push_back(mapping[Field::Reg][i]);
    mapping[Field::Reg] = registers;
    digits::AccessCount count =
        digits::countAccess(mapping, order, id::elementBytes(type.getElement()), static_cast<int>(vectorBits.size()));
    EXPECT_EQ(count.sectors * 32, count.usefulBytes) << what << " of " << type.getMappingText().str();
  }

  mlir::MLIRContext context;
  int exchanges = 0, accesses = 0;
};

TEST_P(Memory, NoConflictsAndFullSectors) {
  for (int n = 1; n <= 26; ++n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    mlir::OwningOpRef<mlir::ModuleOp> module = stages(n);
    if (!module)
      continue;
    int before = accesses;
    module->walk([&](id::ExchangeOp op) { checkExchange(op); });
    module->walk([&](id::LoadOp op) {
      id::TileType type = op.getResult().getType();
      digits::Permutation map = op.getMap().getPermutation();
      digits::AddressOrder order;
      for (int place = 1; place <= map.size(); ++place)
        order.push_back(map.destination(place));
      int64_t widest = std::max<int64_t>(1, 16 / id::elementBytes(type.getElement()));
      checkAccess("load", type, order, conversion::loadAccess(type.getMapping(), map, map.size(), widest).vectorBits);
    });
    module->walk([&](id::StoreOp op) {
      id::TileType type = op.getTile().getType();
      digits::Permutation map = op.getMap().getPermutation();
      digits::AddressOrder order;
      for (int place = 1; place <= map.size(); ++place)
        order.push_back(map.source(place));
      int64_t widest = std::max<int64_t>(1, 16 / id::elementBytes(type.getElement()));
      checkAccess("store", type, order, conversion::storeAccess(type.getMapping(), map, widest).vectorBits);
    });
    EXPECT_GE(accesses, before + 2) << "a kernel loads and stores";
  }
  EXPECT_GE(exchanges, 20) << "large transforms exchange";
}

std::string name(const ::testing::TestParamInfo<Case> &info) {
  return std::string(info.param.entry) + "_" + info.param.type + "_" + info.param.target;
}

#define IDC_CASES(FILE, ENTRY)                                                                                         \
  Case{FILE, ENTRY, "f32", "sm_90"}, Case{FILE, ENTRY, "f64", "sm_90"}, Case{FILE, ENTRY, "f32", "sm_80"}, Case {      \
    FILE, ENTRY, "f64", "sm_80"                                                                                        \
  }
INSTANTIATE_TEST_SUITE_P(Library, Memory,
                         ::testing::Values(IDC_CASES("fft.id", "fft"), IDC_CASES("fft.id", "ifft"),
                                           IDC_CASES("fft.id", "fft_ct"), IDC_CASES("hadamard.id", "hadamard")),
                         name);

} // namespace
