// The passes from the algebra to planned kernels. Pipelines.cpp orders them and says why.
#ifndef ID_PASSES_TD
#define ID_PASSES_TD

include "mlir/Pass/PassBase.td"

def NodesByElement : Pass<"id-nodes-by-element", "::mlir::func::FuncOp"> {
  let summary = "make pointwise steps of nodes that do the same with each element alone";
  let description = [{
    A node whose result k is to element k of its arrays what result 0 is to element 0 needs no thread that holds all of
    them. Operands that are one element for all are repeated along the node's digits.

        %1 = id.node [1] (%x, %s) {                       // <3>, <1> -> <3>
        ^bb0(%x0: f32, %x1: f32, %x2: f32, %s: f32):
          %y0 = arith.divf %x0, %s : f32
          %y1 = arith.divf %x1, %s : f32
          …

        %r = id.repeat %s : <1, f32> -> <3, f32>
        %1 = id.pointwise(%x, %r) {…}
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def JoinHalves : Pass<"id-join-halves", "::mlir::func::FuncOp"> {
  let summary = "join the halves of a result by a digit";
  let description = [{
    A result of more elements than a block holds whose first half are the elements of one sequence and whose second half
    those of another, chosen by conditions on its elements' numbers, is a node that puts in the highest digit: what makes
    the halves stores them.

        %1 = id.gather %a from { … k min N/2 - 1 … }
        %2 = id.gather %b from { … k - N/2 max 0 … }
        %3 = id.pointwise (%1, %2) { … k < N/2 ? %1 : %2 … }
        %3 = id.node [20] (%a, %b) { … both … }
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PadDigits : Pass<"id-pad-digits", "::mlir::func::FuncOp"> {
  let summary = "make digits longer that no node acts on and lanes cannot hold";
  let description = [{
    Lanes take the lowest addresses digit by digit. A digit of large prime radix there, below those that nodes act on,
    becomes one of the next multiple of a power of two: views of the arguments make it longer, views of the results leave
    the further elements out, and all between has the new radix. Elements that are added are in no memory.

        %0 = id.node [2] (%x) {…}                                        // %x : !id.seq<2**6 * 1009, f32>
        %p = id.resize %x lowest 1 : <2**6 * 1009, f32> -> <2**6 * 1024, f32> else {…}
        %0 = id.node [2] (%p) {…}
        %r = id.resize %0 lowest 1 : <2**6 * 1024, f32> -> <2**6 * 1009, f32>
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose lanes are meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect"];
}

def SplitDigits : Pass<"id-split-digits", "::mlir::func::FuncOp"> {
  let summary = "split every digit of composite radix into digits of prime radix";
  let description = [{
    A digit of radix p·q becomes two digits, t = u + p·v, until all radices are prime: in sequences, permutations, nodes,
    exponents and bodies. A node over a digit then acts on its parts together; no element moves. What plans digits meets
    one form of programs on 4^m and on 2^(2m) elements.

        %1 = id.node [2] (%x)       // %x : !id.seq<4**2, f32>
        %1 = id.node [4, 3] (%x)    // %x : !id.seq<2**4, f32>
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def BatchAlike : Pass<"id-batch-alike", "::mlir::func::FuncOp"> {
  let summary = "do once what steps do alike to all results of a node";
  let description = [{
    A node that takes digits away and has a result for each of their values keeps them, as the highest, where the same ops
    follow on every result; these become one. Where they differ, a node takes the digits away again. Programs that call
    themselves on the halves of a sequence, and on the halves of these, are then as long as ones that act on all digits.

        %0:2 = id.node [1] (%x) {…}           // -> <2**2>, <2**2>
        %1 = id.node [2] (%0#0) {…}
        %2 = id.node [2] (%0#1) {…}

        %0 = id.node [1] (%x) {…}             // -> <2**3>
        %1 = id.permute %0 […]
        %2 = id.node [2] (%1) {…}
        %3:2 = id.node [3] (%2) {…}           // -> <2**2>, <2**2>
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def FuseSplits : Pass<"id-fuse-splits", "::mlir::func::FuncOp"> {
  let summary = "make one node of one that splits a sequence, steps on the parts and one that gives the digits back";
  let description = [{
    A node that takes digits away and yields what it takes, the pointwise steps on its results and a node that puts them
    together again mix elements that differ in the nodes' digits only: one body does all of it. A permutation moves the
    digits where the last node has them. Nodes that yield what they take, digits and all, go. Only ops
    with the attribute `id.batched`, which id-batch-alike sets, are meant; it goes.

        %0:2 = id.node [1] (%x) {…}           // <2**3> -> <2**2>, <2**2>
        %1 = id.pointwise (%0#1) {…}
        %2 = id.node [3] (%0#0, %1) {…}       // -> <2**3>

        %0 = id.node [1] (%x) {…}             // <2**3> -> <2**3>
        %2 = id.permute %0 [1 3 2]
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def ChooseNumbers : Pass<"id-choose-numbers", "::mlir::func::FuncOp"> {
  let summary = "write choices among elements of one sequence as gathers";
  let description = [{
    A step that chooses each of its results, by conditions on digits, among elements that gathers take of one sequence is an
    `id.gather` that chooses among the elements' numbers. Of gathers of gathers what all operands have in common counts.

        %1 = id.gather %x from { … k min 4 … }
        %2 = id.gather %x from { … k - 5 max 0 … }
        %3 = id.pointwise (%1, %2) { … k < 5 ? %1 : %2 … }
        %3 = id.gather %x from { … k < 5 ? k min 4 : k - 5 max 0 … }
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def GatherMoves : Pass<"id-gather-moves", "::mlir::func::FuncOp"> {
  let summary = "write runs of nodes that only move elements as gathers";
  let description = [{
    Nodes of one digit whose results are their elements, chosen by conditions on digits, may stand one after the other for a
    map of the elements' numbers. Where that is affine, k -> (a*k + b) mod N, or no block holds the elements, the run becomes
    an `id.gather`.

        %0 = id.node [2] (%x) {…}        // swaps where digit 1 is 1
        %1 = id.node [1] (%0) {…}        // swaps
        %1 = id.gather %x lowest 2 : … from { … 3*k + 3 mod 4 … }
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def Reshape : Pass<"id-reshape", "::mlir::func::FuncOp"> {
  let summary = "give arguments and results the digits in which steps see them";
  let description = [{
    A resize of a whole argument or result into other digits of the same number of elements is no step: a buffer's elements
    are where they are. It goes through pointwise steps that depend on digits through the number of an element alone, and
    then becomes the argument's or the result's type. Arrays whose layout has several dimensions keep theirs. One that
    stays between two steps becomes a gather of each element from its own number.

        func @f(%x: <2**2 * 3, f32>) { %0 = id.resize %x lowest 3 : <2**2 * 3, f32> -> <2 * 3 * 2, f32> … }
        func @f(%x: <2 * 3 * 2, f32>) { … }
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def LengthenArrays : Pass<"id-lengthen-arrays", "::mlir::func::FuncOp"> {
  let summary = "arrays in host memory are the beginnings of sequences whose digits can number chunks";
  let description = [{
    Where a function with `id.memory` takes an argument only as the beginning of a longer sequence, or returns the
    beginning of one, its type has the longer one; `id.array` says what callers pass. Chunks are copied as far as it goes.

        func @f(%x: <10, f32>) { %0 = id.resize %x lowest 1 : <10, f32> -> <2**4, f32> else { … id.yield %zero } … }
        func @f(%x: <2**4, f32> {id.array = !id.seq<10, f32>}) { %0 = id.pointwise(%x) { … arith.select %inside, %a, %zero } … }
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def MovePointwise : Pass<"id-move-pointwise", "::mlir::func::FuncOp"> {
  let summary = "steps on each element alone come before crops at the end, and behind gathers and pads at the beginning";
  let description = [{
    There crops, gathers and pads are addresses of what is stored and loaded. Steps move whose value nothing else takes,
    and, of more elements than a block holds, those that are cheaper done again for each who takes them than kept in
    memory; bodies that know digits are told what number an element had. A gather of so many elements passes nodes that
    put in a digit, too.

        %1 = id.resize %0 lowest 3 : <2**3, f32> -> <5, f32>   ->   %1 = id.pointwise(%0) f
        %2 = id.pointwise(%1) f                                     %2 = id.resize %1 lowest 3 : <2**3, f32> -> <5, f32>
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PairArrays : Pass<"id-pair-arrays", "::mlir::func::FuncOp"> {
  let summary = "arguments and results are complex where steps next to them see them so";
  let description = [{
    A node that makes a complex number of two neighbours moves nothing. An argument that only such nodes take becomes an
    array of complex numbers, and a result that such a node takes apart stays one; `id.array` says what callers pass. Arrays
    with a layout keep their elements.

        func @f(%x: <2**3, f32>) { %0 = id.node [1] (%x) { ^(%a, %b): complex.create %a, %b } … }
        func @f(%x: <2**2, complex<f32>> {id.array = !id.seq<2**3, f32>}) { … }
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def ExtractTwiddles : Pass<"id-extract-twiddles", "::mlir::func::FuncOp"> {
  let summary = "turn pointwise products with a root of unity into id.twiddle";
  let description = [{
    A pointwise step whose body is the product of its argument and a root of unity with a polynomial exponent becomes an
    `id.twiddle`, whose exponent later passes split and move. A node that takes an element only as a product with a root
    of unity, or gives such a product, leaves the product to a twiddle before or after it.

        %1 = id.pointwise (%0) { %w = id.omega(8, t2*t1)  %y = complex.mul %x, %w  id.yield %y }
        %1 = id.twiddle %0 omega(8, t2*t1)
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PushPermutations : Pass<"id-push-permutations", "::mlir::func::FuncOp"> {
  let summary = "push digit permutations to the end of the program (digit flow)";
  let description = [{
    A step after a permutation P is P after the same step on renamed digits, so permutations move to the results, where the
    last one becomes the index map of a store. A complemented digit t reads as r - 1 - t. Operands that come through
    different permutations keep the difference on their edges; nodes that remove or insert digits stop a permutation.

        %2 = id.node [1] (%1)          // %1 = id.permute %0 [1, 2, 3]
        %2 = id.permute %1 [1, 2, 3]   // %1 = id.node [3] (%0)
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def OrderSteps : Pass<"id-order-steps", "::mlir::func::FuncOp"> {
  let summary = "order commuting steps from high to low digits, or back, and place each twiddle term at its last chance";
  let description = [{
    Linear nodes on different digits commute, of records those whose matrices on the fields do; a term of a twiddle's
    exponent commutes with a linear node on other digits than its own. Nodes are sorted from high to low digits, so that
    the first registers of a kernel hold slow address digits, and every term goes just before the first node that needs
    it. Of more bytes than a block holds nodes go from low to high digits behind every other step that commutes with
    nothing: what the last kernel holds is acted on first. All other steps keep their order. This is done in every chain
    of `id-form-chains`, whose attributes are taken away.

        node [1]  node [2]  twiddle t3*t1  node [3]
        node [2]  node [1]  twiddle t3*t1  node [3]
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def ExpandRepeats : Pass<"id-expand-repeats", "::mlir::func::FuncOp"> {
  let summary = "give what a contraction leaves back to the digits that it took away by nodes";
  let description = [{
    Where a pointwise step takes a value together with what was contracted from it, repeated along the digits that the
    contraction took away, nodes insert these digits again, the last one that was taken away first; each yields its
    argument for every value. So groups have contraction and expansion on the same axes, in one kernel. Repetitions of
    other values stay: they are free where a kernel loads them. So do those along more than a cluster holds, and on a CPU,
    where groups have no levels, all of them.

        %0 = id.node [1] (%x) {…}                     // %x : !id.seq<2, f32>, %0 : !id.seq<1, f32>
        %1 = id.repeat %0 : <1, f32> -> <2, f32>
        %2 = id.pointwise (%x, %1) {…}
        =>
        %1 = id.node [1] (%0) {… id.yield %a, %a }    // %1 : !id.seq<2, f32>
        %2 = id.pointwise (%x, %1) {…}
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def TabulateGathers : Pass<"id-tabulate-gathers", "::mlir::func::FuncOp"> {
  let summary = "write maps of gathers and scatters that take many instructions as tables";
  let description = [{
    A map of up to 2^17 elements without run-time scalars that takes 24 instructions or more, as powers of a generator do,
    becomes an `id.lookup` of the element's number.

        %0 = id.gather %x lowest 1 : <17, f32> -> <17, f32> from { … 3^k mod 17 … }

        %0 = id.gather %x lowest 1 : <17, f32> -> <17, f32> from { id.lookup %k of [1, 3, 9, …] : i64 … }
  }];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def InvertScatters : Pass<"id-invert-scatters", "::mlir::func::FuncOp"> {
  let summary = "scatters between steps, and those that would store to sectors of their own, are gathers";
  let description = [{
    A scatter that does not end the program, of as many elements as a block holds and without run-time scalars, becomes
    the gather that takes as many elements from the same places, where up to 16 affine pieces say which they are. Of more
    elements that is known of maps that are affine, or linear over bits.

        %0 = id.scatter %x lowest 3 … to { k even ? k / 2 : 7 - k / 2 }
        %0 = id.gather %x lowest 3 … from { k < 4 ? 2*k : 15 - 2*k }
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def OverlapTiles : Pass<"id-overlap-tiles", "::mlir::func::FuncOp"> {
  let summary = "do several steps that take near elements of each other's results in tiles that overlap";
  let description = [{
    Of more elements than a block holds, a step that gathers near elements of what another step makes would wait for it in
    memory. A block that has some more elements at both ends of its tile does such steps one after the other alone: at most
    an eighth of a tile of 4 to 32 KiB is done twice.

        %1 = id.pointwise (%x, %0) {…}                            // <N>
        %2 = id.gather %1 lowest 20 … from { … k - 1 max 0 … }

        %3 = id.gather %x lowest 20 … from { … k … }              // <L * tiles>
        %4 = id.pointwise (%3, …) {…}
        %5 = id.gather %4 lowest 10 … from { … (k - 1 max 0) - t*B mod L … }
        %6 = id.resize %5 lowest 10 …                             // <B * tiles>
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def HoldGathers : Pass<"id-hold-gathers", "::mlir::func::FuncOp"> {
  let summary = "gathers of scattered elements of an argument take them from what a block has loaded";
  let description = [{
    Where neighbouring elements of a gather's result lie in more than twice as many sectors of memory as they fill, and a
    block holds all elements, a step that does nothing stands before it: the block loads them in order, and exchanges
    them. So far where pointwise steps take the result, or it is one of the function.

        %0 = id.gather %x lowest 12 … from { … 5*k + 3 mod 4096 … }

        %0 = id.pointwise (%x) { … id.yield %a }
        %1 = id.gather %0 lowest 12 … from { … }
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def NarrowGathers : Pass<"id-narrow-gathers", "::mlir::func::FuncOp"> {
  let summary = "gathers that shift by multiples of their lowest digits are of the digits above";
  let description = [{
    (k + 2^j*c) mod 2^n, of more elements than a block holds, leaves the lowest j digits as they are: a block takes all
    upper digits for some of the lowest, and does many such steps. So is k - 2^j*c of no less than 0 where steps make
    nothing of the elements beyond.

        %0 = id.gather %x lowest 20 … from { k + 2^12 mod 2^20 }

        %0 = id.permute %x [12 … 1 20 … 13]
        %1 = id.gather %0 lowest 8 … from { k + 1 mod 2^8 }
        %2 = id.permute %1 [8 … 1 20 … 9]
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def SplitPlanes : Pass<"id-split-planes", "::mlir::func::FuncOp"> {
  let summary = "take arguments apart at one digit at a time";
  let description = [{
    A node that only takes an argument apart at its highest digits, several of them, is nodes of one digit each, which
    are nothing but other loads.

        %0:4 = id.node [8, 7] (%x)

        %0:2 = id.node [8] (%x)
        %1:2 = id.node [7] (%0#0)
        %2:2 = id.node [7] (%0#1)
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def OrderStored : Pass<"id-order-stored", "::mlir::func::FuncOp"> {
  let summary = "values between kernels lie in memory as what they are made of does";
  let description = [{
    Where steps on each element alone make a value of what lies in memory, and others take it from far away, so that it
    is stored: threads next to each other load and store what lies next to each other, whichever digits its sequence
    counts first. An argument of other radices than two that is returned with other digits lowest is stored by such a
    step, too.

        %2 = id.pointwise(%0, %1) f

        %2 = id.pointwise(%0, %1) f
        %3 = id.permute %2 [2, 1]
        %4 = id.pointwise(%3)           what is stored
        %5 = id.permute %4 [2, 1]       for those who take %2
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def LinearMoves : Pass<"id-linear-moves", "::mlir::func::FuncOp"> {
  let summary = "gathers that are linear over GF(2) become digit permutations between maps that keep sectors";
  let description = [{
    A*k + c on bits, of more elements than a block holds, is taken apart as U*P*V (Bruhat): U and V add to bits only
    higher ones, so that each sector of memory is one behind them and addresses compute them; P moves digits. Where V is
    nothing, the kernel that takes the result loads it so; where that holds of the inverse, the one that makes the
    sequence stores it so; others take a kernel of their own.

        %0 = id.gather %x lowest 20 … from { A*k + c }

        %0 = id.gather %x lowest 20 … {id.near} from { U*k + c }
        %1 = id.permute %0 [ P ]
        %2 = id.scatter %1 lowest 20 … {id.near} to { V^-1*k }
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose blocks are meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def TileGathers : Pass<"id-tile-gathers", "::mlir::func::FuncOp"> {
  let summary = "blocks take the elements of affine gathers that none holds in tiles, which share sectors";
  let description = [{
    Where neighbours of (a*k + b) mod N lie in sectors of their own, and no block holds all elements of an argument, each
    block takes those sectors of the result that need about the same of the argument: the gather counts elements in the
    order in which blocks take them, a scatter puts them into their places, behind steps on each element alone that
    make a result of the function.

        %0 = id.gather %x lowest 20 … from { … 5*k + 3 mod 2^20 … }

        %0 = id.gather %x lowest 20 … from { … 8*t + 5*(k mod 8) + 3 mod 2^20 … } {id.tiled}
        %1 = id.scatter %0 lowest 20 … to { … 8*(t / 5 mod 2^17) + k mod 8 … }
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose cache is meant">];
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def JoinMoves : Pass<"id-join-moves", "::mlir::func::FuncOp"> {
  let summary = "results that are elements of one argument, moved alone, are made by one step";
  let description = [{
    Results of as many digits, whose neighbours lie in sectors of memory that they share, and a step that makes results of
    such elements: one kernel stores them all.

        %0 = id.gather %x lowest 20 … from { … k + 1 mod 2^20 … }
        %1 = id.gather %x lowest 20 … from { … k - 1 mod 2^20 … }
        %2:2 = id.pointwise(%0, %1) … { ^bb0(%a, %b): id.yield %a, %b }
        return %2#0, %2#1
  }];
  let dependentDialects = ["::idc::id::IdDialect"];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "the machine">];
}

def FormChains : Pass<"id-form-chains", "::mlir::func::FuncOp"> {
  let summary = "cut the function into chains, which are planned as a whole, and steps for groups";
  let description = [{
    A chain is as long a run of steps as possible in which each takes the only use of the value before it, all digits are
    kept, and the target's registers or tiles can hold what a node acts on. Every step gets the number of its chain
    (`id.chain`) or of its group (`id.group`), which later passes read; a step of a chain with several operands says
    which of them the step before makes (`id.carrier`). Without a target nothing is too large for a chain.

        %0 = id.node [2] (%x) {…} {id.chain = 0}
        %1 = id.pointwise (%y, %0) {…} {id.carrier = 1, id.chain = 0}
        %2 = id.node [1] (%1) {…} {id.group = 1}                // %1 : array, %2 : single elements

    Where fewer kernels are left then, on a GPU, there is no chain: every step is a group's.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose limits count, or none">,
                 Option<"dissolve", "dissolve", "bool", "true", "whether chains may become groups to save kernels">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def StoreOrders : Pass<"id-store-orders", "::mlir::func::FuncOp"> {
  let summary = "chains store their values in the order of the digits of what takes them";
  let description = [{
    Where a chain's value is taken through gathers and other lengths, the chain stores it with its digits in the order
    that they have behind these and the permutations after them; a permutation before the views undoes this.

        %1 = id.gather %0 lowest 3 …
        %2 = id.permute %1 [2, 1]

        %1 = id.permute %0 [2, 1] {id.chain = 0}
        %2 = id.permute %1 [2, 1]
        %3 = id.gather %2 lowest 3 …
        %4 = id.permute %3 [2, 1]
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine; a CPU's chains store as they are">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PlanStages : Pass<"id-plan-stages", "::mlir::func::FuncOp"> {
  let summary = "choose a schedule for a target by resource analysis, unless the function has one";
  let description = [{
    Every chain of steps gets kernels, tiles, mappings and workspace orders by the target's cost model, as the function's
    attribute `id.schedule`. Steps outside chains are put together in groups, kernels of one launch each: in the registers
    of a thread, or, on a GPU, in levels over registers and threads of a block and the blocks of a cluster or a team; what
    travels between two is stored or made again. A schedule that is already there, from the program or from a table of
    measured ones, stays; digits that no field holds number blocks, and steps outside chains of which it has none are
    planned.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine to plan for">,
                 Option<"plan", "plan", "std::string", "\"throughput\"", "throughput, or latency of one problem">,
                 Option<"candidate", "candidate", "unsigned", "0", "the schedule to take, the best being 0">,
                 Option<"listed", "listed", "unsigned", "0",
                        "how many of the best candidates `id.candidates` is to list, with what was counted of them">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def BuildKernels : Pass<"id-build-kernels", "::mlir::func::FuncOp"> {
  let summary = "apply the function's schedule: kernels of tiles, exchanges where the mapping changes";
  let description = [{
    A chain's kernels load their tile in the mapping of their first range, do the ranges' steps, exchange where the mapping
    changes, and store. In kernels of other steps every value's tile is the part of its range's mapping that it has digits
    for. Rejected, with the reason: schedules that skip or repeat steps of chains, put a step's digit elsewhere than in
    registers, change block digits inside a kernel, or exceed the target's threads or shared memory; kernels of steps that
    cannot share one, or that take what no kernel before them makes.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose limits are checked">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def OrderConstants : Pass<"id-order-constants", "::mlir::func::FuncOp"> {
  let summary = "constants lie in memory as the threads that load them count";
  let description = [{
    Of a constant that one load takes: first the elements that a thread takes with one access, then those of the lanes,
    warps and blocks, then its others.

        id.load %c [2, 1] -> "reg(1) lane(2)"   ->   id.load %c [1, 2], with other data of %c
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine; a CPU's constants stay as they are">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PlanExchanges : Pass<"id-plan-exchanges", "::mlir::func::FuncOp"> {
  let summary = "choose the means of every exchange and solve its shared-memory layout";
  let description = [{
    The two mappings are composed; what differs decides between nothing, a permutation of registers, shuffles, shared memory
    of a warp or a block, and the shared memory of a cluster. For shared memory a swizzle (or padding, for radices other
    than 2) is solved for; no layout is accepted in which the brute-force counter finds bank conflicts. A CPU shuffles
    whatever stays in a turn; the memory of its blocks has no banks, and its layout is an order of digits in which
    vectors are whole.
  }];
  let options = [Option<"maxShuffleSwaps", "max-shuffle-swaps", "int", "1",
                        "register-lane swaps above which shared memory is used">,
                 Option<"target", "target", "std::string", "\"sm_90\"", "machine whose exchanges are meant">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

#endif
