// Registration of the machine dialect.
#include "machine/MachineDialect.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace idc::machine;

#include "machine/MachineDialect.cpp.inc"
#include "machine/MachineEnums.cpp.inc"
#define GET_OP_CLASSES
#include "machine/MachineOps.cpp.inc"

void MachineDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "machine/MachineOps.cpp.inc"
      >();
}
