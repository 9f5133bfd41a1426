// What the verifiers of the algebra's ops say.
// RUN: idc-opt %s --split-input-file --verify-diagnostics

func.func @permute_places(%x: !id.seq<2**3, f32>) {
  // expected-error@+1 {{the index map has 2 places, the sequence 3 digits}}
  %0 = id.permute %x [1, 2] : !id.seq<2**3, f32> -> !id.seq<2**3, f32>
  return
}

// -----

func.func @permute_shape(%x: !id.seq<3 * 2, f32>) {
  // expected-error@+1 {{moves 3 * 2 to another shape than 3 * 2}}
  %0 = id.permute %x [1, 2] : !id.seq<3 * 2, f32> -> !id.seq<3 * 2, f32>
  return
}

// -----

func.func @permute_element(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{keeps the element type, but 'f32' became 'f64'}}
  %0 = id.permute %x [1] : !id.seq<2, f32> -> !id.seq<2, f64>
  return
}

// -----

func.func @repeat_lowest(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{the input's digits are not the lowest digits of the result}}
  %0 = id.repeat %x : !id.seq<2, f32> -> !id.seq<2 * 3, f32>
  return
}

// -----

func.func @repeat_fewer(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{the input's digits are not the lowest digits of the result}}
  %0 = id.repeat %x : !id.seq<2**2, f32> -> !id.seq<2, f32>
  return
}

// -----

func.func @repeat_element(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{keeps the element type, but 'f32' became 'f64'}}
  %0 = id.repeat %x : !id.seq<2, f32> -> !id.seq<2**2, f64>
  return
}

// -----

func.func @parameter_none(%x: !id.seq<2, f32>) {
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{number 0 does not exist: the function lists 0 in 'id.scalars'}}
    %k = id.parameter 0 : f32
    id.yield %k : f32
  }
  return
}

// -----

func.func @lookup_type(%x: !id.seq<2, f32>) {
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %d = id.digit 1 : i64
    // expected-error@+1 {{has at least one value, each a constant of type 'f32'}}
    %k = id.lookup %d of [1.0 : f32, 2 : i32] : f32
    id.yield %k : f32
  }
  return
}

// -----

func.func @lookup_nothing(%x: !id.seq<2, !id.mod<97>>) {
  %0 = id.pointwise (%x) : (!id.seq<2, !id.mod<97>>) -> !id.seq<2, !id.mod<97>> {
  ^bb0(%a: !id.mod<97>):
    %d = id.digit 1 : i64
    // expected-error@+1 {{has at least one value, each a constant of type '!id.mod<97>'}}
    %k = id.lookup %d of [] : !id.mod<97>
    id.yield %k : !id.mod<97>
  }
  return
}

// -----

func.func @parameter_type(%x: !id.seq<2, f32>) attributes {id.scalars = [i32, f64]} {
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{is of type 'f32', the function's 'id.scalars' says f64}}
    %k = id.parameter 1 : f32
    id.yield %k : f32
  }
  return
}

// -----

func.func @twiddle_root(%x: !id.seq<2, complex<f32>>) {
  // expected-error@+1 {{needs a root of order at least 1}}
  %0 = id.twiddle %x omega(0, t1) : !id.seq<2, complex<f32>>
  return
}

// -----

func.func @twiddle_digit(%x: !id.seq<2**2, complex<f32>>) {
  // expected-error@+1 {{exponent names digit 3, the sequence has 2}}
  %0 = id.twiddle %x omega(8, t3*t1) : !id.seq<2**2, complex<f32>>
  return
}

// -----

func.func @twiddle_element(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{needs complex or mod elements, not 'f32'}}
  %0 = id.twiddle %x omega(8, t1) : !id.seq<2, f32>
  return
}

// -----

func.func @pointwise_no_output(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{needs an input and an output}}
  id.pointwise (%x) : (!id.seq<2, f32>) -> () {
  ^bb0(%a: f32):
    id.yield
  }
  return
}

// -----

func.func @pointwise_shapes(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{results have different shapes}}
  %0:2 = id.pointwise (%x) : (!id.seq<2**2, f32>) -> (!id.seq<2**2, f32>, !id.seq<2**3, f32>) {
  ^bb0(%a: f32):
    id.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @pointwise_fewer(%x: !id.seq<2 * 3, f32>, %y: !id.seq<3, f32>) {
  // expected-error@+1 {{an input and a result have different shapes}}
  %0 = id.pointwise (%x, %y) : (!id.seq<2 * 3, f32>, !id.seq<3, f32>) -> !id.seq<2 * 3, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @pointwise_larger_input(%x: !id.seq<2**3, f32>) {
  // expected-error@+1 {{an input and a result have different shapes}}
  %0 = id.pointwise (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @body_arguments(%x: !id.seq<2, !id.record<f32, f64>>) {
  // expected-error@+1 {{body has 1 arguments that do not match the operands' leaves (2 expected)}}
  %0 = id.pointwise (%x) : (!id.seq<2, !id.record<f32, f64>>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @body_results(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{body yields 1 values that do not match the results' leaves (2 expected)}}
  %0 = id.node [1] (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @body_terminator(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{body must end with id.yield}}
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    func.return
  }
  return
}

// -----

func.func @body_without_terminator(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{body must end with id.yield}}
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
  }
  return
}

// -----

func.func @body_empty(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{body must end with id.yield}}
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
  }
  return
}

// -----

func.func @body_above(%x: !id.seq<2, f32>, %c: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = id.pointwise (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{using value defined outside the region}}
    %b = arith.addf %a, %c : f32
    id.yield %b : f32
  }
  return
}

// -----

func.func @node_range(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{digit 3 is out of range 1..2}}
  %0 = id.node [3] (%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @node_twice(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{names digit 1 twice}}
  %0 = id.node [1, 1] (%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @node_no_digit(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{needs a digit}}
  %0 = id.node [] (%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%a: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @node_no_output(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{needs an input and an output}}
  id.node [1] (%x) : (!id.seq<2**2, f32>) -> () {
  ^bb0(%a: f32, %b: f32):
    id.yield
  }
  return
}

// -----

func.func @node_digits(%x: !id.seq<2**3, f32>) {
  // expected-error@+1 {{an operand or result has 1 digits, not 3 or 2}}
  %0 = id.node [1] (%x) : (!id.seq<2**3, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @node_shape(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{operands and results differ in the radix of digit 2}}
  %0 = id.node [1] (%x) : (!id.seq<2**2, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @node_shape_contracted(%x: !id.seq<3 * 2 * 2, f32>) {
  // expected-error@+1 {{operands and results differ in the radix of digit 3}}
  %0 = id.node [1] (%x) : (!id.seq<3 * 2 * 2, f32>) -> !id.seq<2 * 2, f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @resize_digits(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{the input has 1 digits, not 2}}
  %0 = id.resize %x lowest 2 : !id.seq<5, f32> -> !id.seq<3, f32>
  return
}

// -----

func.func @resize_above(%x: !id.seq<2 * 5, f32>) {
  // expected-error@+1 {{changes digits above the lowest 1}}
  %0 = id.resize %x lowest 1 : !id.seq<2 * 5, f32> -> !id.seq<3 * 3, f32>
  return
}

// -----

func.func @resize_element(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{keeps the element type, but 'f32' became 'f64'}}
  %0 = id.resize %x lowest 1 : !id.seq<5, f32> -> !id.seq<3, f64>
  return
}

// -----

func.func @resize_without_body(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{has no body for its new elements}}
  %0 = id.resize %x lowest 1 : !id.seq<5, f32> -> !id.seq<7, f32>
  return
}

// -----

func.func @resize_with_body(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{has a body, but no new elements}}
  %0 = id.resize %x lowest 1 : !id.seq<5, f32> -> !id.seq<3, f32> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  return
}

// -----

func.func @resize_body(%x: !id.seq<5, !id.record<f32, f32>>) {
  // expected-error@+1 {{body yields 1 values that do not match the results' leaves (2 expected)}}
  %0 = id.resize %x lowest 1 : !id.seq<5, !id.record<f32, f32>> -> !id.seq<7, !id.record<f32, f32>> else {
    %c = arith.constant 1.0 : f32
    id.yield %c : f32
  }
  return
}

// -----

func.func @gather_digits(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{'id.gather' op the input has 1 digits, not 2}}
  %0 = id.gather %x lowest 2 : !id.seq<5, f32> -> !id.seq<3, f32> from {
    %c0 = arith.constant 0 : i64
    id.yield %c0 : i64
  }
  return
}

// -----

func.func @gather_body(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{'id.gather' op body yields 1 values that do not match the results' leaves (1 expected)}}
  %0 = id.gather %x lowest 1 : !id.seq<5, f32> -> !id.seq<3, f32> from {
    %c0 = arith.constant 0 : i32
    id.yield %c0 : i32
  }
  return
}

// -----

func.func @gather_unknown_digit(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{'id.gather' op body names a digit that the result does not have}}
  %0 = id.gather %x lowest 1 : !id.seq<5, f32> -> !id.seq<3, f32> from {
    %1 = id.digit 2 : i64
    id.yield %1 : i64
  }
  return
}

// -----

func.func @scatter_length(%x: !id.seq<5, f32>) {
  // expected-error@+1 {{'id.scatter' op keeps the number of elements, but 5 became 3}}
  %0 = id.scatter %x lowest 1 : !id.seq<5, f32> -> !id.seq<3, f32> to {
    %c0 = arith.constant 0 : i64
    id.yield %c0 : i64
  }
  return
}

// -----

func.func @scatter_argument(%x: !id.seq<5, f32>) {
  // expected-error@+3 {{'id.scatter' op in a kernel is of what is stored for it alone}}
  %0 = id.kernel "k" grid(%x) : (!id.seq<5, f32>) -> (!id.seq<5, f32>) {
  ^bb0(%in: !id.seq<5, f32>):
    %1 = id.scatter %in lowest 1 : !id.seq<5, f32> -> !id.seq<5, f32> to {
      %d = id.digit 1 : i64
      id.yield %d : i64
    }
    id.yield %1 : !id.seq<5, f32>
  }
  return
}

// -----

func.func @places_without_numbers(%x: !id.seq<2**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%in: !id.seq<2**2, f32>):
    %1 = id.load %in [2, 1] : <2**2, f32> -> <2**2, "reg(1) block(2)", f32>
    // expected-error@+1 {{'id.exchange' op has numbers for other digits than those of the input}}
    %2 = id.exchange %1 by shared : <2**2, "reg(1) block(2)", f32> -> <2**2, "reg(1) block(2)", f32> from [1] {
      %d1 = id.digit 1 : i64
      %d2 = id.digit 2 : i64
      id.yield %d1 : i64
    }
    %3 = id.store %2 [2, 1] : <2**2, "reg(1) block(2)", f32> -> <2**2, f32>
    id.yield %3 : !id.seq<2**2, f32>
  }
  return
}

// -----

func.func @places_of_blocks(%x: !id.seq<2**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%in: !id.seq<2**2, f32>):
    %1 = id.load %in [2, 1] : <2**2, f32> -> <2**2, "reg(1) block(2)", f32>
    // expected-error@+1 {{'id.exchange' op computes digits that blocks hold}}
    %2 = id.exchange %1 by shared : <2**2, "reg(1) block(2)", f32> -> <2**2, "reg(1) block(2)", f32> from [1], [2] {
      %d1 = id.digit 1 : i64
      %d2 = id.digit 2 : i64
      id.yield %d2, %d1 : i64, i64
    }
    %3 = id.store %2 [2, 1] : <2**2, "reg(1) block(2)", f32> -> <2**2, f32>
    id.yield %3 : !id.seq<2**2, f32>
  }
  return
}

// -----

func.func @places_by_shuffle(%x: !id.seq<2**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%in: !id.seq<2**2, f32>):
    %1 = id.load %in [2, 1] : <2**2, f32> -> <2**2, "reg(1) block(2)", f32>
    // expected-error@+1 {{'id.exchange' op from computed places goes through the memory of a block or a cluster}}
    %2 = id.exchange %1 by shuffle : <2**2, "reg(1) block(2)", f32> -> <2**2, "reg(1) block(2)", f32> from [1], [2] {
      %d1 = id.digit 1 : i64
      %d2 = id.digit 2 : i64
      id.yield %d1, %d2 : i64, i64
    }
    %3 = id.store %2 [2, 1] : <2**2, "reg(1) block(2)", f32> -> <2**2, f32>
    id.yield %3 : !id.seq<2**2, f32>
  }
  return
}

// -----

func.func @places_of_ranks(%x: !id.seq<2**2, f32>) {
  %0 = id.kernel "k" cluster 2(%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%in: !id.seq<2**2, f32>):
    %1 = id.load %in [2, 1] : <2**2, f32> -> <2**2, "reg(1) rank(2)", f32>
    // expected-error@+1 {{'id.exchange' op takes what other blocks of the cluster hold}}
    %2 = id.exchange %1 by shared <padded = true, words = 2, columns = 1, 1> : <2**2, "reg(1) rank(2)", f32> -> <2**2, "reg(1) rank(2)", f32> from [2, 1] {
      %d1 = id.digit 1 : i64
      id.yield %d1 : i64
    }
    %3 = id.store %2 [2, 1] : <2**2, "reg(1) rank(2)", f32> -> <2**2, f32>
    id.yield %3 : !id.seq<2**2, f32>
  }
  return
}

// -----

func.func @places_of_all_ranks(%x: !id.seq<2, f32>) {
  %0 = id.kernel "k" cluster 2(%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%in: !id.seq<2, f32>):
    %1 = id.load %in [1] : <2, f32> -> <2, "reg(1) rank(_)", f32>
    // expected-error@+1 {{'id.exchange' op from computed places is of what each block of a cluster has a part of}}
    %2 = id.exchange %1 by shared : <2, "reg(1) rank(_)", f32> -> <2, "reg(1) rank(_)", f32> from [1] {
      %d1 = id.digit 1 : i64
      id.yield %d1 : i64
    }
    %3 = id.store %2 [1] : <2, "reg(1) rank(_)", f32> -> <2, f32>
    id.yield %3 : !id.seq<2, f32>
  }
  return
}

// -----

func.func @places_of_digits(%x: !id.seq<2**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**2, f32>) -> !id.seq<2**2, f32> {
  ^bb0(%in: !id.seq<2**2, f32>):
    %1 = id.load %in [2, 1] : <2**2, f32> -> <2**2, "reg(1) block(2)", f32>
    // expected-error@+1 {{'id.exchange' op body names a digit that the result does not have}}
    %2 = id.exchange %1 by shared : <2**2, "reg(1) block(2)", f32> -> <2**2, "reg(1) block(2)", f32> from [1], [2] {
      %d1 = id.digit 1 : i64
      %d2 = id.digit 3 : i64
      id.yield %d1, %d2 : i64, i64
    }
    %3 = id.store %2 [2, 1] : <2**2, "reg(1) block(2)", f32> -> <2**2, f32>
    id.yield %3 : !id.seq<2**2, f32>
  }
  return
}
