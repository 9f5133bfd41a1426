"""An algorithm of one's own whose derivatives the scripts beside this one compare."""

import idc

OWN = idc.compile("""
func gated<T>(x: T, w: T, by: T) -> T { return w * tanh(by * x); }
node butterfly<T>(x: T[2]) -> T[2] { return [x[0] + x[1], x[0] - x[1]]; }
algorithm layer<T>(x: T[2^n], w: T[2^n], by: T) -> T[2^n] {
  let y = (x, w) |> gated(by);
  for i in 1..n { y = y |> butterfly @ i; }
  return y;
}
""").layer
