"""Enumerate the mutants of a source: one expression or statement changed at a time."""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARED: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
OPPOSITE = {"min": "max", "any": "all", "floor": "ceil", "minimum": "maximum", "argmin": "argmax"}
OPPOSITE |= {after: before for before, after in OPPOSITE.items()}
SYMMETRIC = {*OPPOSITE, "gcd", "lcm", "logical_and", "logical_or", "array_equal"}
WORDLESS = {"__repr__", "__str__"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the text from ``start`` to ``stop`` becomes ``now``.

    It is in a statement whose last line, or the last line of whose header, is ``last``. If
    ``early``, an import runs the statement.
    """

    file: str
    line: int
    last: int
    early: bool
    where: str
    operator: str
    start: int
    stop: int
    was: str
    now: str

    @property
    def name(self) -> str:
        """A name that does not depend on line numbers."""
        return f"{self.file} {self.where}: {short(self.was)} -> {short(self.now)}"

    @property
    def key(self) -> str:
        return f"{self.name} @{self.start}"

    def apply(self, source: str) -> str:
        return source[: self.start] + self.now + source[self.stop :]


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else f"{line[:60]} … {line[-27:]}"


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a source, in order.

    >>> [(m.operator, m.now) for m in mutants_of("f.py", "def f(x):\\n    return x < 1")]
    [('return', 'return None'), ('comparison', 'x <= 1'), ('comparison', 'x >= 1'),
    ('constant', '2'), ('constant', '0')]
    """
    found = Enumerator(file, source)
    found.visit(ast.parse(source))
    return found.mutants


class Enumerator(ast.NodeVisitor):
    """Visits the nodes of a file and records every mutant."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self.mutants: list[Mutant] = []
        self._starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]
        self._lines = source.splitlines()
        self._path: list[str] = []
        self._last, self._early = 1, True

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self._last = header_end(node)
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        for operator, changed in changes(node):
            self._note(node, operator, changed)
        super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in WORDLESS:
            return
        self._path.append(node.name)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        before, self._early = self._early, False
        self._body(node.body)
        self._early = before
        self._path.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._path.append(node.name)
        self._body(node.body)
        self._path.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._statement(node)
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self._condition(node.test)
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Do not change the message of an error, only that it is raised."""
        self._statement(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            self._statement(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return
        self._statement(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._statement(node)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Do not change strings."""

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Assert = visit_Import = visit_ImportFrom = visit_JoinedStr

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.visit(statement)

    def _condition(self, test: ast.expr) -> None:
        for value in (True, False):
            self._note(test, "condition", ast.Constant(value))

    def _statement(self, node: ast.stmt) -> None:
        """Remove a statement, if the rest can still run without it."""
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        if not any(isinstance(target, ast.Name | ast.Tuple) for target in targets):
            self._note(node, "no statement", ast.Pass())

    def _note(self, node: Any, operator: str, changed: ast.AST) -> None:
        start, stop = self._place(node.lineno, node.col_offset), self._end(node)
        text = ast.unparse(ast.fix_missing_locations(changed))
        was = self.source[start:stop]
        if isinstance(changed, ast.BinOp | ast.BoolOp | ast.Compare | ast.UnaryOp | ast.IfExp):
            text = f"({text})" if self._inner(start, stop) else text
        if text.split() != was.split():
            where = ".".join(self._path) or "module"
            lines = (node.lineno, self._last, self._early)
            change = (operator, start, stop, was, text)
            self.mutants.append(Mutant(self.file, *lines, where, *change))

    def _inner(self, start: int, stop: int) -> bool:
        """Return whether an expression may need brackets, because there is other code next to
        it."""
        before = self.source[:start].rstrip(" ")[-1:]
        after = self.source[stop:].lstrip(" ")[:1]
        return not (before in "([{,=\n" and after in ")]},\n") and not (
            self.source[:start].endswith(("return ", "if ", "while ")) and after in ":\n"
        )

    def _place(self, line: int, column: int) -> int:
        """Return the position of a line and column. Columns of the tree are bytes."""
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)

    def _end(self, node: Any) -> int:
        return self._place(node.end_lineno, node.end_col_offset)


def header_end(node: ast.stmt) -> int:
    """Return the last line of a statement, without the statements in it."""
    body = getattr(node, "body", None)
    last = node.end_lineno or node.lineno
    return max(node.lineno, body[0].lineno - 1) if body else last


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what an expression or a statement is changed to."""
    if isinstance(node, ast.Compare):
        yield from change_comparison(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        yield from change_arithmetic(node)
    elif isinstance(node, ast.Constant):
        yield from constants(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield "sign, not", node.operand
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "return", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Break | ast.Continue):
        yield "loop", ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    elif isinstance(node, ast.Call):
        yield from change_call(node)


def change_comparison(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    for index, operator in enumerate(node.ops):
        for other in COMPARED[type(operator)]:
            changed = copy.copy(node)
            changed.ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield "comparison", changed


def change_arithmetic(node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[str, ast.AST]]:
    if type(node.op) not in CALCULATED or names_types(node) or holds_text(node):
        return
    changed = copy.copy(node)
    changed.op = CALCULATED[type(node.op)]()
    yield "arithmetic", changed


def constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield "constant", ast.Constant(node.value + 1)
        yield "constant", ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield "constant", ast.Constant(node.value + 1)


def change_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name in OPPOSITE:
        changed = copy.deepcopy(node)
        setattr(changed.func, "attr" if hasattr(changed.func, "attr") else "id", OPPOSITE[name])
        yield "opposite", changed
    if name not in SYMMETRIC | {"isinstance", "cast"} and len(node.args) > 1:
        first, second, *rest = node.args
        if not any(isinstance(one, ast.Starred) for one in (first, second)):
            changed = copy.copy(node)
            changed.args = [second, first, *rest]
            yield "arguments", changed


def names_types(node: ast.AST) -> bool:
    """Return whether ``|`` is a union of types."""
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    types = [
        name for name in names if name[:1].isupper() or isinstance(vars(builtins).get(name), type)
    ]
    return isinstance(getattr(node, "op", None), ast.BitOr) and bool(types)


def holds_text(node: ast.BinOp | ast.AugAssign) -> bool:
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
    return any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in sides
    )


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
