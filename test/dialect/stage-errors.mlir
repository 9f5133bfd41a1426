// What the verifiers of kernels and of ops on tiles say.
// RUN: idc-opt %s --split-input-file --verify-diagnostics

func.func @cluster(%x: !id.seq<2**6, f32>) {
  %0 = id.kernel "k" cluster 4(%x) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: !id.seq<2**6, f32>):
    // expected-error@+1 {{makes a tile for 2 blocks together, where the kernel has 4}}
    %1 = id.load %a [6, 5, 4, 3, 2, 1] : !id.seq<2**6, f32> -> !id.tile<2**6, "lane(5..1) rank(6)", f32>
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !id.tile<2**6, "lane(5..1) rank(6)", f32> -> !id.seq<2**6, f32>
    id.yield %2 : !id.seq<2**6, f32>
  }
  return
}

// -----

func.func @turns(%x: !id.seq<2**6, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**6, f32>) -> !id.seq<2**6, f32> {
  ^bb0(%a: !id.seq<2**6, f32>):
    // expected-error@+1 {{makes a tile in turns, which only blocks of a team take}}
    %1 = id.load %a [6, 5, 4, 3, 2, 1] : !id.seq<2**6, f32> -> !id.tile<2**6, "lane(5..1) turn(6)", f32>
    %2 = id.store %1 [6, 5, 4, 3, 2, 1] : !id.tile<2**6, "lane(5..1) turn(6)", f32> -> !id.seq<2**6, f32>
    id.yield %2 : !id.seq<2**6, f32>
  }
  return
}

// -----

func.func @cluster_of_none(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{'cluster' needs a number of blocks, at least one}}
  %0 = id.kernel "k" cluster 0(%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: !id.seq<2, f32>):
    id.yield %a : !id.seq<2, f32>
  }
  return
}

// -----

func.func @cluster_and_team(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{blocks are tied together as a cluster or as a team}}
  %0 = id.kernel "k" cluster 2 team 4(%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: !id.seq<2, f32>):
    id.yield %a : !id.seq<2, f32>
  }
  return
}

// -----

func.func @kernel_results(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{body yields 0 values that do not match the results' leaves (1 expected)}}
  %0 = id.kernel "k" grid(%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: !id.seq<2, f32>):
    id.yield
  }
  return
}

// -----

func.func @launch(%x: !id.seq<2, f32>) {
  // expected-error@+1 {{unknown word 'fast'; expected grid, cluster N, team N, persistent, dependent or resident N}}
  %0 = id.kernel "k" fast (%x) : (!id.seq<2, f32>) -> !id.seq<2, f32> {
  ^bb0(%a: !id.seq<2, f32>):
    id.yield %a : !id.seq<2, f32>
  }
  return
}

// -----

func.func @load_places(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{the index map has 3 places, the sequence 2 digits}}
  %0 = id.load %x [3, 2, 1] : !id.seq<2**2, f32> -> !id.tile<2**2, "reg(2..1)", f32>
  return
}

// -----

func.func @load_shape(%x: !id.seq<3 * 2, f32>) {
  // expected-error@+1 {{moves 3 * 2 to another shape than 2**2}}
  %0 = id.load %x [1, 2] : !id.seq<3 * 2, f32> -> !id.tile<2 * 2, "reg(2..1)", f32>
  return
}

// -----

func.func @load_element(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{keeps the element type, but 'f32' became 'f64'}}
  %0 = id.load %x [2, 1] : !id.seq<2**2, f32> -> !id.tile<2**2, "reg(2..1)", f64>
  return
}

// -----

func.func @store(%x: !id.seq<2**2, f32>) {
  %0 = id.load %x [2, 1] : !id.seq<2**2, f32> -> !id.tile<2**2, "reg(2..1)", f32>
  // expected-error@+1 {{moves 2**2 to another shape than 2**3}}
  %1 = id.store %0 [2, 1] : !id.tile<2**2, "reg(2..1)", f32> -> !id.seq<2**3, f32>
  return
}

// -----

func.func @exchange_shape(%x: !id.tile<2**2, "reg(2..1)", f32>) {
  // expected-error@+1 {{keeps shape and element type}}
  %0 = id.exchange %x : !id.tile<2**2, "reg(2..1)", f32> -> !id.tile<2**3, "reg(3..1)", f32>
  return
}

// -----

func.func @exchange_element(%x: !id.tile<2**2, "reg(2..1)", f32>) {
  // expected-error@+1 {{keeps shape and element type}}
  %0 = id.exchange %x : !id.tile<2**2, "reg(2..1)", f32> -> !id.tile<2**2, "lane(2..1)", f64>
  return
}

// -----

func.func @exchange_digits(%x: !id.tile<2**2, "reg(2..1) lane(3)", f32>) {
  // expected-error@+1 {{source and destination hold different digits}}
  %0 = id.exchange %x : !id.tile<2**2, "reg(2..1) lane(3)", f32> -> !id.tile<2**2, "reg(2..1)", f32>
  return
}

// -----

func.func @exchange_block(%x: !id.tile<2**2, "reg(2) block(1)", f32>) {
  // expected-error@+1 {{cannot move digits of the block field}}
  %0 = id.exchange %x : !id.tile<2**2, "reg(2) block(1)", f32> -> !id.tile<2**2, "reg(1) block(2)", f32>
  return
}

// -----

func.func @exchange_turn(%x: !id.tile<2**2, "reg(2) turn(1)", f32>) {
  // expected-error@+1 {{cannot move digits of the turn field}}
  %0 = id.exchange %x : !id.tile<2**2, "reg(2) turn(1)", f32> -> !id.tile<2**2, "reg(1) turn(2)", f32>
  return
}

// -----

func.func @layout(%x: !id.tile<2**2, "reg(2) lane(1)", f32>) {
  // expected-error@+1 {{only exchanges through memory have a layout}}
  %0 = id.exchange %x by shuffle <padded = false, words = 4, columns = 1, 1, 2, 2>
      : !id.tile<2**2, "reg(2) lane(1)", f32> -> !id.tile<2**2, "reg(1) lane(2)", f32>
  return
}

// -----

func.func @node_mapping(%x: !id.tile<2**2, "reg(2) lane(1)", f32>) {
  // expected-error@+1 {{operands and results have different mappings}}
  %0 = id.node [2] (%x) : (!id.tile<2**2, "reg(2) lane(1)", f32>) -> !id.tile<2**2, "reg(1) lane(2)", f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @node_in_lanes(%x: !id.tile<2**2, "reg(2) lane(1)", f32>) {
  // expected-error@+1 {{acts on digit 1, which is not in registers}}
  %0 = id.node [1] (%x) : (!id.tile<2**2, "reg(2) lane(1)", f32>) -> !id.tile<2**2, "reg(2) lane(1)", f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @pointwise_mapping(%x: !id.tile<2**2, "reg(2) lane(1)", f32>) {
  // expected-error@+1 {{operands and results have different mappings}}
  %0 = id.pointwise (%x) : (!id.tile<2**2, "reg(2) lane(1)", f32>) -> !id.tile<2**2, "reg(1) lane(2)", f32> {
  ^bb0(%a: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @exchange_kind(%x: !id.tile<2**2, "reg(2..1)", f32>) {
  // expected-error@+1 {{expected unplanned, none, registers, shuffle, shared, cluster or grid}}
  %0 = id.exchange %x by mail : !id.tile<2**2, "reg(2..1)", f32> -> !id.tile<2**2, "lane(2..1)", f32>
  return
}

// -----

func.func @mixed(%x: !id.tile<2**2, "reg(2) lane(1)", f32>, %y: !id.seq<2**2, f32>) {
  // expected-error@+1 {{operands and results have different mappings}}
  %0 = id.pointwise (%x, %y) : (!id.tile<2**2, "reg(2) lane(1)", f32>, !id.seq<2**2, f32>)
      -> !id.tile<2**2, "reg(2) lane(1)", f32> {
  ^bb0(%a: f32, %b: f32):
    id.yield %a : f32
  }
  return
}

// -----

func.func @repeated_shape(%x: !id.seq<3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<3, f32>) -> !id.seq<3 * 2, f32> {
  ^bb0(%a: !id.seq<3, f32>):
    // expected-error@+1 {{moves 3**2 to another shape than 3 * 2}}
    %1 = id.load %a [2, 1] : !id.seq<3, f32> -> !id.tile<3 * 2, "reg(2) block(1)", f32>
    %2 = id.store %1 [2, 1] : !id.tile<3 * 2, "reg(2) block(1)", f32> -> !id.seq<3 * 2, f32>
    id.yield %2 : !id.seq<3 * 2, f32>
  }
  return
}

// -----

func.func @stored_and_loaded(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    // expected-error@+1 {{of what the kernel stores is of a ring}}
    %3 = id.load %2 [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %4 = id.store %3 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %4 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @short_delay(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    // expected-error@+1 {{has a delay of 3 tiles, less than the 4 of a problem}}
    %r = id.ring %2 slots 2 delay 3 : !id.seq<2**3, f32>
    %3 = id.load %r [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %4 = id.store %3 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %4 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @small_ring(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    // expected-error@+1 {{has memory for 2 problems, too few for 9 tiles on their way}}
    %r = id.ring %2 slots 2 delay 5 : !id.seq<2**3, f32>
    %3 = id.load %r [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %4 = id.store %3 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %4 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @part_digit(%x: !id.seq<2**2, f32>) {
  // expected-error@+1 {{digit 3 is out of range 1..2}}
  %0 = id.part %x[3] = 0 : !id.seq<2**2, f32> -> !id.seq<2, f32>
  return
}

// -----

func.func @part_value(%x: !id.seq<3**2, f32>) {
  // expected-error@+1 {{digit 1 has no value 3}}
  %0 = id.part %x[1] = 3 : !id.seq<3**2, f32> -> !id.seq<3, f32>
  return
}

// -----

func.func @part_type(%x: !id.seq<2 * 3, f32>) {
  // expected-error@+1 {{a part lacks digit 1 of '!id.seq<2 * 3, f32>' and is alike otherwise}}
  %0 = id.part %x[1] = 2 : !id.seq<2 * 3, f32> -> !id.seq<3, f32>
  return
}

// -----

func.func @join_count(%x: !id.seq<2, f32>) {
  %0 = id.load %x [1] : !id.seq<2, f32> -> !id.tile<2, "reg(1)", f32>
  %1 = id.store %0 [1] : !id.tile<2, "reg(1)", f32> -> !id.seq<2, f32>
  // expected-error@+1 {{needs a part for every value of digit 2}}
  %2 = id.join[2] %1 : (!id.seq<2, f32>) -> !id.seq<3 * 2, f32>
  return
}

// -----

func.func @join_argument(%x: !id.seq<2, f32>, %y: !id.seq<2, f32>) {
  // expected-error@+1 {{needs parts that are stored for it alone}}
  %0 = id.join[2] %x, %y : (!id.seq<2, f32>, !id.seq<2, f32>) -> !id.seq<2**2, f32>
  return
}

// -----

func.func @join_threads(%x: !id.tile<2, "reg(1) lane(2)", f32>, %y: !id.tile<2, "lane(1)", f32>) {
  // expected-error@+1 {{needs parts that threads hold like the result}}
  %0 = id.join[2] %x, %x : (!id.tile<2, "reg(1) lane(2)", f32>, !id.tile<2, "reg(1) lane(2)", f32>) -> !id.tile<2**2, "reg(2) lane(1, 3)", f32>
  return
}

// -----

func.func @join_lane(%x: !id.tile<2, "reg(1)", f32>) {
  // expected-error@+1 {{needs digit 2 in registers}}
  %0 = id.join[2] %x, %x : (!id.tile<2, "reg(1)", f32>, !id.tile<2, "reg(1)", f32>) -> !id.tile<2**2, "reg(1) lane(2)", f32>
  return
}

// -----

func.func @resize_stored(%x: !id.seq<5, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<5, f32>) -> !id.seq<7, f32> {
  ^bb0(%in: !id.seq<5, f32>):
    %1 = id.load %in [1] : !id.seq<5, f32> -> !id.tile<5, "block(1)", f32>
    %2 = id.store %1 [1] : !id.tile<5, "block(1)", f32> -> !id.seq<5, f32>
    // expected-error@+1 {{of what is stored has other elements or another use}}
    %3 = id.resize %2 lowest 1 : !id.seq<5, f32> -> !id.seq<7, f32> else {
      %c = arith.constant 1.0 : f32
      id.yield %c : f32
    }
    id.yield %3 : !id.seq<7, f32>
  }
  return
}

// -----

func.func @resize_stored_twice(%x: !id.seq<5, f32>) {
  %0:2 = id.kernel "k" grid(%x) : (!id.seq<5, f32>) -> (!id.seq<3, f32>, !id.seq<5, f32>) {
  ^bb0(%in: !id.seq<5, f32>):
    %1 = id.load %in [1] : !id.seq<5, f32> -> !id.tile<5, "block(1)", f32>
    %2 = id.store %1 [1] : !id.tile<5, "block(1)", f32> -> !id.seq<5, f32>
    // expected-error@+1 {{of what is stored has other elements or another use}}
    %3 = id.resize %2 lowest 1 : !id.seq<5, f32> -> !id.seq<3, f32>
    id.yield %3, %2 : !id.seq<3, f32>, !id.seq<5, f32>
  }
  return
}

// -----

func.func @staged_part(%x: !id.seq<5**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<5**2, f32>) -> !id.seq<5**2, f32> {
  ^bb0(%in: !id.seq<5**2, f32>):
    // expected-error@+1 {{is staged where a block holds whole problems, not a part of digit 2}}
    %1 = id.load %in [2, 1] {staged} : !id.seq<5**2, f32> -> !id.tile<5**2, "lane(1) block(2)", f32>
    %2 = id.store %1 [2, 1] : !id.tile<5**2, "lane(1) block(2)", f32> -> !id.seq<5**2, f32>
    id.yield %2 : !id.seq<5**2, f32>
  }
  return
}

// -----

func.func @staged_view(%x: !id.seq<5**2, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<5**2, f32>) -> !id.seq<5, f32> {
  ^bb0(%in: !id.seq<5**2, f32>):
    %1 = id.part %in[2] = 3 : !id.seq<5**2, f32> -> !id.seq<5, f32>
    // expected-error@+1 {{is staged where a buffer is taken as it is, not a part, a repetition or a ring}}
    %2 = id.load %1 [1] {staged} : !id.seq<5, f32> -> !id.tile<5, "lane(1)", f32>
    %3 = id.store %2 [1] : !id.tile<5, "lane(1)", f32> -> !id.seq<5, f32>
    id.yield %3 : !id.seq<5, f32>
  }
  return
}

// -----

func.func @staged_cluster(%x: !id.seq<2 * 5, f32>) {
  %0 = id.kernel "k" cluster 2(%x) : (!id.seq<2 * 5, f32>) -> !id.seq<2 * 5, f32> {
  ^bb0(%in: !id.seq<2 * 5, f32>):
    %1 = id.load %in [2, 1] : !id.seq<2 * 5, f32> -> !id.tile<2 * 5, "lane(1) rank(2)", f32>
    // expected-error@+1 {{is staged by blocks of a grid only}}
    %2 = id.store %1 [2, 1] {staged} : !id.tile<2 * 5, "lane(1) rank(2)", f32> -> !id.seq<2 * 5, f32>
    id.yield %2 : !id.seq<2 * 5, f32>
  }
  return
}

// -----

func.func @ring_of_argument(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    // expected-error@+1 {{is of what a kernel stores, for it alone}}
    %r = id.ring %a slots 2 delay 4 : !id.seq<2**3, f32>
    %1 = id.load %r [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %2 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @ring_of_clusters(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" cluster 2 (%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) rank(2) block(3)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) rank(2) block(3)", f32> -> !id.seq<2**3, f32>
    // expected-error@+1 {{lies between two passes of a plain grid}}
    %r = id.ring %2 slots 2 delay 2 : !id.seq<2**3, f32>
    %3 = id.load %r [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) rank(2) block(3)", f32>
    %4 = id.store %3 [3, 2, 1] : !id.tile<2**3, "reg(1) rank(2) block(3)", f32> -> !id.seq<2**3, f32>
    id.yield %4 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @tile_of_both_passes(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    // expected-error@+1 {{lies between two passes, which have no tile in common}}
    %r = id.ring %2 slots 2 delay 4 : !id.seq<2**3, f32>
    %4 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %4 : !id.seq<2**3, f32>
  }
  return
}

// -----

func.func @unlike_rings(%x: !id.seq<2**3, f32>) {
  %0 = id.kernel "k" grid(%x) : (!id.seq<2**3, f32>) -> !id.seq<2**3, f32> {
  ^bb0(%a: !id.seq<2**3, f32>):
    %1 = id.load %a [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %2 = id.store %1 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    %3 = id.store %1 [1, 2, 3] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    %r = id.ring %2 slots 2 delay 4 : !id.seq<2**3, f32>
    // expected-error@+1 {{follows another one of as many slots and as long a delay}}
    %s = id.ring %3 slots 3 delay 4 : !id.seq<2**3, f32>
    %5 = id.load %s [3, 2, 1] : !id.seq<2**3, f32> -> !id.tile<2**3, "reg(1) block(3..2)", f32>
    %6 = id.store %5 [3, 2, 1] : !id.tile<2**3, "reg(1) block(3..2)", f32> -> !id.seq<2**3, f32>
    id.yield %6 : !id.seq<2**3, f32>
  }
  return
}
