"""Joint angles for a pose: one, all, the best, and a proof that there is none."""

import numpy as np

from baxterkit import Arm
from baxterkit.ik import Pointing, Position

arm = Arm("left", tool="electric_standard")
T = arm.fk(arm.configuration("neutral"))
T[2, 3] -= 0.1  # 10 cm lower

result = arm.ik(T, seed=arm.configuration("neutral"))
print(result)

print(f"\nsolutions with e0 = 0: {len(arm.ik_all(T, e0=0.0))}")
print(arm.self_motion(T))

best = arm.ik(T, objective="manipulability").q
print(
    f"\nmanipulability {arm.manipulability(result.q):.4f}, at best {arm.manipulability(best):.4f}"
)

T[0, 3] += 1.0
print(f"\none metre farther: {arm.ik(T).status}")

print("\nposition alone:", arm.ik(Position([0.7, 0.2, 0.1])).solved)
print("gripper down:", arm.ik(Pointing([0.7, 0.2, 0.1], [0, 0, -1])).solved)

# A batch: the same answers, on all cores.
rng = np.random.default_rng(1)
targets = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (1000, 7)))
print(arm.ik(targets))
