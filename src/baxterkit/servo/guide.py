"""The references of one hand or both, kept clear of everything.

At every tick each arm could brake to rest, both at once, without coming nearer to anything than
what is kept: a wanted velocity is taken only if that stays so, else a share of it, else the arm
brakes, which was found clear one tick before.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.collision.nearest import Nearest
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.scene import Scene
from baxterkit.servo.hand import OUT_OF_REACH, HandServo
from baxterkit.servo.result import Log
from baxterkit.servo.settings import ServoSettings
from baxterkit.types import Array, JointVector, Transform

SHARES = (1.0, 0.5, 0.25)
"""Shares of a wanted change of velocity that are tried."""
ROOM = 1e-4
"""A hand that starts nearer than what is to be kept may come nearer by this [m]: rounding."""
SAME = 1e-9
"""Clearances this close are equal [m]."""
CRAWL = 0.03
"""A hand that is slower than this [m/s] before its target is held up."""
SLIDES = 0.5
"""A hand that has taken damped steps for this time [s] slides along what holds it."""
BESIDE = 0.005
"""... by something, if that is nearer than this besides what is kept [m]."""


class Guide:
    """Guides hands to their targets.

    Args:
        arms: The arms that follow, by side.
        q: Where both arms are [rad], shape (7,) each.
        settings: Bounds.
        log: Takes notes.

    Attributes:
        hands: The references, by side.
    """

    def __init__(
        self,
        arms: Mapping[str, Arm],
        q: Mapping[str, JointVector],
        settings: ServoSettings,
        log: Log,
    ) -> None:
        self.hands = {side: HandServo(arm, q[side], settings) for side, arm in arms.items()}
        self._settings, self._log = settings, log
        self._still = {side: q[side] for side in SIDES if side not in arms}
        self._stuck: dict[str, float] = {}

    def step(
        self,
        t: float,
        targets: Mapping[str, Transform | None],
        q: Mapping[str, JointVector],
        scene: Scene,
        dt: float,
    ) -> None:
        """Moves the references by a tick.

        Args:
            t: Time since the start [s].
            targets: Where the hands should be; None: brake.
            q: Where the arms are measured [rad]: of an arm that does not follow, its place.
            scene: The robot among its obstacles now.
            dt: Length of the tick [s].
        """
        with unwarned():
            self._still |= {side: q[side] for side in self._still}
            stops = {side: hand.stop(hand.braked(dt), dt) for side, hand in self.hands.items()}
            for side, hand in self.hands.items():
                near = self._near(side, scene)
                qd = hand.wanted(targets.get(side), near, dt)
                chosen = self._clear(side, qd, stops, scene, dt)
                self._tell(t, side, chosen, near, targets.get(side))
                stops[side] = hand.stop(chosen, dt)
                hand.take(chosen, dt)

    def _near(self, side: str, scene: Scene) -> tuple[Nearest, ...]:
        """The pairs nearest to an arm and to its hand, with the gradients of that arm."""
        at = self._both({each: hand.q[None] for each, hand in self.hands.items()})[0]
        own, hand = ARM_COLUMNS[side], self.hands[side]
        found = [part.nearest(at[:7], at[7:]) for part in (scene.of_arm(side), scene.of_hand(side))]
        gap = float(found[0].clearance)
        hand.kept = min(self._settings.clearance, max(hand.kept, gap - ROOM, 0.0))
        pairs = {tuple(pair.pair): pair for pair in found if pair.pair[0] >= 0}
        return tuple(
            Nearest(pair.clearance, pair.pair, pair.points, pair.gradient[own], pair.everything)
            for pair in pairs.values()
        )

    def _clear(
        self, side: str, qd: JointVector, stops: dict[str, Array], scene: Scene, dt: float
    ) -> JointVector:
        """The most of a wanted velocity after which both arms can brake and touch nothing."""
        hand = self.hands[side]
        braked = hand.braked(dt)
        checks = scene.of_arm(side).replace(margin=hand.kept)
        for share in SHARES:
            tried = braked + share * (qd - braked)
            path = self._both({**stops, side: hand.stop(tried, dt)})
            if np.all(checks.edge_free(path[:-1], path[1:])):
                return tried
            gaps = checks.clearance(path[:, :7], path[:, 7:])
            if 0.0 < gaps[0] < hand.kept + ROOM and (gaps >= gaps[0] - SAME).all():
                return tried  # too near already, and no nearer
        return braked

    def _both(self, paths: Mapping[str, Array]) -> Array:
        """Paths of both arms, left then right; an arm without one stays, shape (n, 14)."""
        n = max(len(path) for path in paths.values())
        parts = [
            paths[side] if side in paths else np.tile(self._still[side], (n, 1)) for side in SIDES
        ]
        return np.concatenate(parts, axis=-1)

    def _tell(
        self,
        t: float,
        side: str,
        chosen: JointVector,
        near: tuple[Nearest, ...],
        target: Transform | None,
    ) -> None:
        hand = self.hands[side]
        if target is None:
            return
        away = float(np.linalg.norm(hand.arm.fk(hand.q)[:3, 3] - target[:3, 3]))
        speed = float(np.linalg.norm(hand.arm.twist(hand.q, chosen)[:3]))
        still = speed < CRAWL and away > OUT_OF_REACH
        if hand.stuck <= OUT_OF_REACH:
            self._stuck.pop(side, None)
        if hand.stuck > OUT_OF_REACH and still:
            self._log.note(
                t, side, "out of reach",
                f"the target is out of reach, {1e3 * away:.0f} mm farther than the hand gets",
            )  # fmt: skip
        elif hand.stuck > OUT_OF_REACH and t - self._stuck.setdefault(side, t) > SLIDES:
            self._log.note(
                t, side, "out of reach",
                "the target is out of reach from here: a joint limit or the border of its workspace"
                f" keeps the hand {1e3 * away:.0f} mm away",
            )  # fmt: skip
        elif still and near and float(near[0].clearance) < hand.kept + BESIDE:
            a, b = near[0].names
            self._log.note(
                t, side, "blocked",
                f"{a} is {1e3 * float(near[0].clearance):.0f} mm from {b}: the hand stops "
                f"{1e3 * away:.0f} mm before the target",
            )  # fmt: skip
        elif away < OUT_OF_REACH:
            self._log.over(side, "out of reach", "blocked")
