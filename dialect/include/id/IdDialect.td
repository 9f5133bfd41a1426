// The id dialect: index-digit programs from the algebra down to kernels. docs/ir.md is its definition.
#ifndef ID_DIALECT_TD
#define ID_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Id_Dialect : Dialect {
  let name = "id";
  let summary = "index-digit programs: sequences, digit permutations, nodes, twiddles, kernels";
  let description = [{
    Values are sequences whose index is a string of digits (`!id.seq`) or tiles of one kernel whose digits are held by
    fields of the machine (`!id.tile`). The batch is an implicit unbounded digit on top. Digits are numbered from 1, the
    least significant; lists of digits and places are written most significant first.
  }];
  let cppNamespace = "::idc::id";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Id_ExchangeKind : I32EnumAttr<"ExchangeKind", "how values move between two mappings", [
    I32EnumAttrCase<"Unplanned", 0, "unplanned">, I32EnumAttrCase<"None", 1, "none">,
    I32EnumAttrCase<"Registers", 2, "registers">, I32EnumAttrCase<"Shuffle", 3, "shuffle">,
    I32EnumAttrCase<"Shared", 4, "shared">, I32EnumAttrCase<"Cluster", 5, "cluster">,
    I32EnumAttrCase<"Grid", 6, "grid">]> {
  let cppNamespace = "::idc::id";
}

def Id_Meeting : I32EnumAttr<"Meeting", "which threads have met", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Warp", 1, "warp">, I32EnumAttrCase<"Block", 2, "block">,
    I32EnumAttrCase<"Cluster", 3, "cluster">, I32EnumAttrCase<"Started", 4, "started">,
    I32EnumAttrCase<"Words", 5, "words">]> {
  let cppNamespace = "::idc::id";
  let genSpecializedAttr = 0;
}

#endif
