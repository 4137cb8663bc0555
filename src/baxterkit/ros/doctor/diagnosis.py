"""`Diagnosis`: the doctor's result, and `Finding`, one trouble with its fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from baxterkit.display import html_table
from baxterkit.errors import ResultError
from baxterkit.ros.doctor.advice import ADVICE, AREAS


@dataclass(frozen=True)
class Finding:
    """One trouble.

    Attributes:
        name: Its name, a key of `ADVICE`.
        seen: What was seen: the value, and the limit where there is one.
    """

    name: str
    seen: str

    @property
    def area(self) -> str:
        """The part of the examination, such as "network"."""
        return ADVICE[self.name].area

    @property
    def fix(self) -> str:
        """What to do."""
        return ADVICE[self.name].fix

    def __str__(self) -> str:
        return f"{self.seen}. {self.fix}"


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor found; true if that is nothing.

    Attributes:
        where: The master's address.
        findings: Troubles, those of the network first.
        facts: What was seen and measured, in words, by name.
    """

    where: str
    findings: tuple[Finding, ...]
    facts: Mapping[str, str]

    def __post_init__(self) -> None:
        ordered = sorted(self.findings, key=lambda finding: AREAS.index(finding.area))
        object.__setattr__(self, "findings", tuple(ordered))

    @property
    def healthy(self) -> bool:
        """Whether there is no finding."""
        return not self.findings

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the findings, each once."""
        return tuple(dict.fromkeys(finding.name for finding in self.findings))

    def raise_if_failed(self) -> None:
        """Does nothing if the robot is healthy.

        Raises:
            ResultError: If there is a finding; its message is that of the first.
        """
        if self.findings:
            more = len(self.findings) - 1
            rest = f" ({more} more: print the diagnosis)" if more else ""
            raise ResultError(f"{self.findings[0]}{rest}", self)

    def to_dict(self) -> dict[str, object]:
        """The result as plain values, as `baxterkit ros doctor --json` prints it."""
        return {
            "where": self.where,
            "healthy": self.healthy,
            "findings": [
                {"name": f.name, "area": f.area, "seen": f.seen, "fix": f.fix}
                for f in self.findings
            ],
            "facts": dict(self.facts),
        }

    def __bool__(self) -> bool:
        return self.healthy

    def __str__(self) -> str:
        width = max((len(name) for name in self.facts), default=0)
        lines = [f"{name:{width}}  {value}" for name, value in self.facts.items()]
        lines += ["", self._summary()]
        for finding in self.findings:
            lines += ["", f"{finding.name}: {finding.seen}.", f"    {finding.fix}"]
        return "\n".join(lines).lstrip("\n")

    def __repr__(self) -> str:
        return f"<Diagnosis of {self.where}: {', '.join(self.names) or 'healthy'}>"

    def _summary(self) -> str:
        count = len(self.findings)
        return "no findings" if not count else f"{count} finding{'s' if count > 1 else ''}"

    def _repr_html_(self) -> str:
        rows = [(f.name, f"{f.seen}.", f.fix) for f in self.findings]
        facts = "; ".join(f"{name}: {value}" for name, value in self.facts.items())
        title = f"Diagnosis of {self.where}: {self._summary()}"
        return html_table(title, ("finding", "seen", "fix") if rows else (), rows, facts)
