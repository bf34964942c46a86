"""Reports of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Step:
    """One superstep, or one pass of an algorithm that is not a vertex program."""

    number: int
    """Its number; superstep 0 gives every vertex its first state."""
    name: str
    """How messages travelled: push, pull or mailbox; or what the pass did."""
    active: int
    """Vertices that computed."""
    messages: int
    """Edges along which messages were offered, or that the pass looked at."""
    seconds: float
    """How long it took."""


@dataclass(frozen=True)
class Report:
    """How a run went. A notebook shows it as a table with a picture."""

    algorithm: str
    engine: str
    """``cpu`` or ``cuda``."""
    stop: str
    """Why it ended: ``halted``, ``converged``, ``limit`` or ``cancelled``."""
    supersteps: int
    messages: int
    seconds: float
    """Time of the run, without the preparation of the graph."""
    prepare_seconds: float
    steps: list[Step] = field(repr=False)

    def _repr_html_(self) -> str:
        rows = [
            ("algorithm", self.algorithm),
            ("engine", self.engine),
            ("ended", self.stop),
            ("supersteps", f"{self.supersteps:,}"),
            ("messages", f"{self.messages:,}"),
            ("time", _duration(self.seconds)),
            ("preparation", _duration(self.prepare_seconds)),
        ]
        cells = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{escape(text)}</td></tr>"
            for name, text in rows
        )
        return f"<table>{cells}</table>{_chart(self.steps)}"


def _duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _chart(steps: list[Step], width: int = 480, height: int = 120) -> str:
    """Messages of each superstep, as bars; a tooltip tells the rest."""
    most = max((step.messages for step in steps), default=0)
    if most == 0 or len(steps) > 10_000:
        return ""
    bar = width / len(steps)
    bars = []
    for at, step in enumerate(steps):
        tall = height * step.messages / most
        title = (
            f"{step.number}: {step.active:,} vertices, {step.messages:,} messages, "
            f"{step.name}, {_duration(step.seconds)}"
        )
        bars.append(
            f"<rect x='{at * bar:.2f}' y='{height - tall:.2f}' width='{max(bar * 0.9, 0.5):.2f}' "
            f"height='{tall:.2f}' fill='#4878a8'><title>{escape(title)}</title></rect>"
        )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"role='img' aria-label='messages per superstep'>{''.join(bars)}</svg>"
        f"<div>messages per superstep, at most {most:,}</div>"
    )
