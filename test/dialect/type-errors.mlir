// What the parser and the verifier say of types and attributes that are none.
// RUN: idc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected radices of at least 2 and at most 62 digits}}
func.func @radix(%x: !id.seq<1 * 2, f32>)

// -----

// expected-error@+1 {{expected radices of at least 2 and at most 62 digits}}
func.func @radix_zero(%x: !id.seq<0, f32>)

// -----

// expected-error@+1 {{expected radices of at least 2 and at most 62 digits}}
func.func @too_many(%x: !id.seq<2**63, f32>)

// -----

// expected-error@+1 {{expected radices of at least 2 and at most 62 digits}}
func.func @too_many_in_parts(%x: !id.seq<2**40 * 3**23, f32>)

// -----

// expected-error@+1 {{mapping: expected reg, lane, warp, rank, block, device or turn at column 1 of 'bank(3..1)'}}
func.func @field(%x: !id.tile<2**3, "bank(3..1)", f32>)

// -----

// expected-error@+1 {{mapping: digit 2 is held twice}}
func.func @twice(%x: !id.tile<2**3, "reg(3..2) lane(2..1)", f32>)

// -----

// expected-error@+1 {{mapping: the columns of reg and lane are dependent}}
func.func @dependent(%x: !id.tile<2**2, "reg((1^2)) lane((1^2))", f32>)

// -----

// expected-error@+1 {{mapping: no field holds digit 2}}
func.func @missing(%x: !id.tile<2**3, "reg(3) lane(1)", f32>)

// -----

// A batch digit does not make up for a digit of the shape.
// expected-error@+1 {{mapping: no field holds digit 2}}
func.func @missing_beside_batch(%x: !id.tile<2**3, "reg(3) lane(1, 4)", f32>)

// -----

// expected-error@+1 {{digit 4 is out of range 1..3}}
func.func @place() attributes {map = #id.perm<[4, 2, 1]>}

// -----

// expected-error@+1 {{digit 0 is out of range 1..3}}
func.func @place_zero() attributes {map = #id.perm<[0, 2, 1]>}

// -----

// expected-error@+1 {{an index map names every digit once}}
func.func @place_twice() attributes {map = #id.perm<[2, -2, 1]>}

// -----

// expected-error@+1 {{expected an integer or a digit such as t3}}
func.func @digit() attributes {poly = #id.poly<t0>}

// -----

// expected-error@+1 {{expected an integer or a digit such as t3}}
func.func @name() attributes {poly = #id.poly<2*x>}

// -----

// expected-error@+1 {{expected '>'}}
func.func @modulus(%x: !id.seq<2, !id.mod<7, 3>>)
