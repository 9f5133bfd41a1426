"""The meaning of a program, from the text of docs/language.md alone.

A parser and an evaluator for a part of the language, written without the compiler's front end: all scalars but those of
16 bits, and records of them; funcs and nodes; algorithms with sizes, loops, conditions, recursion, named dimensions,
`@`, permutations, pad, crop and gathers. Integers and residues are exact, reals are Python's. What is not understood raises
Unsupported."""
import cmath
import math
import re


class Unsupported(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Unsupported(what)


# --- text --------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"\s+|//[^\n]*|(?P<number>\d+(\.\d+)?)|(?P<name>[^\W\d]\w*)|(?P<op>\|>|->|\.\.|==|!=|<=|>=|<<|>>|&&|\|\||.)", re.S)

BINARY = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["|"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]


class Parser:
    """Nodes are tuples: ("number", 3), ("name", "x"), ("call", name, arguments), ("binary", op, a, b), ..."""

    def __init__(self, text):
        self.tokens = [m.group() for m in TOKEN.finditer(text) if m.lastgroup]
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, token=None):
        found = self.peek()
        need(found and token in (None, found), f"expected {token}, found {found}")
        self.at += 1
        return found

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def listed(self, item, close):
        items = []
        while not self.accept(close):
            items.append(item())
            if self.peek() != close:
                self.take(",")
        return items

    def program(self):
        program = {"type": {}, "func": {}, "node": {}, "algorithm": {}}
        while self.peek():
            kind = self.take()
            need(kind in program, kind)
            name = self.take()
            need(self.peek() != "<", "generics")
            if kind == "type":
                self.take("=")
                self.take("{")
                program[kind][name] = self.listed(self.parameter, "}")
                self.take(";")
                continue
            self.take("(")
            parameters = self.listed(self.parameter, ")")
            self.take("->")
            results = self.listed(self.type, ")") if self.accept("(") else [self.type()]
            program[kind][name] = (parameters, results, self.block())
        return program

    def parameter(self):
        name = self.take()
        self.take(":")
        return name, self.type()

    def type(self):
        """(scalar or record, dimensions): each dimension a name or None and the factors of its length."""
        name = self.take()
        if name == "mod":
            self.take("<")
            name = ("mod", int(self.take()))
            self.take(">")
        else:
            name = self.complex_type(name)
            need(name not in ("f16", "bf16"), "16 bits")
        dimensions = []
        while self.accept("["):
            label = None
            if self.peek(1) == ":":
                label = self.take()
                self.take(":")
            dimensions.append((label, self.expression()))
            self.take("]")
        return name, dimensions

    def complex_type(self, name):
        if name == "complex" and self.accept("<"):
            name = "complex<" + self.take() + ">"
            self.take(">")
        return name

    def block(self):
        self.take("{")
        statements = []
        while not self.accept("}"):
            statements.append(self.statement())
        return statements

    def statement(self):
        if self.accept("for"):
            name = self.take()
            self.take("in")
            first = self.expression()
            down = not self.accept("..") and self.take("downto")
            last = self.expression()
            step = self.expression() if self.accept("by") else ("number", 1)
            return "for", name, first, last, step, bool(down), self.block()
        if self.accept("if"):
            condition, then = self.expression(), self.block()
            other = []
            if self.accept("else"):
                other = [self.statement()] if self.peek() == "if" else self.block()
            return "if", condition, then, other
        if self.accept("return"):
            value = self.pipe()
            self.take(";")
            return "return", value
        self.accept("let")
        names = self.listed(self.take, ")") if self.accept("(") else [self.take()]
        declared = self.type() if self.accept(":") else None
        self.take("=")
        value = self.pipe()
        self.take(";")
        return "let", names, value, declared

    def pipe(self):
        value = self.expression()
        while self.accept("|>"):
            name = self.take()
            arguments = []
            if self.accept("("):
                arguments = self.listed(self.list_or_expression, ")")
            power = self.expression() if self.accept("^") else None
            digits = self.digit_list() if self.accept("@") else None
            value = "stage", value, name, arguments, power, digits
        return value

    def list_or_expression(self):
        if self.peek() == "[":
            return "digits", self.digit_list()
        return self.pipe()

    def digit_list(self):
        close = {"(": ")", "[": "]"}.get(self.peek())
        if close is None:
            return [self.digit_range()]
        self.take()
        return self.listed(self.digit_range, close)

    def digit_range(self):
        first = self.expression()
        return (first, self.expression()) if self.accept("..") else (first, None)

    def expression(self, level=0):
        if level == len(BINARY):
            return self.unary()
        left = self.expression(level + 1)
        while self.peek() in BINARY[level]:
            left = "binary", self.take(), left, self.expression(level + 1)
        return left

    def unary(self):
        if self.peek() in ("-", "!", "~"):
            return "unary", self.take(), self.unary()
        value = self.postfix()
        if self.peek() == "^":
            self.take()
            return "binary", "^", value, self.unary()
        return value

    def postfix(self):
        value = self.primary()
        while True:
            if self.accept("."):
                value = "field", value, self.take()
            elif self.accept("["):
                value = "element", value, self.expression()
                self.take("]")
            else:
                return value

    def primary(self):
        token = self.take()
        if token == "(":
            items = self.listed(self.pipe, ")")
            return items[0] if len(items) == 1 else ("tuple", items)
        if token == "[":
            return "array", self.listed(self.expression, "]")
        if token[0].isdigit():
            return "number", float(token) if "." in token else int(token)
        if token in ("true", "false"):
            return "bool", token == "true"
        if token == "mod" and self.accept("<"):
            token = ("mod", int(self.take()))
            self.take(">")
        token = self.complex_type(token)
        if self.accept("("):
            return "call", token, self.listed(self.pipe, ")")
        if self.peek() == "{" and self.peek(2) == ":" and token[0].isupper():
            self.take()
            fields = []
            while not self.accept("}"):
                name = self.take()
                self.take(":")
                fields.append((name, self.expression()))
                self.accept(",")
            return "record", token, dict(fields)
        return "name", token


# --- scalars -----------------------------------------------------------------------------------------------------------

INTEGERS = {"i32": (32, True), "i64": (64, True), "u32": (32, False), "u64": (64, False)}


REALS = ("f32", "f64")
PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}


class Typed:
    """A value with a type: a Python number, a bool, or for a record a dict of Typed."""

    def __init__(self, type, value):
        self.type, self.value = type, value


def wrapped(type, value):
    if type in REALS:
        return float(value)
    if type in PARTS:
        return complex(value)
    if type == "bool":
        return bool(value)
    if type in INTEGERS:
        bits, signed = INTEGERS[type]
        value &= (1 << bits) - 1
        return value - (1 << bits) if signed and value >> (bits - 1) else value
    return value % type[1]


class Root:
    """omega(order, exponent), which takes the type of what it meets."""

    def __init__(self, order, exponent):
        self.order, self.exponent = order, exponent


def prime_factors(n):
    factors, p = [], 2
    while p * p <= n:
        need(p < 1 << 20, "large factors")
        while n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    return factors + [n] if n > 1 else factors


roots = {}


def primitive_root(modulus):
    if modulus not in roots:
        factors = set(prime_factors(modulus - 1))
        roots[modulus] = next(g for g in range(1, modulus)
                              if all(pow(g, (modulus - 1) // p, modulus) != 1 for p in factors))
    return roots[modulus]


def convert(value, type):
    """A value without a type becomes one of this type."""
    if isinstance(value, Typed):
        if PARTS.get(type) == value.type:
            return Typed(type, complex(value.value))
        need(value.type == type, f"{value.type} instead of {type}")
        return value
    if isinstance(value, Root) and type in PARTS:
        return Typed(type, cmath.exp(-2j * math.pi * (value.exponent % value.order) / value.order))
    if isinstance(value, Root):
        need(type[0] == "mod" and (type[1] - 1) % value.order == 0, "roots of unity")
        g = primitive_root(type[1])
        return Typed(type, pow(g, (type[1] - 1) // value.order * (value.exponent % value.order), type[1]))
    if isinstance(value, bool):
        need(type == "bool", "bool")
        return Typed(type, value)
    need(type != "bool" and (isinstance(value, int) or type in REALS or type in PARTS), f"{value} as {type}")
    return Typed(type, wrapped(type, value))


def alike(a, b):
    if isinstance(a, Typed):
        if isinstance(b, Typed) and PARTS.get(b.type) == a.type:
            return convert(a, b.type), b
        return a, convert(b, a.type)
    return (convert(a, b.type), b) if isinstance(b, Typed) else (a, b)


def truncated(a, b):
    need(b, "division by 0")
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def shift(op, a, b):
    type = a.type
    bits, signed = INTEGERS[type]
    amount = b.value & ((1 << bits) - 1)
    if op == "<<":
        return wrapped(type, a.value << amount) if amount < bits else 0
    return a.value >> min(amount, bits)


def binary(op, a, b):
    a, b = alike(a, b)
    typed = isinstance(a, Typed)
    type = a.type if typed else None
    x, y = (a.value, b.value) if typed else (a, b)
    if op in ("==", "!=", "<", "<=", ">", ">="):
        result = {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
        return Typed("bool", result) if typed else result
    if op in ("&&", "||"):
        result = (x and y) if op == "&&" else (x or y)
        return Typed("bool", result) if typed else result
    if op in ("<<", ">>"):
        if typed:
            return Typed(type, shift(op, a, b))
        return x << y if op == "<<" else x >> y
    if op == "^":
        need(not typed and y >= 0, "power")
        return x**y
    real = type in REALS or type in PARTS or isinstance(x, float) or isinstance(y, float)
    if op == "/" and real:
        need(y, "division by 0")
        return Typed(type, x / y) if typed else x / y
    if typed and type[0] == "mod":
        need(op in "+-*/", op)
        if op == "/":
            return Typed(type, x * pow(y, type[1] - 2, type[1]) % type[1])
    elif op == "/" and not typed:
        need(x % y == 0, "an inexact division")
    if op == "/":
        result = truncated(x, y)
    elif op == "%":
        result = x - y * truncated(x, y)
    else:
        result = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "&": lambda: x & y, "|": lambda: x | y,
                  "xor": lambda: x ^ y}[op]()
    return Typed(type, wrapped(type, result)) if typed else result


def unary(op, a):
    x = a.value if isinstance(a, Typed) else a
    result = {"-": lambda: -x, "~": lambda: ~x, "!": lambda: not x}[op]()
    return Typed(a.type, wrapped(a.type, result)) if isinstance(a, Typed) else result


def plain(value):
    return value.value if isinstance(value, Typed) else value


# --- sequences ---------------------------------------------------------------------------------------------------------


class Sequence:
    """`radices` and `owner` (the dimension) of each digit, from the lowest; `names` of the dimensions, from the lowest;
    the elements by index."""

    def __init__(self, type, radices, owner, names, data):
        self.type, self.radices, self.owner, self.names, self.data = type, radices, owner, names, data

    def like(self, **changes):
        fields = dict(type=self.type, radices=self.radices, owner=self.owner, names=self.names, data=self.data)
        return Sequence(**{**fields, **changes})

    def digits_of(self, name):
        """Numbers from 0, the highest first."""
        dimension = self.names.index(name)
        return [d for d in reversed(range(len(self.radices))) if self.owner[d] == dimension]


def split(index, radices):
    digits = []
    for radix in radices:
        digits.append(index % radix)
        index //= radix
    return digits


def joined(digits, radices):
    index = 0
    for digit, radix in zip(reversed(digits), reversed(radices)):
        index = index * radix + digit
    return index


def size(radices):
    product = 1
    for radix in radices:
        product *= radix
    return product


def permuted(x, sources, complemented=()):
    """sources[place] is the digit that comes there, both from 0."""
    radices = [x.radices[s] for s in sources]
    data = [None] * len(x.data)
    for index, value in enumerate(x.data):
        old = split(index, x.radices)
        for c in complemented:
            old[c] = x.radices[c] - 1 - old[c]
        data[joined([old[s] for s in sources], radices)] = value
    owner = [x.owner[s] for s in sources]
    names = x.names
    if owner != x.owner:
        # Whole dimensions in another order keep their names.
        order = [d for i, d in enumerate(owner) if i == 0 or owner[i - 1] != d]
        empty = len(set(x.owner)) != len(names)
        if len(order) == len(set(order)) and not empty:
            names = [x.names[d] for d in order]
            owner = [order.index(d) for d in owner]
        else:
            owner, names = [0] * len(owner), [None]
    return x.like(radices=radices, owner=owner, names=names, data=data)


class Named:
    """`let e = expression;` of digits, with what its names meant there."""

    def __init__(self, expression, scope, declared):
        self.expression, self.scope, self.declared = expression, scope, declared


def of_digits(e, scope):
    """Whether an expression outside of pipes is made of digits."""
    if not isinstance(e, (tuple, list)) or e[:1] == ("stage",):
        return False
    if e[:1] == ("name",):
        return isinstance(scope.get(e[1]), Named)
    if e[:1] == ("call",) and e[1] in ("digit", "digits", "index"):
        return True
    return any(of_digits(part, scope) for part in e)


class Return(Exception):
    def __init__(self, value):
        self.value = value


class Evaluator:
    def __init__(self, text):
        self.program = Parser(text).program()
        self.calls = 0

    # --- types and shapes ---

    def shape(self, dimensions, sizes, radices):
        """Binds sizes to `radices` (from the lowest) and gives the radices and owners of a declared type."""
        rest, result = list(radices), []
        for label, length in dimensions:
            factors = []

            def flatten(e):
                if e[0] == "binary" and e[1] == "*":
                    flatten(e[2])
                    flatten(e[3])
                else:
                    factors.append(e)

            flatten(length)
            digits = []
            for factor in factors:
                if factor[0] == "binary" and factor[1] == "^":
                    base = self.number(factor[2], sizes)
                    if factor[3][0] == "name" and factor[3][1] not in sizes:
                        count = 0
                        while len(rest) > len(digits) + count and rest[-1 - len(digits) - count] == base:
                            count += 1
                        sizes[factor[3][1]] = count
                    count = self.number(factor[3], sizes)
                    digits += [base] * count
                else:
                    need(factor[0] != "name" or factor[1] in sizes, "a plain length")
                    value = self.number(factor, sizes)
                    digits += prime_factors(value)
            need(rest[len(rest) - len(digits):] == list(reversed(digits)), "another shape")
            rest = rest[:len(rest) - len(digits)]
            result.append((label, digits))
        need(not rest, "another shape")
        radices, owner, names = [], [], []
        for number, (label, digits) in enumerate(reversed(result)):
            radices += list(reversed(digits))
            owner += [number] * len(digits)
            names.append(label)
        return radices, owner, names

    def declared(self, x, type, sizes):
        element, dimensions = type
        need(element == x.type, f"{x.type} instead of {element}")
        radices, owner, names = self.shape(dimensions, sizes, x.radices)
        return x.like(owner=owner, names=names)

    # --- scalars ---

    def number(self, e, scope):
        value = self.scalar(e, scope)
        need(isinstance(value, int), "a compile-time number")
        return value

    def scalar(self, e, scope):
        kind = e[0]
        if kind in ("number", "bool"):
            return e[1]
        if kind == "name":
            need(e[1] in scope, e[1])
            value = scope[e[1]]
            return self.named(value, scope) if isinstance(value, Named) else value
        if kind == "binary" and e[1] in "/%" and "gather" in scope:  # exact, rounding down
            x, y = self.scalar(e[2], scope), self.scalar(e[3], scope)
            need(isinstance(x, int) and isinstance(y, int) and y, "an index of other numbers")
            return x // y if e[1] == "/" else x % y
        if kind == "binary":
            return binary(e[1], self.scalar(e[2], scope), self.scalar(e[3], scope))
        if kind == "unary":
            return unary(e[1], self.scalar(e[2], scope))
        if kind == "field":
            return self.scalar(e[1], scope).value[e[2]]
        if kind == "element":
            values, place = self.scalar(e[1], scope), plain(self.scalar(e[2], scope))
            need(isinstance(place, int), "an index of other numbers")
            return values[place % len(values)]
        if kind == "array":
            return [self.scalar(item, scope) for item in e[1]]
        if kind == "tuple":
            return tuple(self.scalar(item, scope) for item in e[1])
        if kind == "record":
            fields = dict(self.program["type"][e[1]])
            values = {}
            for name, (type, dimensions) in fields.items():
                need(not dimensions, "arrays in records")
                values[name] = convert(self.scalar(e[2][name], scope), type)
            return Typed(e[1], values)
        if kind == "call":
            return self.builtin(e[1], e[2], scope)
        raise Unsupported(kind)

    def named(self, named, scope):
        """The value of an expression of digits in the stage of `scope`."""
        need("" in scope, "digits outside of a stage")
        stage = {key: scope[key] for key in ("", "gather") if key in scope}
        value = self.scalar(named.expression, {**named.scope, **stage})
        return convert(value, named.declared[0]) if named.declared else value

    def builtin(self, name, arguments, scope):
        if name in ("digit", "digits", "index"):
            need("" in scope, name)
            return self.digit_value(name, arguments, scope)
        values = [self.scalar(a, scope) for a in arguments]
        if name == "omega":
            return Root(plain(values[0]), plain(values[1]))
        if name in ("func", "node") or name in self.program["func"]:
            return self.call("func", name, values)
        if name == "select":
            condition, a, b = values
            if not isinstance(a, list):
                a, b = alike(a, b)
            return a if plain(condition) else b
        if name in ("min", "max"):
            a, b = alike(*values)
            smaller = plain(b) < plain(a)
            return (b if smaller else a) if name == "min" else (a if smaller else b)
        if name == "xor":
            return binary("xor", *values)
        if name in ("re", "im", "conj"):
            x = values[0]
            part = {"re": x.value.real, "im": x.value.imag, "conj": x.value.conjugate()}[name]
            return Typed(x.type if name == "conj" else PARTS[x.type], part)
        if name == "complex":
            a, b = alike(*values)
            need(isinstance(a, Typed), "complex")
            return Typed(f"complex<{a.type}>", complex(a.value, b.value))
        if name == "popcount":
            x = values[0]
            need(isinstance(x, Typed), "popcount")
            return Typed(x.type, (x.value & (2 ** int(x.type[1:]) - 1)).bit_count())
        if name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "erf"):
            return Typed(values[0].type, getattr(math, name)(values[0].value))
        if name == "rsqrt":
            return Typed(values[0].type, 1 / math.sqrt(values[0].value))
        if name == "abs":
            x = values[0]
            if isinstance(x, Typed) and x.type in PARTS:
                return Typed(PARTS[x.type], abs(x.value))
            return Typed(x.type, wrapped(x.type, abs(x.value))) if isinstance(x, Typed) else abs(x)
        if name == "fma":
            return binary("+", binary("*", values[0], values[1]), values[2])
        value = values[0]
        if name in INTEGERS or name == "bool" or isinstance(name, tuple):
            if isinstance(value, Root):
                return convert(value, name)
            need(name != "bool", "conversion to bool")
            return Typed(name, wrapped(name, int(plain(value))))
        if name in REALS or name in PARTS:
            return convert(value, name) if isinstance(value, Root) else Typed(name, wrapped(name, plain(value)))
        raise Unsupported(str(name))

    def digit_value(self, name, arguments, scope):
        x, index = scope[""]
        digits = split(index, x.radices)
        if name == "index":
            return index
        if name == "digit":
            return digits[self.number(arguments[0], scope) - 1]
        if len(arguments) == 1:
            places = list(reversed(x.digits_of(arguments[0][1])))
        else:
            high, low = (self.number(a, scope) for a in arguments)
            places = range(low - 1, high)
        return joined([digits[p] for p in places], [x.radices[p] for p in places])

    def call(self, kind, name, values):
        parameters, results, body = self.program[kind][name]
        need(len(parameters) == len(values), "arguments")
        scope = {}
        for (parameter, (type, dimensions)), value in zip(parameters, values):
            if dimensions:
                scope[parameter] = [convert(v, type) for v in value]
            else:
                scope[parameter] = convert(value, type)
        value = self.run(body, scope, self.scalar)
        value = list(value) if isinstance(value, tuple) else [value]
        out = []
        for (type, dimensions), v in zip(results, value):
            out.append([convert(w, type) for w in v] if dimensions else convert(v, type))
        return out if len(results) > 1 else out[0]

    # --- statements ---

    def run(self, body, scope, evaluate):
        try:
            self.execute(body, scope, evaluate)
        except Return as result:
            return result.value
        raise Unsupported("no return")

    def execute(self, body, scope, evaluate):
        for statement in body:
            kind = statement[0]
            if kind == "return":
                raise Return(evaluate(statement[1], scope))
            if kind == "let":
                value = self.generated(statement, scope)
                if value is None and evaluate == self.pipe and len(statement[1]) == 1 and of_digits(statement[2], scope):
                    value = Named(statement[2], dict(scope), statement[3])
                elif value is None:
                    value = evaluate(statement[2], scope)
                values = value if len(statement[1]) > 1 else [value]
                scope.update(zip(statement[1], values))
            elif kind == "if":
                self.execute(statement[2] if plain(self.scalar(statement[1], scope)) else statement[3], scope, evaluate)
            else:
                _, name, first, last, step, down, inner = statement
                first, last, step = (self.number(e, scope) for e in (first, last, step))
                for i in range(first, last - 1, -step) if down else range(first, last + 1, step):
                    scope[name] = i
                    self.execute(inner, scope, evaluate)

    def generated(self, let, scope):
        """The sequence of `let w: T[2^n] = generate(e)`, None for other statements."""
        _, _, value, declared = let
        if not declared or value[:2] != ("call", "generate"):
            return None
        radices = self.lengths(declared[1], scope)
        result = Sequence(declared[0], radices, [0] * len(radices), [None], [])
        scalars = (self.scalar(value[2][0], {**scope, "": (result, i)}) for i in range(math.prod(radices)))
        return result.like(data=[convert(scalar, declared[0]) for scalar in scalars])

    # --- algorithms ---

    def apply(self, name, values):
        self.calls += 1
        parameters, results, body = self.program["algorithm"][name]
        need(len(parameters) == len(values), "arguments")
        scope = {}
        sizes = {}
        for (parameter, type), value in zip(parameters, values):
            need(isinstance(value, Sequence) and type[1], "parameters without brackets")
            scope[parameter] = self.declared(value, type, sizes)
        scope.update(sizes)
        value = self.run(body, scope, self.pipe)
        value = list(value) if isinstance(value, tuple) else [value]
        out = tuple(self.declared(v, type, sizes) for v, type in zip(value, results))
        return out if len(out) > 1 else out[0]

    def pipe(self, e, scope):
        kind = e[0]
        if kind == "tuple":
            return tuple(self.pipe(item, scope) for item in e[1])
        if kind == "name" and isinstance(scope.get(e[1]), Sequence):
            return scope[e[1]]
        if kind == "call" and e[1] in self.program["algorithm"]:
            return self.apply(e[1], [self.pipe(a, scope) for a in e[2]])
        if kind != "stage":
            return self.scalar(e, scope)
        _, value, name, arguments, power, digits = e
        value = self.pipe(value, scope)
        values = list(value) if isinstance(value, tuple) else [value]
        if name in self.program["algorithm"]:
            values += [self.pipe(a, scope) for a in arguments]
            return self.apply(name, values) if digits is None else self.apply_at(name, values, digits, scope)
        if name in self.program["node"]:
            return self.node(name, values, arguments, digits, scope)
        if name in self.program["func"]:
            return self.pointwise(name, values, arguments, scope)
        out = tuple(self.move(name, x, arguments, power, scope) for x in values)
        return out if len(out) > 1 else out[0]

    def digit_numbers(self, digits, x, scope):
        """From 0, the highest first; and the dimensions that are named whole, or None."""
        places, whole = [], []
        for first, last in digits:
            if last is None and first[0] == "name" and first[1] in x.names:
                places += x.digits_of(first[1])
                whole.append(x.names.index(first[1]))
                continue
            whole.append(None)
            first = self.number(first, scope)
            last = first if last is None else self.number(last, scope)
            places += [d - 1 for d in range(first, last - 1, -1)]
        return places, None if None in whole else whole

    def move(self, name, x, arguments, power, scope):
        n = len(x.radices)
        if name in ("pad", "crop"):
            length = self.number(arguments[0], scope)
            fill = [convert(self.scalar(arguments[1], scope), x.type)] if name == "pad" else []
            data = (x.data + fill * length)[:length]
            radices = self.lengths([(None, arguments[0])], scope)
            return x.like(radices=radices, owner=[0] * len(radices), names=[None], data=data)
        if name in ("gather", "scatter"):
            radices = x.radices if len(arguments) == 1 else self.lengths([(None, arguments[0])], scope)
            kept = dict(owner=x.owner, names=x.names) if len(arguments) == 1 else dict(owner=[0] * len(radices), names=[None])
            result = x.like(radices=radices, **kept)
            count = len(x.data) if name == "scatter" else math.prod(radices)
            indexed = x if name == "scatter" else result
            places = [self.scalar(arguments[-1], {**scope, "": (indexed, i), "gather": True}) for i in range(count)]
            if name == "gather":
                return result.like(data=[x.data[place] for place in places])
            data = [None] * count
            for i, place in enumerate(places):
                need(data[place] is None, "two elements at one place")
                data[place] = x.data[i]
            return result.like(data=data)
        power = 1 if power is None else self.number(power, scope)
        complemented = []
        if name == "permute":
            places, _ = self.digit_numbers(arguments[0][1], x, scope)
            sources = list(reversed(places))
        else:
            a = [self.number(argument, scope) for argument in arguments]
            sources = list(range(n))
            if name == "complement":
                complemented = [a[0] - 1]
            elif name == "reverse":
                sources[a[1] - 1:a[0]] = reversed(sources[a[1] - 1:a[0]])
            elif name == "unshuffle":
                string = list(range(a[1] - 1, a[0]))
                if len(a) == 4:
                    string = list(range(a[3] - 1, a[2])) + string
                # The lowest goes to the top.
                for place, source in zip(string, string[1:] + string[:1]):
                    sources[place] = source
            else:
                raise Unsupported(name)
        need(sorted(sources) == list(range(n)), "a permutation")
        if power < 0:
            inverse = [0] * n
            for place, source in enumerate(sources):
                inverse[source] = place
            sources = inverse
        for _ in range(abs(power)):
            x = permuted(x, sources, complemented)
        return x

    def pointwise(self, name, values, arguments, scope):
        first = max(values, key=lambda x: len(x.radices))
        for x in values:
            need(x.radices == first.radices[:len(x.radices)], "broadcasting")
        need(values[0].radices == first.radices or not arguments, "digits of a smaller sequence")
        results = []
        for index in range(len(first.data)):
            inner = {**scope, "": (values[0], index)}
            operands = [x.data[index % len(x.data)] for x in values]
            results.append(self.call("func", name, operands + [self.scalar(a, inner) for a in arguments]))
        return self.results(name, "func", first, results)

    def results(self, name, kind, x, results):
        types = self.program[kind][name][1]
        if len(types) == 1:
            return x.like(type=types[0][0], data=results)
        return tuple(x.like(type=type[0], data=[r[i] for r in results]) for i, type in enumerate(types))

    def node(self, name, values, arguments, digits, scope):
        parameters, types, _ = self.program["node"][name]
        arrays = [bool(type[1]) for _, (type) in parameters[:len(values)]]
        if any(arrays):
            full = values[arrays.index(True)]
            places, _ = self.digit_numbers(digits, full, scope)
        else:
            full, places = self.inserted(values[0], digits, [t for t in types if t[1]][0], scope)
        rest = [d for d in range(len(full.radices)) if d not in places]
        places = list(reversed(places))  # the lowest first
        owner = [full.owner[d] for d in rest]
        small = full.like(radices=[full.radices[d] for d in rest], owner=owner)
        inner = [full.radices[d] for d in places]
        for x, array in zip(values, arrays):
            need(x.radices == (full if array else small).radices, "operands of a node")
        whole = [[None] * size(full.radices) for _ in types]
        single = [[None] * size(small.radices) for _ in types]
        for outer in range(size(small.radices)):
            index = [0] * len(full.radices)
            for d, value in zip(rest, split(outer, small.radices)):
                index[d] = value
            elements = []
            for k in range(size(inner)):
                for d, value in zip(places, split(k, inner)):
                    index[d] = value
                elements.append(joined(index, full.radices))
            at = {**scope, "": (full, elements[0])}
            operands = [[x.data[i] for i in elements] if array else x.data[outer] for x, array in zip(values, arrays)]
            out = self.call("node", name, operands + [self.scalar(a, at) for a in arguments])
            out = out if len(types) > 1 else [out]
            for i, type in enumerate(types):
                if type[1]:
                    for element, value in zip(elements, out[i]):
                        whole[i][element] = value
                else:
                    single[i][outer] = out[i]
        made = tuple(full.like(type=type[0], data=whole[i]) if type[1] else small.like(type=type[0], data=single[i])
                     for i, type in enumerate(types))
        return made if len(made) > 1 else made[0]

    def inserted(self, x, digits, type, scope):
        """The arrangement after new digits came in."""
        need(all(first[0] != "name" or first[1] in scope for first, _ in digits), "new digits of a dimension")
        places, _ = self.digit_numbers(digits, x.like(names=[None]), scope)
        length = self.number(type[1][0][1], scope)
        radix = next(r for r in range(2, length + 1) if r**len(places) == length)
        radices, owner, old = [], [], 0
        for place in range(len(x.radices) + len(places)):
            if place in places:
                radices.append(radix)
                owner.append(None)
            else:
                radices.append(x.radices[old])
                owner.append(x.owner[old])
                old += 1
        if len(x.names) == 1:
            owner = [0] * len(owner)
        else:
            need(len(set(x.owner)) == len(x.names), "new digits beside an empty dimension")
            for place in reversed(range(len(owner))):
                if owner[place] is None:
                    owner[place] = owner[place + 1] if place + 1 < len(owner) else len(x.names) - 1
        return x.like(radices=radices, owner=owner, data=None), places

    def apply_at(self, name, values, digits, scope):
        x = values[0]
        places, whole = self.digit_numbers(digits, x, scope)
        places = list(reversed(places))  # the lowest first
        rest = [d for d in range(len(x.radices)) if d not in places]
        radices = [x.radices[d] for d in places]
        outer = [x.radices[d] for d in rest]
        if whole and len(whole) > 1:
            order = list(reversed(whole))
            owner, names = [order.index(x.owner[d]) for d in places], [x.names[d] for d in order]
        else:
            owner, names = [0] * len(places), [None]

        def index(inner, batch):
            full = [0] * len(x.radices)
            for d, value in zip(rest, split(batch, outer)):
                full[d] = value
            for d, value in zip(places, split(inner, radices)):
                full[d] = value
            return joined(full, x.radices)

        parts = []
        for batch in range(size(outer)):
            arguments = []
            for value in values:
                if value.radices == x.radices:
                    data = [value.data[index(i, batch)] for i in range(size(radices))]
                else:
                    need(value.radices == radices, "an argument with other digits")
                    data = value.data
                arguments.append(Sequence(value.type, radices, owner, names, data))
            result = self.apply(name, arguments)
            parts.append(result if isinstance(result, tuple) else (result,))
        out = tuple(self.reassembled(x, [p[i] for p in parts], places, rest, whole) for i in range(len(parts[0])))
        return out if len(out) > 1 else out[0]

    def reassembled(self, x, parts, places, rest, whole):
        result = parts[0]
        n, k = len(x.radices), len(result.radices)
        # The digits of the whole, from the lowest: (True, i) of the result, (False, i) of the batch.
        if whole and len(whole) == len(result.names):
            layout = []
            owner = []
            inner = {dimension: i for i, dimension in enumerate(reversed(whole))}
            for dimension in range(len(x.names)):
                if dimension in inner:
                    new = [(True, d) for d in range(k) if result.owner[d] == inner[dimension]]
                else:
                    new = [(False, i) for i, d in enumerate(rest) if x.owner[d] == dimension]
                layout += new
                owner += [dimension] * len(new)
            names = x.names
        elif k == len(places):
            layout = [(True, places.index(d)) if d in places else (False, rest.index(d)) for d in range(n)]
            owner, names = x.owner, x.names
        else:
            changed = {x.owner[d] for d in places}
            need(len(changed) == 1, "digits of several dimensions")
            changed = changed.pop()
            need(k == 0 or places == list(range(places[0], places[0] + len(places))), "digits that are not adjacent")
            below = [(False, i) for i, d in enumerate(rest) if d < places[0]]
            above = [(False, i) for i, d in enumerate(rest) if d >= places[0]]
            layout = below + [(True, i) for i in range(k)] + above
            owner = [changed if inner else x.owner[rest[i]] for inner, i in layout]
            names = x.names
        batch = [x.radices[d] for d in rest]
        radices = [result.radices[i] if inner else batch[i] for inner, i in layout]
        data = []
        for index in range(size(radices)):
            digits = split(index, radices)
            inside, outside = [0] * k, [0] * len(rest)
            for (inner, i), digit in zip(layout, digits):
                (inside if inner else outside)[i] = digit
            data.append(parts[joined(outside, batch)].data[joined(inside, result.radices)])
        return Sequence(result.type, radices, owner, names, data)

    # --- the entry ---

    def inputs(self, entry):
        """Element type and elements of every input, for a program whose sizes are numbers."""
        return [(type, size(self.lengths(dimensions, {}))) for _, (type, dimensions) in self.program["algorithm"][entry][0]]

    def lengths(self, dimensions, scope):
        """The radices, from the lowest, where all sizes are known."""
        radices = []
        for _, length in dimensions:
            factors = [length]
            while any(f[0] == "binary" and f[1] == "*" for f in factors):
                factors = [g for f in factors for g in (f[2:] if f[0] == "binary" and f[1] == "*" else (f,))]
            for f in factors:
                if f[0] == "binary" and f[1] == "^":
                    radices += [self.number(f[2], scope)] * self.number(f[3], scope)
                else:
                    radices += prime_factors(self.number(f, scope))
        return list(reversed(radices))

    def run_entry(self, entry, data):
        """Lists of numbers to types and lists of numbers."""
        values = []
        for (_, (type, dimensions)), numbers in zip(self.program["algorithm"][entry][0], data):
            need(type not in self.program["type"], "records as inputs")
            radices = self.lengths(dimensions, {})
            values.append(Sequence(type, radices, [0] * len(radices), [None], [Typed(type, v) for v in numbers]))
        out = self.apply(entry, values)
        out = out if isinstance(out, tuple) else (out,)
        need(all(not isinstance(v.value, dict) for x in out for v in x.data), "records as results")
        return [(x.type, [v.value for v in x.data]) for x in out]
