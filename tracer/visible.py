"""Engine text made visible: what a terminal obeys, what reverses a line, what is hidden, what poses as another letter.

Source code may hold control and bidirectional characters that show a reader other code than the machine runs, and
letters that only look Latin (CVE-2021-42574 and CVE-2021-42694, "Trojan Source"; the look-alikes are the lower-case and
upper-case rows of Unicode's confusables.txt that map to one ASCII letter). Everything that is printed for a reader goes
through `visible`; machine-readable documents keep the text as it is.
"""

from __future__ import annotations

import re
import unicodedata

# Cyrillic, Greek, Armenian and Latin letters that are drawn like one ASCII letter.
_ALIKE = frozenset("аеорсухіјѕһԁԛԝӏгпкАВЕКМНОРСТУХІЈЅԌԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαυνικρϲϳոսօցհӀıɑɡℓ")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_WORD = re.compile(r"[^\W\d_][\w]*")


def visible(text: str) -> str:
    """`text` with everything that is hidden or deceives written out, as `⟨U+202E⟩` or `а⟨U+0430⟩`.

    Control characters become their pictures (`␛`), line breaks and tabs too; give text line by line.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(c if _seen(c) else _picture(c) for c in text)
    return shown if shown.isascii() else _WORD.sub(lambda word: _honest(word.group(), text), shown)


def _seen(char: str) -> bool:
    return (char.isascii() and char.isprintable()) or unicodedata.category(char) not in _HIDDEN


def _picture(char: str) -> str:
    code = ord(char)
    if code < 32:
        return chr(0x2400 + code)
    return "␡" if code == 127 else f"⟨U+{code:04X}⟩"


def _honest(word: str, text: str) -> str:
    """The word with its look-alikes named, unless they stand among other letters of their own script."""
    if word.isascii() or not any(c in _ALIKE for c in word):
        return word
    strange = [c for c in word if not c.isascii() and c.isalpha() and c not in _ALIKE]
    mixed = any(c.isascii() and c.isalpha() for c in word)
    alone = not any(not c.isascii() and c.isalpha() and c not in _ALIKE for c in text)
    if strange or not (mixed or alone):
        return word
    return "".join(f"{c}⟨U+{ord(c):04X}⟩" if c in _ALIKE else c for c in word)
