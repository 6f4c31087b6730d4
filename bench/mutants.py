"""Mutation testing: how many small faults, put into the code at random, the tests find.

python bench/mutants.py [--number 400] [--seed 0] [--seconds 30] [--processes 2] [PATH ...]

Takes a random sample of the mutants of all functions and constants under the paths (those that are not there are left
out) and prints those that no test notices. A mutant is a fault in the file's text: another comparison, operator or
number, `and` for `or`, a condition turned round, nothing returned, a statement left out, two arguments swapped, `max`
for `min`. Texts, messages of errors and type hints are left alone.

All is imported and all tests are collected once. A first run, in copies of that process, tells which tests reach which
lines and how long they take. Then each mutant lives in a copy of its own, where it replaces the code of its function;
no file is changed. Tests that reach its line are run, the fastest first and for as many seconds as given, up to the
first that fails. A mutant that keeps a test from ending counts as found. Tests that start other programs are left out:
those would not see the mutant. Nearly all of the time goes to mutants that survive.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import gc
import io
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Literal

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[1]
PATHS = ("src/carob/label", "src/carob/paper", "src/carob/value", "src/carob/posterior")
OPTIONS = ("-q", "-s", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider")
MEMORY = 4 << 30  # bytes that a mutant may take besides what all processes share
NOTHING = 1e-9  # a number below this
SLOWER = 10, 20  # a test that takes 10 times as long, and 20 seconds, will not end

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
ARITHMETIC = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "/"),
    ast.Pow: (r"\*\*", "*"),
    ast.MatMult: ("@", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.BitXor: (r"\^", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_TWINS = [("max", "min"), ("maximum", "minimum"), ("argmax", "argmin"), ("any", "all"), ("floor", "ceil")]
_TWINS += [("zeros", "ones"), ("zeros_like", "ones_like"), ("sum", "prod"), ("cumsum", "cumprod"), ("log", "log1p")]
TWINS = dict(_TWINS) | {b: a for a, b in _TWINS if a != "sum"}
SYMMETRIC = {"max", "min", "maximum", "minimum", "logaddexp", "logical_and", "logical_or", "array_equal", "hypot"}


Lines = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Mutant:
    """A fault: other bytes in place of those from `start` to `end` of a file.

    Parameters
    ----------
    path : Path
    before : bytes
        Text of the file, as it was imported.
    start, end : int
    text : bytes
    owner : str
        The function that has it, as `__qualname__`, or the name of a constant.
    first : int
        First line of the function; 0 for a constant.
    lines : frozenset of (str, int)
        Files and lines, of which a test has to run one to notice it.
    """

    path: Path
    before: bytes
    start: int
    end: int
    text: bytes
    owner: str
    first: int
    lines: Lines

    @property
    def after(self) -> bytes:
        """Text of the file with the fault."""
        return self.before[: self.start] + self.text + self.before[self.end :]

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.before[: self.start].count(b"\n") + 1

    @property
    def diff(self) -> str:
        """Lines without and with the fault."""
        before, after = (text.decode().splitlines() for text in (self.before, self.after))
        return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=0))[3:])

    def put_in(self, functions: Sequence[FunctionType]) -> None:
        """Change the functions, or the constant, of this process."""
        tree = ast.parse(self.after)
        if not self.first:
            self._set_constant(tree)
            return
        if not functions:
            raise LookupError(f"{self.owner} is not there")
        code = _code(compile(tree, str(self.path), "exec", dont_inherit=True), self.owner, self.first)
        arguments = _definition(tree, self.first).args
        for function in functions:
            function.__code__ = code
            given = zip(arguments.defaults, function.__defaults__ or (), strict=True)
            function.__defaults__ = tuple(_value(new, old) for new, old in given) or None
            named = function.__kwdefaults__ or {}
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
                if default:
                    named[argument.arg] = _value(default, named[argument.arg])

    def _set_constant(self, tree: ast.Module) -> None:
        """In its module and, unless it is private, in those that have imported it."""
        home = sys.modules[".".join(self.path.relative_to(ROOT / "src").with_suffix("").parts)]
        values = [node.value for node in tree.body if isinstance(node, ast.Assign) and _names(node) == [self.owner]]
        old, new = vars(home)[self.owner], eval(ast.unparse(values[0]), vars(home))  # noqa: S307
        modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "carob"]
        for module in [home] if self.owner.startswith("_") else modules:
            if vars(module).get(self.owner) is old:
                setattr(module, self.owner, new)


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _value(node: ast.expr, other: Any) -> Any:
    """A default that is a number; others cannot have changed."""
    return node.value if isinstance(node, ast.Constant) else other


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _definition(tree: ast.AST, first: int) -> ast.FunctionDef:
    return next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _first_line(node) == first)


def _code(module: CodeType, owner: str, first: int) -> CodeType:
    """The code of a function within that of its module."""
    inner = [module]
    for code in inner:
        if (code.co_qualname, code.co_firstlineno) == (owner, first):
            return code
        inner += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    raise LookupError(owner)


@cache
def _all_names() -> dict[str, Lines]:
    """Where in the package each name stands."""
    found: dict[str, set[tuple[str, int]]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                found.setdefault(name, set()).add((str(path), node.lineno))
    return {name: frozenset(lines) for name, lines in found.items()}


def _uses(constant: str, path: Path) -> Lines:
    """Where a constant is used: a private one in its own file, another anywhere."""
    lines = _all_names()[constant]
    return frozenset(line for line in lines if line[0] == str(path)) if constant.startswith("_") else lines


class Finder(ast.NodeVisitor):
    """All mutants of a file, in `found`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source = path.read_bytes()
        self.found: list[Mutant] = []
        self.starts = [0]
        for line in self.source.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.owner, self.first = "", 0
        self.lines: Lines = frozenset()
        self.bound: set[str] = set()
        tree = ast.parse(self.source)
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _names(node):
                self.owner = _names(node)[0]
                self.lines = _uses(self.owner, path) - {(str(path), node.lineno)}
                self.visit(node.value)
        self._definitions(tree.body, "")

    def _definitions(self, body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                self._definitions(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                self.owner, self.first = prefix + node.name, _first_line(node)
                self.bound = set()
                self.visit(node)

    def visit(self, node: ast.AST) -> None:
        """Note which lines a test has to run to get to this node."""
        before = self.lines
        if isinstance(node, ast.stmt):
            inner: list[ast.stmt] = getattr(node, "body", [])
            last = max(node.lineno, inner[0].lineno - 1) if inner else node.end_lineno or node.lineno
            self.lines = self._from_to(node.lineno, last)
        super().visit(node)
        self.lines = before

    def _from_to(self, first: int, last: int) -> Lines:
        return frozenset((str(self.path), line) for line in range(first, last + 1))

    def _at(self, line: int | None, column: int | None) -> int:
        return self.starts[(line or 1) - 1] + (column or 0)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _text(self, node: ast.expr) -> bytes:
        start, end = self._span(node)
        return self.source[start:end]

    def _add(self, start: int, end: int, text: bytes | str) -> None:
        text = text.encode() if isinstance(text, str) else text
        self.found.append(Mutant(self.path, self.source, start, end, text, self.owner, self.first, self.lines))

    def _between(self, left: ast.expr, right: ast.expr, operator: str, other: str, suffix: str = "") -> None:
        """Another operator in the gap between two expressions."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = self.source[start:end]
        match = re.search(operator.encode() + suffix.encode(), gap)
        if match and b"#" not in gap:
            self._add(start + match.start(), start + match.end(), other + suffix)

    def _turned(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            start, end = self._span(test)
            self._add(start, end, b"not (" + self._text(test) + b")")

    def _remove(self, node: ast.stmt) -> None:
        self._add(*self._span(node), "pass")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """The body without its docstring, and defaults."""
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self.bound |= {argument.arg for argument in every}
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if body:
            self.lines = self._from_to(body[0].lineno, node.end_lineno or 0)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if isinstance(default, ast.Constant):
                self.visit(default)
        for statement in body:
            self.visit(statement)

    def visit_Compare(self, node: ast.Compare) -> None:
        """The neighbouring comparison."""
        for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
            self._between(left, right, *COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """The opposite operator."""
        self._between(node.left, node.right, *ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """The opposite operator, or nothing."""
        self._between(node.target, node.value, *ARITHMETIC[type(node.op)], "=")
        self._remove(node)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """One for the other."""
        for left, right in pairwise(node.values):
            self._between(left, right, *(("and", "or") if isinstance(node.op, ast.And) else ("or", "and")))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Without it."""
        start = self._span(node)[0]
        self._add(start, start + (3 if isinstance(node.op, ast.Not) else 1), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """The other truth, the next integer, twice the number, unless it only keeps another from being zero."""
        if isinstance(node.value, bool):
            self._add(*self._span(node), str(not node.value))
        elif isinstance(node.value, int):
            self._add(*self._span(node), str(node.value + 1))
        elif isinstance(node.value, float) and not 0 < node.value < NOTHING:
            self._add(*self._span(node), str(2 * node.value or 1.0))

    def visit_Return(self, node: ast.Return) -> None:
        """Nothing instead."""
        if node.value and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(*self._span(node.value), "None")
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """Arguments swapped, and the function's twin."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "warn":
            return
        if name in TWINS and (name in ("max", "min", "any", "all") or isinstance(node.func, ast.Attribute)):
            end = self._span(node.func)[1]
            self._add(end - len(name), end, TWINS[name])
        for left, right in pairwise(node.args):
            starred = isinstance(left, ast.Starred) or isinstance(right, ast.Starred)
            if name not in SYMMETRIC and not starred and self._text(left) != self._text(right):
                gap = self.source[self._span(left)[1] : self._span(right)[0]]
                self._add(self._span(left)[0], self._span(right)[1], self._text(right) + gap + self._text(left))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call for its effect, left out."""
        if isinstance(node.value, ast.Call):
            self._remove(node)
        self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Left out, where the name has a value already."""
        targets = [one for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        stored = {one.id for one in targets if isinstance(one.ctx, ast.Store)}
        if stored <= self.bound:
            self._remove(node)
        self.bound |= stored
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The value only."""
        if isinstance(node.target, ast.Name):
            self.bound.add(node.target.id)
        if node.value:
            self.visit(node.value)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        """The condition turned round, where no comparison in it can be."""
        self._turned(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Its conditions turned round."""
        for test in node.ifs:
            self._turned(test)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Left out; its text is left alone."""
        self._remove(node)

    def visit_Continue(self, node: ast.Continue | ast.Break) -> None:
        """Left out."""
        self._remove(node)

    visit_Break = visit_Continue  # noqa: N815

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Texts are left alone."""


@dataclass
class Survey:
    """What the tests reach without any mutant."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    def add(self, found: dict[str, Any]) -> None:
        """Add what the tests of one file reach, by themselves or in a fixture that they share."""
        users: dict[str, set[str]] = {}
        for test, uses in found["passed"].items():
            places = [test, *(name for name in uses if name in found["seconds"])]
            self.seconds[test] = sum(found["seconds"][place] for place in places)
            for place in places:
                users.setdefault(place, set()).add(test)
        for path, lines in found["lines"].items():
            for line, places in lines.items():
                tests = self.lines.setdefault((path, int(line)), set())
                tests.update(*(users.get(place, ()) for place in places))

    def tests(self, mutant: Mutant) -> list[str]:
        """Tests that can notice a mutant, the fastest first."""
        found = set[str]().union(*(self.lines.get(line, ()) for line in mutant.lines))
        return sorted(found, key=lambda test: (self.seconds[test], test))

    def chosen(self, tests: Sequence[str], seconds: float) -> dict[str, float]:
        """Those that fit into the time, and what each takes; one set of parameters of each test before all others."""
        first: dict[str, str] = {}
        for test in tests:
            first.setdefault(test.partition("[")[0], test)
        spent, taken = 0.0, set(tests[:1])
        for test in dict.fromkeys((*first.values(), *tests)):
            if spent + self.seconds[test] <= seconds:
                spent += self.seconds[test]
                taken.add(test)
        return {test: self.seconds[test] for test in tests if test in taken}


class Watch:
    """A pytest plugin that notes how tests end and, given `reach`, their seconds and the lines that they reach."""

    def __init__(self, reach: coverage.Coverage | None = None) -> None:
        self.reach = reach
        self.outcomes: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}
        self.place = ""

    @property
    def failed(self) -> list[str]:
        """Tests that have failed."""
        return [test for test, outcomes in self.outcomes.items() if "failed" in outcomes]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an outcome."""
        outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
        self.outcomes.setdefault(report.nodeid, set()).add(outcome)

    def _within(self, place: str) -> Generator[None, Any, Any]:
        """Count lines and seconds for a test, or for a fixture that several tests share."""
        before, start = self.place, time.perf_counter()
        self._go_to(place)
        try:
            return (yield)
        finally:
            took = time.perf_counter() - start
            self.seconds[place] = self.seconds.get(place, 0.0) + took
            self.seconds[before] = self.seconds.get(before, 0.0) - took
            self._go_to(before)

    def _go_to(self, place: str) -> None:
        self.place = place
        if self.reach:
            self.reach.switch_context(place)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Run one test."""
        return (yield from self._within(item.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Set up one fixture."""
        return (yield from self._within(fixturedef.argname if fixturedef.scope != "function" else self.place))


def in_copies(
    work: Callable[[Any, Path], None], jobs: Sequence[Any], processes: int
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Do each job in a copy of this process; its place, how the copy ended, and what it wrote as JSON, if anything."""
    running: dict[int, tuple[int, tempfile.TemporaryDirectory[str]]] = {}
    waiting = list(enumerate(jobs))[::-1]
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                place, job = waiting.pop()
                folder = tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True)
                copy = os.fork()
                if not copy:
                    _in_copy(work, job, Path(folder.name))
                running[copy] = place, folder
            copy, status = os.wait()
            place, folder = running.pop(copy)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(copy, signal.SIGKILL)  # whatever it has started
            file = Path(folder.name) / "result.json"
            result = json.loads(file.read_bytes()) if file.exists() else {}
            folder.cleanup()
            yield place, status, result
    finally:
        for copy, (_, folder) in running.items():
            _end(copy)
            os.waitpid(copy, 0)
            folder.cleanup()


def _end(copy: int) -> None:
    """End a copy and whatever it has started."""
    for end in (os.killpg, os.kill):  # a new copy has no group yet
        with contextlib.suppress(ProcessLookupError):
            end(copy, signal.SIGKILL)


def _in_copy(work: Callable[[Any, Path], None], job: Any, folder: Path) -> None:
    """Work without any output, in a group and a folder of its own, and end."""
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        (folder / "temporary").mkdir()
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder / "temporary")
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        work(job, folder / "result.json")
        status = 0
    except BaseException:
        (folder / "result.json").write_text(json.dumps({"error": traceback.format_exc()}))
    finally:
        os._exit(status)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: found by a failing test, by one that did not end, by a crash, or not at all."""

    mutant: Mutant
    found: Literal["test", "time", "crash"] | None
    test: str | None
    run: int
    left: int
    took: float

    def __str__(self) -> str:
        place = f"{self.mutant.path.relative_to(ROOT)}:{self.mutant.line}"
        if self.found:
            return f"{place} found by {self.found}: {self.test}\n{self.mutant.diff}\n"
        how = f"survives {self.run} tests, {self.took:.0f} s" if self.run else "is reached by no test"
        left = f"; {self.left} others not run" if self.left else ""
        return f"{place} {how}{left}\n{self.mutant.diff}\n"


class Judge:
    """A pytest plugin that, once the tests are collected, tries mutants instead of running the tests."""

    def __init__(self, files: Sequence[Path], number: int, seed: int, seconds: float, processes: int) -> None:
        self.files, self.number, self.seed, self.seconds, self.processes = files, number, seed, seconds, processes
        self.out, self.start = sys.stdout, time.monotonic()
        self.sound = False

    def say(self, text: str) -> None:
        """Print, whatever pytest does with the output."""
        print(text, file=self.out, flush=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the mutants of the sample."""
        if session.testsfailed:
            raise session.Failed("tests cannot be collected")
        self.items = {item.nodeid: item for item in session.items}
        every = [mutant for file in self.files for mutant in Finder(file).found]
        sample = random.Random(self.seed).sample(every, min(self.number, len(every)))  # noqa: S311
        self.say(f"{len(every)} mutants of {len(self.files)} files; {len(sample)} of them are tried.")
        self.functions = self._functions()
        gc.collect()
        gc.freeze()  # copies share the memory of all that is there by now
        try:
            self._all(sample)
        finally:
            gc.unfreeze()
        return True

    def _all(self, sample: Sequence[Mutant]) -> None:
        """Survey the tests, try the mutants, sum up."""
        survey = self._survey()
        self.say(f"{len(survey.seconds)} of {len(self.items)} tests can be used; {self._minutes()}.\n")
        verdicts = self._judge(sample, survey)
        killers = sorted({verdict.test for verdict in verdicts if verdict.found == "test" and verdict.test})
        doubtful = self._failing(killers, survey)
        self.sound = not doubtful
        for test in doubtful:
            self.say(f"{test} fails without any mutant as well; what it found does not count.")
        verdicts = [verdict for verdict in verdicts if verdict.test not in doubtful]
        counts = Counter(verdict.found for verdict in verdicts)
        found = len(verdicts) - counts[None]
        self.say(
            f"{len(verdicts)} mutants: {found} found ({counts['test']} by a test that failed, {counts['time']} by one "
            f"that did not end, {counts['crash']} by a crash), {counts[None]} survive. "
            f"Found: {found / max(1, len(verdicts)):.1%}; {self._minutes()}."
        )

    def _minutes(self) -> str:
        return f"{(time.monotonic() - self.start) / 60:.1f} min"

    def _functions(self) -> dict[tuple[str, str, int], list[FunctionType]]:
        """All functions of the files, wherever they are kept: bare, as methods, within decorators."""
        result: dict[tuple[str, str, int], list[FunctionType]] = {}
        names = {str(file) for file in self.files}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename in names:
                code = one.__code__
                result.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(one)
        return result

    def _survey(self) -> Survey:
        """Run the tests of each file without any mutant."""
        files: dict[Path, list[pytest.Item]] = {}
        for item in self.items.values():
            files.setdefault(item.path, []).append(item)
        survey = Survey()
        for place, status, result in in_copies(self._reach, list(files.values()), self.processes):
            if status:
                error = result.get("error", f"status {status}")
                raise RuntimeError(f"the tests of {list(files)[place]} cannot be run: {error}")
            survey.add(result)
            for test in result["failed"]:
                self.say(f"{test} fails without any mutant; it is left out.")
        return survey

    def _reach(self, items: list[pytest.Item], file: Path) -> None:
        """Write how long tests take and which lines they reach."""

        def refuse(*_: object, **__: object) -> None:
            pytest.skip("starts another program")

        subprocess.Popen.__init__ = refuse  # type: ignore[method-assign]
        reach = coverage.Coverage(data_file=None, config_file=False, source=[str(ROOT / "src")])
        reach.set_option("run:core", "ctrace")  # the one that can tell tests apart
        reach.set_option("run:disable_warnings", ["no-data-collected"])  # many tests look at other files
        watch = Watch(reach)
        with reach.collect():
            for _ in run(items, watch):
                pass
        data = reach.get_data()
        passed = [item for item in items if watch.outcomes[item.nodeid] == {"passed"}]
        result = {
            "passed": {item.nodeid: list(getattr(item, "fixturenames", ())) for item in passed},
            "failed": watch.failed,
            "seconds": watch.seconds,
            "lines": {path: data.contexts_by_lineno(path) for path in data.measured_files()},
        }
        file.write_text(json.dumps(result))

    def _judge(self, sample: Sequence[Mutant], survey: Survey) -> list[Verdict]:
        """Try the mutants, and show those that survive."""
        reached = [survey.tests(mutant) for mutant in sample]
        jobs = [(mutant, survey.chosen(tests, self.seconds)) for mutant, tests in zip(sample, reached, strict=True)]
        verdicts = []
        for place, status, result in in_copies(self._try, jobs, self.processes):
            mutant, tests = jobs[place]
            found: Literal["test", "time", "crash"] | None = None
            test = None
            if result.get("failed"):
                found, test = "test", result["failed"][0]
            elif status:
                found = "time" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else "crash"
                test = result.get("running") or result.get("error")
            left = len(reached[place]) - len(tests)
            verdicts.append(Verdict(mutant, found, test, len(tests), left, result.get("took", 0)))
            if found != "test":
                self.say(str(verdicts[-1]))
            if len(verdicts) % 50 == 0:
                self.say(f"{len(verdicts)} tried; {self._minutes()}.\n")
        return verdicts

    def _failing(self, tests: Sequence[str], survey: Survey) -> set[str]:
        """Those of the tests that fail without any mutant."""
        jobs = [
            (None, {test: survey.seconds[test] for test in tests[k :: self.processes]}) for k in range(self.processes)
        ]
        results = [result for _, _, result in in_copies(self._try, jobs, self.processes)]
        return {test for result in results for test in [*result["failed"], result["running"]] if test}

    def _try(self, job: tuple[Mutant | None, dict[str, float]], file: Path) -> None:
        """Put a mutant in and run tests up to the first that fails; without a mutant, all. Write how far it got."""
        mutant, tests = job
        watch, start = Watch(), time.monotonic()
        times, least = SLOWER

        def note(test: str | None) -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            took = time.monotonic() - start
            file.write_text(json.dumps({"running": test, "failed": watch.failed, "took": took}))

        limit_memory()
        if mutant:
            mutant.put_in(self.functions.get((str(mutant.path), mutant.owner, mutant.first), []))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends this process
        for test in run([self.items[test] for test in tests], watch):
            if mutant and watch.failed:
                break
            note(test)
            signal.setitimer(signal.ITIMER_REAL, times * tests[test] + least)
        note(None)


def run(items: Sequence[pytest.Item], watch: Watch) -> Iterator[str]:
    """Run tests, each after its name was given."""
    for place, item in enumerate(items):
        if not place:
            item.config.pluginmanager.register(watch)
        yield item.nodeid
        following = items[place + 1] if place + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def limit_memory() -> None:
    """Let this process take so much memory, and no more."""
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        size = int(sizes.read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main() -> int:
    """Collect the tests, try mutants, print."""
    parser = argparse.ArgumentParser(description="Try a random sample of mutants.")
    parser.add_argument("paths", nargs="*", default=PATHS, metavar="PATH", help="default: " + " ".join(PATHS))
    parser.add_argument("--number", type=int, default=400, help="mutants in the sample; 400 where not given")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--seconds", type=float, default=30, help="of tests per mutant")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    paths = [Path(path).resolve() for path in options.paths]
    files = sorted({file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))})
    if not files:
        parser.error("no Python files there")
    os.chdir(ROOT)
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that copies end with this process
    judge = Judge(files, options.number, options.seed, options.seconds, options.processes)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main([*OPTIONS], plugins=[judge])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        print(output.getvalue())
    return 0 if judge.sound else 1


if __name__ == "__main__":
    sys.exit(main())
