#ifndef ID_OPS_TD
#define ID_OPS_TD

include "id/IdDialect.td"
include "id/IdAttrs.td"
include "id/IdTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Id_Op<string mnemonic, list<Trait> traits = []> : Op<Id_Dialect, mnemonic, traits>;

def Id_Data : AnyTypeOf<[Id_SeqType, Id_TileType], "a sequence or a tile">;

//===--- algebra and digit flow ---------------------------------------------------------------------------------===//

def Id_PermuteOp : Id_Op<"permute", [Pure]> {
  let summary = "move every element by an index map";
  let arguments = (ins Id_SeqType:$input, Id_PermAttr:$map);
  let results = (outs Id_SeqType:$result);
  let assemblyFormat = "$input custom<IndexMap>($map) attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Id_RepeatOp : Id_Op<"repeat", [Pure]> {
  let summary = "the same elements for every value of new digits above a sequence's own";
  let description = [{
    The result has the input's digits as its lowest; a permutation brings them where they belong. Nothing is copied:
    the load of whoever uses it reads the input once for each value of the new digits.
  }];
  let arguments = (ins Id_SeqType:$input);
  let results = (outs Id_SeqType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Id_ResizeOp : Id_Op<"resize", [Pure, IsolatedFromAbove]> {
  let summary = "another length: the elements of the lowest digits, as far as there are any, then others";
  let description = [{
    The input's `lowest` lowest digits become the lowest digits of the result; the digits above are the same. Element k
    of the new ones is element k of the old ones; where those have none, it is what the body yields, the leaves of an
    element. A result that is no longer than the input has no body. In a kernel it is a view of a buffer: a load
    reads what is there, a store (the operand, with no other use) writes what the result has.
  }];
  let arguments = (ins Id_SeqType:$input, I64Attr:$lowest);
  let results = (outs Id_SeqType:$result);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = "$input `lowest` $lowest attr-dict `:` type($input) `->` type($result) (`else` $body^)?";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of the result's digits in the place of the input's `lowest` lowest ones.
    int getNewLowest();
    /// The elements that the old and the new lowest digits count.
    int64_t getOldLength();
    int64_t getNewLength();
    bool pads() { return getNewLength() > getOldLength(); }
  }];
}

def Id_GatherOp : Id_Op<"gather", [Pure, IsolatedFromAbove]> {
  let summary = "elements from computed places of the lowest digits";
  let description = [{
    The input's `lowest` lowest digits become the lowest digits of the result; the digits above are the same. Element k
    of the new ones is that element of the old ones whose number the body yields, from the digits of the result, an i64
    that is never beyond them. In a kernel it is a view of an argument, whose loads compute where they read.
  }];
  let arguments = (ins Id_SeqType:$input, I64Attr:$lowest);
  let results = (outs Id_SeqType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$input `lowest` $lowest attr-dict `:` type($input) `->` type($result) `from` $body";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of the result's digits in the place of the input's `lowest` lowest ones.
    int getNewLowest();
  }];
}

def Id_ScatterOp : Id_Op<"scatter", [Pure, IsolatedFromAbove]> {
  let summary = "elements sent to computed places of the lowest digits";
  let description = [{
    The input's `lowest` lowest digits become the lowest digits of the result; the digits above are the same. Element k
    of the old ones becomes that element of the new ones whose number the body yields, from the digits of the input, an
    i64. Each of the new ones comes from one element. In a kernel it is a view of what is stored (the operand, with no
    other use), whose store computes where it writes.
  }];
  let arguments = (ins Id_SeqType:$input, I64Attr:$lowest);
  let results = (outs Id_SeqType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$input `lowest` $lowest attr-dict `:` type($input) `->` type($result) `to` $body";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The number of the result's digits in the place of the input's `lowest` lowest ones.
    int getNewLowest();
  }];
}

def Id_TwiddleOp : Id_Op<"twiddle", [Pure, SameOperandsAndResultType]> {
  let summary = "multiply by a root of unity whose exponent is a polynomial in the digits";
  let description = [{
    `id.twiddle %x omega(16, 2*t4*t2)` multiplies the element with digits t by omega(16, 2·t4·t2), the primitive 16th
    root of unity of the element's field to that power.
  }];
  let arguments = (ins Id_Data:$input, I64Attr:$root, Id_PolyAttr:$exponent);
  let results = (outs Id_Data:$result);
  let assemblyFormat = "$input `omega` `(` $root `,` custom<Exponent>($exponent) `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Id_PointwiseOp : Id_Op<"pointwise", [Pure, IsolatedFromAbove]> {
  let summary = "apply a scalar function to every element";
  let description = "The body's arguments are the leaves of each input's element in turn.";
  let arguments = (ins Variadic<Id_Data>:$inputs);
  let results = (outs Variadic<Id_Data>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Id_NodeOp : Id_Op<"node", [Pure, IsolatedFromAbove]> {
  let summary = "apply a node operator to the elements that differ in the given digits";
  let description = [{
    `digits` are listed most significant first, in the arrangement that has all of them. An operand or result with as
    many digits as that arrangement is an array in the body (element by element, leaf by leaf), one that lacks the
    digits is a single element.
  }];
  let arguments = (ins DenseI64ArrayAttr:$digits, Variadic<Id_Data>:$inputs);
  let results = (outs Variadic<Id_Data>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$digits `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Digits of the arrangement that has all of the node's digits.
    int getNumDigits();
    /// Radices of the node's digits, the most significant first.
    llvm::SmallVector<int32_t> getDigitRadices();
    /// Their product.
    int64_t getArity();
    /// True when an operand or result has all of the node's digits: it is an array in the body, else one element.
    bool isArray(mlir::Value value);
    /// True when every operand and result has all digits.
    bool preservesDigits();
  }];
}

def Id_DigitOp : Id_Op<"digit", [Pure]> {
  let summary = "a digit of the element's index (in bodies)";
  let arguments = (ins I64Attr:$digit);
  let results = (outs I64:$result);
  let assemblyFormat = "$digit attr-dict `:` type($result)";
}

def Id_ParameterOp : Id_Op<"parameter", [Pure]> {
  let summary = "a run-time scalar of the program: one value for the whole batch (in bodies)";
  let description = "`number` counts the types that the function lists in `id.scalars`, from 0.";
  let arguments = (ins I64Attr:$number);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Id_OmegaOp : Id_Op<"omega", [Pure]> {
  let summary = "a root of unity (in bodies)";
  let description = "omega(root, exponent); a run-time exponent that is no polynomial in the digits is the operand.";
  let arguments = (ins I64Attr:$root, Id_PolyAttr:$exponent, Optional<I64>:$dynamic);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`(` $root `,` custom<Exponent>($exponent) `)` (`dynamic` $dynamic^)? attr-dict `:` type($result)";
  let hasCanonicalizer = 1;
}

def Id_LookupOp : Id_Op<"lookup", [Pure]> {
  let summary = "an element of a table (in bodies)";
  let description = [{
    Element `index` of the values, which are as constants of the result's type have them: numbers, for complex ones pairs
    of numbers, and the integers of residues. The index is from 0 to one less than their number.
  }];
  let arguments = (ins I64:$index, ArrayAttr:$values);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$index `of` $values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class Id_ModOp<string mnemonic, list<Trait> traits = []>
    : Id_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType], traits)> {
  let arguments = (ins Id_ModType:$lhs, Id_ModType:$rhs);
  let results = (outs Id_ModType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def Id_ModAddOp : Id_ModOp<"mod_add", [Commutative]> { let summary = "a sum in a prime field (in bodies)"; }
def Id_ModSubOp : Id_ModOp<"mod_sub"> { let summary = "a difference in a prime field (in bodies)"; }
def Id_ModMulOp : Id_ModOp<"mod_mul", [Commutative]> { let summary = "a product in a prime field (in bodies)"; }

def Id_ModConstantOp : Id_Op<"mod_constant", [Pure]> {
  let summary = "an element of a prime field (in bodies)";
  let arguments = (ins I64Attr:$value);
  let results = (outs Id_ModType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Id_ModEqualOp : Id_Op<"mod_equal", [Pure, SameTypeOperands, Commutative]> {
  let summary = "whether two elements of a prime field are equal (in bodies)";
  let arguments = (ins Id_ModType:$lhs, Id_ModType:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Id_ModFromOp : Id_Op<"mod_from", [Pure]> {
  let summary = "an integer as an element of a prime field (in bodies)";
  let description = "The integer is 64 bits wide; a signed one may be negative.";
  let arguments = (ins I64:$integer, UnitAttr:$isSigned);
  let results = (outs Id_ModType:$result);
  let assemblyFormat = "$integer (`signed` $isSigned^)? attr-dict `:` type($result)";
}

def Id_ModToOp : Id_Op<"mod_to", [Pure]> {
  let summary = "the residue in [0, P) as a 64-bit integer (in bodies)";
  let arguments = (ins Id_ModType:$value);
  let results = (outs I64:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Id_YieldOp : Id_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the results of a body or of a kernel";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

//===--- stages -------------------------------------------------------------------------------------------------===//

def Id_KernelOp : Id_Op<"kernel", [RecursiveMemoryEffects, IsolatedFromAbove]> {
  let summary = "one launch: loads, computes and exchanges on tiles, stores";
  let description = [{
    Operands are the buffers it reads, results the buffers it writes. The blocks of a cluster or of a team have as many
    numbers as the `rank` field of its tiles has values. The body's arguments are the operands; it ends with a yield of
    the stored buffers.
  }];
  let arguments = (ins StrAttr:$name, Id_LaunchAttr:$launch, Variadic<Id_SeqType>:$inputs);
  let results = (outs Variadic<Id_SeqType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name custom<LaunchWords>($launch) `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Id_LoadOp : Id_Op<"load", [Pure]> {
  let summary = "read a tile: the buffer's sequence moved by `map`, distributed by the tile's mapping";
  let description = [{
    A map with more places than the buffer has digits repeats the buffer along the digits above its own. `staged`: a block,
    which holds whole problems, copies them to its shared memory in the order of their addresses, and the tile is read
    there.
  }];
  let arguments = (ins Id_SeqType:$buffer, Id_PermAttr:$map, UnitAttr:$staged);
  let results = (outs Id_TileType:$result);
  let assemblyFormat = "$buffer custom<IndexMap>($map) attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True when the tile has digits that the buffer lacks.
    bool isRepeated() { return getMap().getPlaces().size() > getBuffer().getType().getRadices().size(); }
  }];
}

def Id_PartOp : Id_Op<"part", [Pure]> {
  let summary = "the elements of a buffer for which a digit has one value, by the other digits; nothing moves";
  let arguments = (ins Id_SeqType:$buffer, I64Attr:$digit, I64Attr:$value);
  let results = (outs Id_SeqType:$result);
  let assemblyFormat = "$buffer `[` $digit `]` `=` $value attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Id_JoinOp : Id_Op<"join", [Pure]> {
  let summary = "what has the k-th operand where a digit is k; nothing moves";
  let description = [{
    Of buffers: operands are stores of the kernel, or joins, and have no other use; outside of kernels, results of these.
    Of tiles: the digit is in registers,
    and threads hold the other digits alike in all operands.
  }];
  let arguments = (ins I64Attr:$digit, Variadic<Id_Data>:$parts);
  let results = (outs Id_Data:$result);
  let assemblyFormat = "`[` $digit `]` $parts attr-dict `:` functional-type($parts, $result)";
  let hasVerifier = 1;
}

def Id_RenameOp : Id_Op<"rename", [Pure]> {
  let summary = "a tile under other digit numbers: digit `map[p]` becomes digit p, and every element stays where it is";
  let arguments = (ins Id_TileType:$input, Id_PermAttr:$map);
  let results = (outs Id_TileType:$result);
  let assemblyFormat = "$input custom<IndexMap>($map) attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Id_ExchangeOp : Id_Op<"exchange", [Pure, IsolatedFromAbove]> {
  let summary = "the same values in another mapping, or values from computed places";
  let description = [{
    With a body, `from` it: an element of the result is the one of the input whose digits the body yields, from the
    digits of the result. Each number that it yields, i64, consists of the digits of the input that `runs` names, lowest
    first. Digits of the input that blocks hold are such of the result, each a run of its own; the block holds all
    others, in shared memory.
  }];
  let arguments = (ins Id_TileType:$input, DefaultValuedAttr<Id_ExchangeKind, "::idc::id::ExchangeKind::Unplanned">:$kind,
                       OptionalAttr<Id_LayoutAttr>:$layout, OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "runs of digits">>:$runs);
  let results = (outs Id_TileType:$result);
  let regions = (region AnyRegion:$places);
  let assemblyFormat = [{
    $input custom<Means>($kind, $layout) attr-dict `:` type($input) `->` type($result) (`from` custom<Runs>($runs)^ $places)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// True when elements come from computed places.
    bool isComputed() { return !getPlaces().empty(); }
    /// The digits of the input that a number of computed places consists of, lowest first.
    ::llvm::ArrayRef<int64_t> getRun(size_t number) {
      return ::llvm::cast<::mlir::DenseI64ArrayAttr>((*getRuns())[number]).asArrayRef();
    }
    /// For every digit of the input, from 1, the digit of the result that it is; 0: it is computed.
    ::llvm::SmallVector<int> keptDigits();
    /// True when a field holds the same digits before and after; what was the batch is the batch.
    bool keeps(::idc::digits::Field field);
    /// True when the bits of the words' numbers in shared memory are bits of digits: the layout is an XOR of columns, or
    /// will be one, where all digits are bits and no kind is asked for yet. Else it is a sum.
    bool isOfBits();
  }];
}

def Id_StoreOp : Id_Op<"store", [Pure]> {
  let summary = "write a tile: the tile's sequence moved by `map` is the buffer";
  let description = [{
    `staged`: the tile is written to shared memory, and the block, which holds whole problems, copies them from there in the
    order of their addresses.
  }];
  let arguments = (ins Id_TileType:$tile, Id_PermAttr:$map, UnitAttr:$staged);
  let results = (outs Id_SeqType:$buffer);
  let assemblyFormat = "$tile custom<IndexMap>($map) attr-dict `:` type($tile) `->` type($buffer)";
  let hasVerifier = 1;
}

def Id_RingOp : Id_Op<"ring", [Pure, SameOperandsAndResultType]> {
  let summary = "what a kernel has stored, for a second pass of the same launch to load";
  let description = [{
    The buffer has memory for `slots` problems, used in turn. What stands before it in the kernel is the first pass, what
    stands behind it the second: a block does a tile of one of them. Tile k of the second pass comes when as large a part
    of the batch as tile k + delay ends is stored. A kernel with several rings has the same slots and delay in all.
  }];
  let arguments = (ins Id_SeqType:$input, I64Attr:$slots, I64Attr:$delay);
  let results = (outs Id_SeqType:$result);
  let assemblyFormat = "$input `slots` $slots `delay` $delay attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif
