#ifndef ID_ATTRS_TD
#define ID_ATTRS_TD

include "id/IdDialect.td"

class Id_Attr<string name, string text> : AttrDef<Id_Dialect, name> { let mnemonic = text; }

def Id_PermAttr : Id_Attr<"Perm", "perm"> {
  let summary = "an index map: a permutation of digits with complements";
  let description = [{
    For each place, most significant first, the digit that comes there; a negative number is a complemented digit
    (t becomes r-1-t). `#id.perm<[1, 3, -2]>` moves digit 1 to the top and complements digit 2; ops write the brackets
    only.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$places);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::idc::digits::Permutation &":$permutation)>];
  let extraClassDeclaration = [{
    ::idc::digits::Permutation getPermutation() const;
    /// The text inside the angle brackets: `[1, 3, -2]`.
    static ::mlir::ParseResult parsePlaces(::mlir::AsmParser &parser, PermAttr &result);
    void printPlaces(::mlir::AsmPrinter &printer) const;
  }];
}

def Id_PolyAttr : Id_Attr<"Poly", "poly"> {
  let summary = "an integer polynomial in the digits: `#id.poly<4*t3*t1 + t2>`; ops write the sum only";
  let description = "Stored flat: for each monomial its coefficient, its degree and its digits.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$flat);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "const ::idc::digits::Polynomial &":$polynomial)>];
  let extraClassDeclaration = [{
    ::idc::digits::Polynomial getPolynomial() const;
    /// The text inside the angle brackets: `4*t3*t1 + t2`.
    static ::mlir::ParseResult parseSum(::mlir::AsmParser &parser, PolyAttr &result);
    void printSum(::mlir::AsmPrinter &printer) const;
  }];
}

def Id_LayoutAttr : Id_Attr<"Layout", "layout"> {
  let summary = "the shared-memory layout of an exchange";
  let description = [{
    (digit, column) pairs: the word of an element is the XOR (or, when padded, the sum) of value * column over the
    digits of the tile; `words` is the size of the scratch.
  }];
  let parameters = (ins "bool":$padded, "int64_t":$words, OptionalArrayRefParameter<"int64_t">:$columns);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{ ::idc::digits::SharedLayout getLayout() const; }];
}

def Id_LaunchAttr : Id_Attr<"Launch", "launch"> {
  let summary = "how the blocks of a kernel are started and tied together";
  let description = [{
    `#id.launch<cluster 4 persistent>`: the words of `digits::Launch`, in any combination that the machine has; ops write
    the words only. `grid`: none of them. `cluster N`: N blocks run at the same time and reach each other's shared memory.
    `team N`: N blocks share a problem and wait for each other through memory, all being resident. `persistent`: as many
    blocks as the device holds, which draw the numbers of the tiles they work on. `dependent`: the kernel may start while
    the one before it ends. `resident N`: a multiprocessor shall have registers for N blocks.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$cluster, DefaultValuedParameter<"int64_t", "1">:$team,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"bool", "false">:$dependent,
                        DefaultValuedParameter<"int64_t", "0">:$resident);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::idc::digits::Launch &":$launch)>];
  let extraClassDeclaration = [{
    ::idc::digits::Launch getLaunch() const;
    /// The words inside the angle brackets.
    static ::mlir::ParseResult parseWords(::mlir::AsmParser &parser, LaunchAttr &result);
  }];
}

def Id_MeetingAttr : EnumAttr<Id_Dialect, Id_Meeting, "meeting"> {
  let summary = "which threads have met, before an exchange writes or between its writes and its reads";
  let description = [{
    `none`: nobody has to. `warp`, `block`, `cluster`: all threads of it, at a barrier that orders what they have done.
    `started`: all blocks of the cluster are known to run. `words`: the block has all words that others send to it, which
    orders nothing else.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif
