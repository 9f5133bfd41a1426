// Programs whose arrays lie in the memory of the host, and pass through a device in chunks.
//
//   func.func @f(%x: S) -> S attributes {id.memory = 8589934592 : i64} {
//     %0 = call @f_p0(%x) : (S) -> S
//     return %0 : S
//   }
//   func.func @f_p0(%x: S {id.device_digits = array<i64: 12, 11>}) -> (S {id.device_digits = array<i64: 6, 5>})
//       attributes {id.devices = 4 : i64}
// The function is the program of the host: each call is a pass over the data. A pass is a function of kernels as for
// several devices, of which one device takes the parts: chunk after chunk its parts of the arguments are copied in,
// the kernels run, and its parts of the results are copied out (id/Devices.h says which parts). No kernel reaches what
// another chunk has.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::id {

/// On a function whose arguments and results lie in host memory: the bytes of device memory that it may take.
constexpr const char memoryAttr[] = "id.memory";
/// On the same: its arrays are those of the program, and not the beginnings of longer sequences with digits that can
/// number chunks.
constexpr const char asGivenAttr[] = "id.as_given";
/// 0 without the attribute.
int64_t memoryOf(mlir::func::FuncOp function);
/// On the same: bytes of the largest tile that a block's kernel shall have, so that passes find digits which none of
/// their kernels' tiles take; and once it is a host program, the seconds that its passes take on the link.
constexpr const char tileBytesAttr[] = "id.tile_bytes", secondsAttr[] = "id.link_seconds";

/// Of a function that carries it, those seconds.
double secondsOf(mlir::func::FuncOp function);
void setSeconds(mlir::func::FuncOp function, double seconds);

/// On the function: the CPU of the host takes a share of the chunks, K of M for array<i64: K, M>, as many as are
/// counted to pay for none. Then on a pass of which it takes some: the function of kernels for the CPU, which work on
/// the arrays of the host as they are, chunk by chunk in order of their blocks; and how many chunks, the last ones.
constexpr const char cpuShareAttr[] = "id.cpu_share", onCpuAttr[] = "id.on_cpu", cpuChunksAttr[] = "id.cpu_chunks";
/// That function; null where the pass has none.
mlir::func::FuncOp onCpuOf(mlir::func::FuncOp pass);
int64_t cpuChunksOf(mlir::func::FuncOp pass);

/// On arguments and results of a pass: its kernels reach the host's array where it lies, and nothing is copied.
constexpr const char reachedAttr[] = "id.reached";
/// Whether a pass that makes or takes a value of a host program reaches it where it lies.
bool isReached(mlir::Value value);

/// Whether some pass of a host program reaches arrays where these lie. Other plans go before such, whatever is counted:
/// what reaching takes depends on more than the bytes.
bool reachesHost(mlir::func::FuncOp function);

/// The calls of a host program, in order; none in other functions.
llvm::SmallVector<mlir::func::CallOp> passesOf(mlir::func::FuncOp function);
/// The function of kernels that a pass calls.
mlir::func::FuncOp functionOf(mlir::func::CallOp pass);
/// The functions for the CPU of a host program's passes, of those that have one, in their order.
llvm::SmallVector<mlir::func::FuncOp> cpuFunctionsOf(mlir::func::FuncOp function);

} // namespace idc::id
