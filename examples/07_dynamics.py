"""What torques does it take? Gravity, a motion with a payload, and the arm let go."""

import numpy as np

from baxterkit import Arm, Payload

np.set_printoptions(precision=3, suppress=True)
arm = Arm("left", tool="electric_standard")
q = arm.configuration("neutral")

# Hold still: gravity alone. A kilogram in the gripper adds to it.
loaded = arm.replace(payload=Payload(1.0, com=np.array([0.0, 0.0, 0.05])))
print("G, empty gripper [N m]: ", arm.gravity(q))
print("G, carrying 1 kg [N m]: ", loaded.gravity(q))

# The equations of motion, M qdd + C qd + G = tau, term by term.
qd = np.array([0.2, -0.4, 0.1, 0.5, 0.0, -0.3, 0.8])
qdd = np.array([1.0, 0.5, 0.0, -1.0, 2.0, 0.0, 0.0])
M, C, G = loaded.dynamics_terms(q, qd)
print("largest torque from M, C, G:", *(f"{np.abs(x).max():.2f}" for x in (M @ qdd, C @ qd, G)))
tau = loaded.inverse_dynamics(q, qd, qdd)
print("they add up:", np.allclose(M @ qdd + C @ qd + G, tau, rtol=0, atol=1e-12))
print("and back:   ", np.allclose(loaded.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-9))

# A whole motion at once: move e1 by 1 rad in 2 s, on a quintic. Is any motor overloaded?
t = np.linspace(0.0, 2.0, 201)
s = t / 2.0
path = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
step = np.eye(7)[3]
qs = q + path(s)[:, None] * step
qds = path.deriv()(s)[:, None] / 2.0 * step
qdds = path.deriv(2)(s)[:, None] / 4.0 * step
taus = loaded.inverse_dynamics(qs, qds, qdds)  # (201, 7), no loop
print("share of the effort limits in use:", np.abs(taus).max(axis=0) / arm.limits.effort)

# A push on the tip: 10 N upwards by the environment, base axes.
wrench = np.array([0.0, 0.0, 10.0, 0.0, 0.0, 0.0])
rest = np.zeros(7)
print("unloaded by a push of 10 N:", arm.inverse_dynamics(q, rest, rest, wrench) - arm.gravity(q))

# Let it go: half a second of free motion (Runge-Kutta, 1 ms). The energy stays.


def rate(q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return qd, arm.forward_dynamics(q, qd, rest)


def energy(q: np.ndarray, qd: np.ndarray) -> float:
    return float(arm.kinetic_energy(q, qd) + arm.potential_energy(q))


x, v, h = q.copy(), np.zeros(7), 1e-3
before = energy(x, v)
for _ in range(500):
    k1 = rate(x, v)
    k2 = rate(x + h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = rate(x + h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = rate(x + h * k3[0], v + h * k3[1])
    x = x + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
    v = v + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
drop = 1e3 * (arm.fk(q)[2, 3] - arm.fk(x)[2, 3])
print(
    f"after 0.5 s the tip is {drop:.0f} mm lower; energy changed by {energy(x, v) - before:.1e} J"
)
