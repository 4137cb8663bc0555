"""A hundred thousand states at once: on a GPU where there is one, else on all cores."""

import numpy as np

from baxterkit import Arm
from baxterkit.cuda import available

backend = "cuda" if available() else "native"
arm = Arm("left", backend=backend)
rng = np.random.default_rng(0)
q = rng.uniform(arm.limits.lower, arm.limits.upper, (100_000, 7))

T, tau = arm.fk(q), arm.gravity(q)
print("poses:", T.shape, "torques:", tau.shape)
print(
    f"highest tip {T[:, 2, 3].max():.3f} m, largest torque at s1 {np.abs(tau[:, 1]).max():.2f} N m"
)

# The kernels are the same, so the numbers are too.
same = np.allclose(T[:1000], Arm("left", backend="numpy").fk(q[:1000]), rtol=0, atol=1e-12)
print("equal to the NumPy reference:", same)
