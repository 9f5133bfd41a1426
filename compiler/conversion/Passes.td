// The passes from planned kernels to code.
#ifndef ID_CONVERSION_PASSES_TD
#define ID_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceBarriers : Pass<"id-place-barriers", "::mlir::func::FuncOp"> {
  let summary = "say around every exchange which threads meet, and where it lies in shared memory";
  let description = [{
    Exchanges through memory get `id.before`, who meets before their memory is written, `id.between`, who meets before it
    is read, and `id.shared_offset`; a kernel `id.shared_bytes`, what a tile takes. In a chain's kernel exchanges take
    turns in one place, in others those share one that do not live at the same time. A node on turns has a place for its
    totals, what a team parks two (`id.parked`, `id.parked_bytes` apart).

        %1 = id.exchange %0 by shared <…> : T -> T'
        %1 = id.exchange %0 by shared <…> {id.before = #id.meeting<none>, id.between = #id.meeting<block>, id.shared_offset = 0} : T -> T'
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PlaceDevices : Pass<"id-place-devices", "::mlir::func::FuncOp"> {
  let summary = "say which digits number devices: those of a kernel's tiles, and those of the sequences between kernels";
  let description = [{
    For a function with `id.devices`. Digits that number blocks become those of devices, so that every device does a part
    of a kernel's blocks; the ones are taken for which the fewest bytes go from device to device. What a kernel stores is
    where the kernel that loads it first needs it; a kernel whose blocks cannot be divided runs on every device, and so
    does every device have what it makes. Arguments and results are distributed as `id.distribution` asks for. Digits
    that the mappings of a kernel, of a schedule, name as those of devices are taken as they are.

        func.func @f(%x: S) -> S attributes {id.devices = 2 : i64} {
          %0 = id.kernel "f_k0" grid(%x) : (S) -> S {… !id.tile<2**12, "reg(12..9) lane(5..1) block(8..6)", f32> …}

        func.func @f(%x: S {id.device_digits = array<i64: 12>}) -> (S {id.device_digits = array<i64: 12>}) … {
          %0 = id.kernel "f_k0" grid(%x) : (S) -> S {… !id.tile<2**12, "reg(12..9) lane(5..1) block(7..6) device(8)", f32> …}
               {id.device_digits = [array<i64: 8>]}
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def CutPasses : Pass<"id-cut-passes", "::mlir::ModuleOp"> {
  let summary = "divide kernels whose arrays lie in host memory into passes over the data, each for chunks of it";
  let description = [{
    For functions with `id.memory`, whose kernels have been planned for `id.devices` chunks. Kernels that follow each other
    and can have the same digits numbering their chunks become a function of their own, as for several devices, but
    that no kernel reaches what other chunks have. What stays is a call for every pass; values between them lie in host
    memory.

        func.func @f(%x: S) -> S attributes {id.devices = 4 : i64, id.memory = 65536 : i64} {
          %0 = id.kernel "f_k0" grid(%x) : (S) -> S {…}

        func.func @f(%x: S) -> S attributes {id.memory = 65536 : i64} {
          %0 = call @f_p0(%x) : (S) -> S
        …
        func.func @f_p0(%x: S {id.device_digits = array<i64: 2, 1>}) -> (S {id.device_digits = array<i64: 8, 7>})
            attributes {id.devices = 4 : i64} {
          %0 = id.kernel "f_k0" grid(%x) {id.device_digits = [array<i64: 8, 7>]} : (S) -> S {…}
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose link to the host is meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::func::FuncDialect"];
}

def ChunksOnCpu : Pass<"id-chunks-on-cpu", "::mlir::ModuleOp"> {
  let summary = "let the CPU of the host take a share of the chunks of passes over data in its memory";
  let description = [{
    For host programs with `id.cpu_share`. What a pass computes is planned again for the CPU, as a function whose kernels
    work on the arrays of the host as they are, as far as these go (`id.array`); the digits of chunks are the highest of
    their blocks, and what goes from kernel to kernel is divided by them. The pass says how many chunks are the CPU's.
    Passes that cannot be planned so, or not in place for a host program with `id.in_place`, or of which no share pays,
    stay as they are.

        func.func @f_p0(%x: S {id.device_digits = …}) -> (S {…}) attributes {id.devices = 16 : i64} {…}

        func.func @f_p0(…) -> … attributes {id.devices = 16 : i64, id.on_cpu = @f_p0_cpu, id.cpu_chunks = 3 : i64} {…}
        func.func @f_p0_cpu(%x: S) -> S {
          %0 = id.kernel "f_p0_cpu_k0" grid(%x) {id.device_digits = [array<i64: 13, 12, 11, 10>]} : (S) -> S {…}
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose link to the host is meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::func::FuncDialect"];
}

def PlaceBuffers : Pass<"id-place-buffers", "::mlir::func::FuncOp"> {
  let summary = "say which memory kernels read and write, and which results may lie on which arguments";
  let description = [{
    Kernels get `id.places`, one for each operand and result: an input or output of the function by its number, or a place
    in the workspace in bytes, per problem. In a chain of kernels values alternate between workspace and output; in other
    programs each has a place while it is needed. The function gets `id.in_place_pairs`, of each an argument, a result and
    whether kernels must be compiled for equal pointers (1). Barriers must be placed.

        %0 = id.kernel "f_k0" grid(%arg0) : (S) -> S {…}
        %0 = id.kernel "f_k0" grid(%arg0) : (S) -> S {…} {id.places = [{input = 0}, {workspace = 0} ]}
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose kernels they are">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def SetLaunchBounds : Pass<"id-set-launch-bounds", "::mlir::func::FuncOp"> {
  let summary = "say how large a kernel's blocks are, and how many of them a multiprocessor shall have registers for";
  let description = [{
    Kernels get `id.threads` and `id.resident_blocks`: as many blocks as fit with the registers that a thread's data, and
    with few data the roots of unity that it looks up, need; a quarter fewer where blocks of several sections talk to no
    other, one less where a chain's kernel reads a second tile, two for teams. Barriers must be placed.

        %0 = id.kernel "f_k0" grid(%arg0) : (S) -> S {…}
        %0 = id.kernel "f_k0" grid(%arg0) : (S) -> S {…} {id.resident_blocks = 6, id.threads = 256}
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def MachineToNvvm : Pass<"id-machine-to-nvvm"> {
  let summary = "ops of the machine dialect become NVVM ops and PTX";
  let description = [{
    What NVIDIA's GPUs have for `machine` ops: NVVM's ops, and PTX where these have none (asynchronous stores, streaming
    accesses, registers read at one place).

        machine.cluster_arrive release
        nvvm.cluster.arrive {aligned}
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect"];
}

#endif
