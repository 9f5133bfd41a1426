#ifndef ID_TYPES_TD
#define ID_TYPES_TD

include "id/IdDialect.td"

class Id_Type<string name, string text> : TypeDef<Id_Dialect, name> { let mnemonic = text; }

def Id_SeqType : Id_Type<"Seq", "seq"> {
  let summary = "a sequence: `!id.seq<2**12, complex<f32>>`, batch implicit";
  let description = "`radices` are listed least significant digit first; the shape is written most significant first.";
  let parameters = (ins ArrayRefParameter<"int32_t">:$radices, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int getNumDigits() const { return static_cast<int>(getRadices().size()); }
    /// Elements of one problem.
    int64_t getNumElements() const;
  }];
}

def Id_TileType : Id_Type<"Tile", "tile"> {
  let summary = "a value of one kernel, its digits held by the fields of a mapping";
  let description = [{
    `!id.tile<2**12, "reg(12..9) lane(5..1) warp(8..6)", complex<f32>>`: the shape is that of the sequence, the mapping
    text that of digits::Mapping. Digits numbered above the shape are low batch digits; the batch above them belongs to
    the block field.
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$radices, StringRefParameter<>:$mappingText,
                        "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int getNumDigits() const { return static_cast<int>(getRadices().size()); }
    ::idc::digits::Mapping getMapping() const;
  }];
}

def Id_ModType : Id_Type<"Mod", "mod"> {
  let summary = "the field of integers modulo a prime";
  let parameters = (ins "uint64_t":$modulus);
  let assemblyFormat = "`<` $modulus `>`";
}

def Id_RecordType : Id_Type<"Record", "record"> {
  let summary = "a record: its fields in layout order";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$fields);
  let assemblyFormat = "`<` $fields `>`";
}

#endif
