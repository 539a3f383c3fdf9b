"""The key of a compiled loop: its code, and every value that is compiled into it.

numba caches machine code on disk and considers it valid as long as the loop's own file has not
changed. But constants and functions of other modules are compiled into that machine code, too. The
key therefore consists of all values that the loop and the loops it calls use. A loop that uses a
value without a lasting text form has no key and is not cached.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

LIBRARIES = {"builtins", "math", "numpy", "numba"}
"""Libraries whose names identify their contents. numba's cache depends on its version already."""


class NoKey(TypeError):
    """A loop uses a value that has no lasting text form."""


def loop_key(loop: Callable[..., Any]) -> str:
    """A hash that changes whenever the machine code of a loop would change."""
    digest = hashlib.sha256()
    for facts in facts_of(loop):
        digest.update(f"{facts}\n".encode())
    return digest.hexdigest()


def facts_of(loop: Callable[..., Any]) -> list[str]:
    """The code and values of a loop and of all loops that it calls, in the order of discovery."""
    found: dict[Any, str] = {}
    waiting = [loop]
    while waiting:
        one = waiting.pop()
        if one not in found:
            values = used_values(one)
            found[one] = repr((code_text(one.__code__), {n: text_of(v) for n, v in values.items()}))
            waiting += [v.py_func for v in values.values() if isinstance(v, Dispatcher)]
    return list(found.values())


def used_values(loop: Callable[..., Any]) -> dict[str, Any]:
    """The values of all global names and closure variables of a loop, in order."""
    code, outside = loop.__code__, loop.__globals__
    cells = zip(code.co_freevars, loop.__closure__ or (), strict=True)
    inner = {name: cell.cell_contents for name, cell in cells}
    names = sorted(set(global_names(code)) & set(outside))
    return {**{name: outside[name] for name in names}, **inner}


def global_names(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


def code_text(code: CodeType) -> str:
    constants = tuple(
        code_text(one) if isinstance(one, CodeType) else text_of(one) for one in code.co_consts
    )
    return repr((code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars))


def text_of(value: Any) -> str:
    """A value as text that is the same in every process.

    >>> text_of(3), text_of(np.uint64(3)), text_of((1.5, "a"))
    ('int 3', 'uint64 3', "tuple [float 1.5, str 'a']")
    """
    kind = type(value).__name__
    if isinstance(value, Dispatcher):
        options = sorted((name, str(option)) for name, option in value.targetoptions.items())
        return f"loop {value.py_func.__module__}.{value.py_func.__qualname__} {options}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return (
            f"array {value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        )
    if isinstance(value, np.generic) and not isinstance(value, np.void | np.object_):
        return f"{kind} {value.item()!r}"
    if value is None or value is Ellipsis or type(value) in (bool, int, float, complex, str, bytes):
        return f"{kind} {value!r}"
    if type(value) in (tuple, frozenset):
        texts = [text_of(one) for one in value]
        return f"{kind} [{', '.join(texts if isinstance(value, tuple) else sorted(texts))}]"
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return f"record {value.__module__}.{value.__qualname__} {value._fields}"
    return library_name(value)


def library_name(value: Any) -> str:
    """The qualified name of a library's module, type or function; `NoKey` for anything else."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    known = isinstance(value, ModuleType) or callable(value)
    if not known or str(home).partition(".")[0] not in LIBRARIES:
        raise NoKey(f"A compiled loop that uses {value!r} cannot be stored on disk.")
    return f"{home} {getattr(value, '__qualname__', '')}"
