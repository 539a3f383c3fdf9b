"""The scripts of a page, joined into one.

The scripts are modules, each in a file: browsers load modules by their address, and a page that is
one file has no others. So each module becomes a function that hands out what it exports::

    import { ask } from "./counts.js";        const { ask } = counts_js;
    export function show() { … }              function show() { … }  …  return { show };

Only the plain forms of both are understood, and anything else is refused. So are modules that
import each other. Comments and indentation are left out, for a smaller page; so no text may go over
several lines.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

SCRIPTS = Path(__file__).with_name("scripts")

IMPORT = re.compile(r'^import \{([\w\s,]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.M)
COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/)[\s\S])*\*/\n", re.M)
"""A comment on lines of its own; a page does without."""

EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.M)


@cache
def bundle(main: str) -> str:
    """A module and all that it imports, as one script."""
    done: dict[str, str] = {}
    add_module(main, done, ())
    modules = "\n".join(done.values())
    return f'"use strict";\n{modules}'


def add_module(name: str, done: dict[str, str], above: tuple[str, ...]) -> None:
    """A module after those that it imports."""
    if name in above:
        raise ValueError(f"{name} imports itself by way of {', '.join(above)}.")
    text = (SCRIPTS / name).read_text(encoding="utf-8")
    for _, address in IMPORT.findall(text):
        imported = resolve(name, address)
        if imported not in done:
            add_module(imported, done, (*above, name))
    done[name] = wrap_module(name, text)


def resolve(name: str, address: str) -> str:
    """The module that an address in another module refers to.

    >>> resolve("noise/tree.js", "../layout.js"), resolve("noise/tree.js", "./spread.js")
    ('layout.js', 'noise/spread.js')
    """
    return normpath(join(dirname(name), address))


def wrap_module(name: str, text: str) -> str:
    """
    >>> print(wrap_module("b.js", 'import { a } from "./a.js";\\nexport const b = a + 1;\\n'))
    const b_js = (() => {
    const { a } = a_js;
    const b = a + 1;
    return { b };
    })();
    """
    text = COMMENT.sub("", text)
    exported = EXPORT.findall(text)

    def take(found: re.Match[str]) -> str:
        return f"const {{{found[1]}}} = {variable(resolve(name, found[2]))};\n"

    body = re.sub(r"^export ", "", IMPORT.sub(take, text), flags=re.M)
    if re.search(r"^(import|export)\b", body, re.M):
        raise ValueError(f"{name} has an import or export of another form.")
    if any(line.count("`") % 2 for line in body.splitlines()):
        raise ValueError(f"{name} has a text of several lines, which would lose its indentation.")
    body = re.sub(r"^ +", "", body, flags=re.M)
    names = ", ".join(exported)
    return f"const {variable(name)} = (() => {{\n{body}return {{ {names} }};\n}})();"


def variable(name: str) -> str:
    return re.sub(r"\W", "_", name)
