// Which digits a dimension has, in random programs whose steps change the number of digits: their values against those
// of an array with an index for each dimension. The interpreter shares the front end's numbering of digits and could not
// show what is wrong with it; the array has no digits.
#include "FrontendFixture.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

struct Dimension {
  std::string name;
  int64_t size;
};

/// An array and the program that made it.
class Model {
public:
  explicit Model(unsigned seed) : random(seed) {
    static const char *const names[] = {"z", "y", "x"};
    for (int count = between(1, 3), i = 3 - count; i < 3; ++i)
      dimensions.push_back({names[i], int64_t(1) << between(0, 2)});
    for (int64_t i = 0; i < elements(); ++i)
      values.push_back(between(0, 9));
    input = values;
    for (const Dimension &dimension : dimensions)
      shape += "[" + dimension.name + ": " + std::to_string(dimension.size) + "]";
    for (int i = between(1, 6); i > 0; --i)
      step();
  }

  std::string text() const {
    return "func place(x: i64, p: i64) -> i64 { return x + p; }\n"
           "node sum(x: i64[2]) -> i64 { return x[0] + 3 * x[1]; }\n"
           "node copies(x: i64) -> i64[2] { return [x, x + 1]; }\n"
           "algorithm half(x: i64[2^k]) -> i64[2^(k-1)] { return x |> sum @ 1; }\n"
           "algorithm twice(x: i64[2^k]) -> i64[2^(k+1)] { return x |> copies @ 1; }\n"
           "algorithm both(x: i64[a: 2^k][b: N]) -> i64[a: 2^(k-1)][b: 2 * N] {\n"
           "  return x |> half @ a |> longer @ b;\n}\n"
           "algorithm longer(x: i64[N]) -> i64[2 * N] { return x |> pad(2 * N, 5); }\n" +
           declarations + "algorithm f(x: i64" + shape + ") -> i64[" + std::to_string(elements()) + "] {\n  return x" +
           pipe + ";\n}\n";
  }

  std::vector<int64_t> input, values;

private:
  using Index = std::vector<int64_t>;

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  int64_t elements() const {
    int64_t product = 1;
    for (const Dimension &dimension : dimensions)
      product *= dimension.size;
    return product;
  }
  int64_t at(const Index &index) const {
    int64_t number = 0;
    for (size_t d = 0; d < dimensions.size(); ++d)
      number = number * dimensions[d].size + index[d];
    return values[number];
  }

  /// The array with these dimensions, whose elements `make` takes from the present one.
  void become(std::vector<Dimension> shape, const std::function<int64_t(const Index &)> &make) {
    std::vector<int64_t> made;
    Index index(shape.size(), 0);
    int64_t count = 1;
    for (const Dimension &dimension : shape)
      count *= dimension.size;
    for (int64_t i = 0; i < count; ++i) {
      made.push_back(make(index));
      for (size_t d = shape.size(); d > 0 && ++index[d - 1] == shape[d - 1].size; --d)
        index[d - 1] = 0;
    }
    dimensions = std::move(shape);
    values = std::move(made);
  }
  void resize(size_t d, int64_t size, const std::function<int64_t(Index)> &make) {
    std::vector<Dimension> shape = dimensions;
    shape[d].size = size;
    become(shape, make);
  }

  bool isPower(size_t d) const { return (dimensions[d].size & (dimensions[d].size - 1)) == 0; }
  void halve(size_t d) {
    resize(d, dimensions[d].size / 2, [&](Index index) {
      index[d] *= 2;
      int64_t low = at(index);
      ++index[d];
      return low + 3 * at(index);
    });
  }
  void lengthen(size_t d, int64_t size, int64_t fill) {
    int64_t before = dimensions[d].size;
    resize(d, size, [&](const Index &index) { return index[d] < before ? at(index) : fill; });
  }

  void step() {
    size_t d = static_cast<size_t>(between(0, static_cast<int>(dimensions.size()) - 1));
    const std::string name = dimensions[d].name;
    switch (between(0, 7)) {
    case 0:
      if (!isPower(d) || dimensions[d].size == 1)
        return;
      pipe += " |> half @ " + name;
      return halve(d);
    case 1:
      if (!isPower(d) || elements() > 200)
        return;
      pipe += " |> twice @ " + name;
      return resize(d, 2 * dimensions[d].size, [&](Index index) {
        int64_t odd = index[d] % 2;
        index[d] /= 2;
        return at(index) + odd;
      });
    case 2: {
      int64_t size = between(1, 12);
      if (elements() / dimensions[d].size * size > 400)
        return;
      std::string own = "resize" + std::to_string(number++), step = size < dimensions[d].size ? "crop(" : "pad(";
      declarations += "algorithm " + own + "(x: i64[N]) -> i64[" + std::to_string(size) + "] { return x |> " + step +
                      std::to_string(size) + (step == "pad(" ? ", 7" : "") + "); }\n";
      pipe += " |> " + own + " @ " + name;
      return lengthen(d, size, 7);
    }
    case 3: { // the sum of a whole dimension, of which none of its digits is left
      int64_t size = dimensions[d].size;
      if (size == 1)
        return;
      std::string own = "total" + std::to_string(number++);
      declarations += "node " + own + "(x: i64[r]) -> i64 {\n  let s = x[0];\n  for i in 1..r-1 { s = s + x[i]; }\n  "
                      "return s;\n}\n";
      pipe += " |> " + own + " @ " + name;
      return resize(d, 1, [&](Index index) {
        int64_t sum = 0;
        for (index[d] = 0; index[d] < size; ++index[d])
          sum += at(index);
        return sum;
      });
    }
    case 4: {
      std::vector<size_t> order(dimensions.size());
      std::iota(order.begin(), order.end(), size_t(0));
      std::shuffle(order.begin(), order.end(), random);
      std::vector<Dimension> shape;
      std::string list;
      for (size_t from : order) {
        shape.push_back(dimensions[from]);
        list += (list.empty() ? "" : ", ") + dimensions[from].name;
      }
      pipe += " |> permute([" + list + "])";
      return become(shape, [&](const Index &index) {
        Index from(index.size());
        for (size_t i = 0; i < order.size(); ++i)
          from[order[i]] = index[i];
        return at(from);
      });
    }
    case 5: { // two dimensions at once, in either order
      if (dimensions.size() < 2 || !isPower(d) || dimensions[d].size == 1 || elements() > 200)
        return;
      size_t other = (d + static_cast<size_t>(between(1, static_cast<int>(dimensions.size()) - 1))) % dimensions.size();
      pipe += " |> both @ (" + name + ", " + dimensions[other].name + ")";
      halve(d);
      return lengthen(other, 2 * dimensions[other].size, 5);
    }
    case 6: { // a node on the lowest digit, by its number
      int digit = 1;
      for (size_t below = d + 1; below < dimensions.size(); ++below) {
        if (!isPower(below))
          return;
        for (int64_t size = dimensions[below].size; size > 1; size /= 2)
          ++digit;
      }
      if (!isPower(d) || dimensions[d].size == 1)
        return;
      pipe += " |> sum @ " + std::to_string(digit);
      return halve(d);
    }
    default: {
      std::string sum;
      std::vector<int64_t> weights;
      for (const Dimension &dimension : dimensions) {
        weights.push_back(between(1, 1000));
        sum += (sum.empty() ? "" : " + ") + std::to_string(weights.back()) + " * digits(" + dimension.name + ")";
      }
      pipe += " |> place(" + sum + ")";
      return become(dimensions, [&](const Index &index) {
        return std::inner_product(index.begin(), index.end(), weights.begin(), at(index));
      });
    }
    }
  }

  std::mt19937 random;
  std::vector<Dimension> dimensions;
  std::string shape, declarations, pipe;
  int number = 0;
};

} // namespace

TEST(Dimensions, KeepTheirDigits) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Model model(seed);
    Buffer input(model.input.size());
    for (size_t i = 0; i < input.size(); ++i)
      input[i].integer = model.input[i];
    auto program = fromText(model.text(), "f", {});
    ASSERT_TRUE(program->program.has_value()) << "seed " << seed << "\n" << program->messages() << model.text();
    const Buffer output = run(*program, {input})[0];
    std::vector<int64_t> values;
    for (const Scalar &value : output)
      values.push_back(value.integer);
    ASSERT_EQ(values, model.values) << "seed " << seed << "\n" << model.text();
  }
}
