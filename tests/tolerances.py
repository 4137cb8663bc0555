"""Every tolerance of the test suite, named and justified. NaN never passes: use `assert_close`.

Lengths of the arm are about 1 m, so absolute and relative errors mean the same; one rounding error
is 1.1e-16.
"""

from __future__ import annotations

import numpy as np

FK_GOLDEN_POSITION = 5e-11
"""Golden poses were made with the URDF's 1.57079632679 for pi/2: 5e-12 rad over about 1 m, summed
over six joints [m]."""
FK_GOLDEN_ANGLE = 1e-10
"""The same rounding of pi/2 in the orientation [rad]."""
FK_ENGINE = 1e-14
"""FK against another engine on the same numbers: some 50 roundings [m, or entries of R]."""
NATIVE_FK = 1e-14
"""Native against NumPy FK: other order of operations, some 50 roundings."""
JACOBIAN_ENGINE = 1e-13
"""Jacobian against another engine or the complex step: differences and cross products of FK."""
CENTRAL_DIFFERENCE = 1e-8
"""Central differences with step 1e-6: truncation 1e-12, rounding 1e-16 / 1e-6 = 1e-10."""
GPU_FLOAT64 = 1e-12
"""A GPU's kernels against the processor's: the same operations in the same order, equal to the bit
with fused multiply-add; a processor without it rounds once more in each."""
GPU_FLOAT32 = 2e-4
"""The same in float32 beside float64, of the largest entry: light wrists lose three
digits of seven."""
SPATIAL = 2e-15
"""SO3 and SE3 functions and their inverses: about ten roundings of numbers up to 2."""
SPATIAL_NEAR_PI = 1e-14
"""Rotation vectors and twists up to half a turn: rounding of R, times pi and the position."""
ROUND_TRIP = 1e-15
"""A model written as URDF text and read again: angles through rpy, a few roundings."""
DH_RESIDUAL = 1e-12
"""DH tables against the chain they were made from [m and rad], as promised to users."""
DH_FACTS = 5e-12
"""Published inertials in DH frames were made with 1.57079632679 for pi/2: 5e-12 rad over 0.3 m."""
ROUNDING = 1e-15
"""A handful of roundings of numbers of size 1: another memory layout or summation order in BLAS."""
FOLLOWED = 5e-3
"""A motion at 0.3 rad/s over the link on simulated time, velocities fed forward [rad]: 2.7e-3 was
measured; sensor steps of 0.4e-3, two periods of delay."""
HELD_UP = 20e-3
"""Distance from its path of an arm that follows while the program is held up [rad]: position
commands are 0.4 s ahead, and 18e-3 was measured; 9e-3 in the other modes."""
SAME_MOTION = 6e-3
"""Joint positions of one program on the twin and over the link at the same time [rad]: states over
the link are those of up to 10 ms ago, which a motion at 0.4 rad/s makes 4 mrad."""
BIAS_ENGINE = 1e-12
"""J̇ q̇ against another engine: values of up to 20 m/s², some 100 roundings."""
PSEUDOINVERSE = 1e-10
"""J⁺ V at manipulability above 1e-3: rounding times a condition number of up to 1e4 or so."""
PROJECTOR = 1e-12
"""Entries of the null-space projector at manipulability above 1e-3: rounding times condition."""
NULL_MOTION = 1e-8
"""Tip velocity by a null-space motion of 1 rad/s or so: rounding over a manipulability of 1e-10."""
INDEX = 1e-15
"""Manipulability, at most 0.14: products of six singular values, each with a rounding or two."""
NEAR_SINGULAR = 1e-14
"""Damped least squares, times 1 / damping²: rounding times the square of the condition number."""
SINCOS_ULP = 1.0
"""The kernels' sine and cosine [units in the last place]."""
ISA_AGREEMENT = 1e-11
"""Instruction sets against each other, times the largest result: fused multiply-add or not, through
the condition of J or M (up to 1e4)."""
RELATIVE_POSE = 1e-14
"""Two FK results multiplied."""
FRAMES_OWN_URDF = 1e-12
"""Poses of frames in Pinocchio on the URDF that we write [m, 1]: rounding of two chains."""
FRAMES_URDF = 1e-9
"""Frames of Rethink's description [m, 1]: its angles have 11 digits, 1.57079632679 for π/2."""

PAPER_MODEL = 1e-9
"""The papers' corrected models against `Arm`, as promised to users [m, kg m², N m, J]."""
INERTIA_ENGINE = 2e-14
"""M against another engine or derivation [kg m²]: sums of some 100 rounded terms up to 2 kg m²."""
CORIOLIS_ENGINE = 2e-13
"""C likewise, and rates of M [kg m²/s]: M's terms times velocities up to 28 rad/s in sum."""
GRAVITY_ENGINE = 2e-13
"""G likewise [N m]: terms up to 100 N m."""
TORQUE_ENGINE = 3e-13
"""Torques and energies likewise [N m, J]: terms up to 300 N m."""
ROUNDING_TORQUE = 1e-13
"""The same torque computed alone and in a batch: NumPy may sum in another order."""
POWER = 3e-12
"""Power [W]: torques times velocities up to 4 rad/s, summed over the joints."""
DERIVATIVE = 1e-11
"""Derivatives of torques against complex step or engine; forward dynamics relative to its size."""
FORWARD_ROUND_TRIP = 1e-10
"""Accelerations after inverse and forward dynamics [rad/s²]: rounding of torques (1e-13) times the
largest entry of the inverse of M (about 1000)."""
TASK_INERTIA = 1e-7
"""Wrenches up to 40 N through mobility and its inverse: condition numbers of both, about 1e6."""
ENERGY_DRIFT = 1e-9
"""Energy over free motion integrated to 1e-12 [J]."""
REGRESSOR = 1e-11
"""Entries of regressors [N m per unit parameter]: accelerations up to 2000 m/s² per unit."""
MPMATH = 1e-13
"""Double precision against 50 digits."""

IK_POSE = 1e-11
"""Pose error of exact inverse kinematics [m and rad], as promised; measured 1e-14."""
IK_DEGENERATE = 1e-10
"""The same at degenerate places and with joints held on their stops, as promised; 2e-11 seen."""
IK_JOINT = 1e-6
"""Solutions closer than this are one [rad]; at singular configurations joints are known to the
square root of rounding, 1e-8, times a few."""
IK_CROSSING = 1e-4
"""The same where curves cross [rad]: there it is the cube root of rounding, 5e-6, times a few."""
IK_OBJECTIVE = 1e-7
"""By how much the cost of an optimum may be above that of another solution."""
IK_STATIONARY = 1e-6
"""Slope, at the least squared distance to a seed, along the curve [rad]: 1.7e-8 of 100,000."""
IK_FREE = 1e-9
"""Iterative solvers stop at 1e-9 [m and rad]."""

EFFECTS = 1e-13
"""Torques of joint effects [N m]: springs of 20 N m, angles multiplied by up to 4."""
EFFECTS_DIFFERENCE = 1e-5
"""Central differences with step 1e-6 where friction turns round within 0.01 rad/s."""

SUBNORMAL = 1e-300
"""What is exact in binary may still differ where intermediate products are below 1e-308."""


OBSERVER_WRENCH_FORCE = 0.1
"""Tip force from the momentum observer, 0.4 s after a push of 14 N began, while the arm swings [N]:
the filter (5 ms) lags behind the moving configuration."""
OBSERVER_WRENCH_MOMENT = 0.05
"""The same for the moment [N m]."""
OBSERVER_STEP = 0.01
"""External torques of some 10 N m against the truth passed through the same filter [N m]: the
trapezoidal rule at the jumps of the push."""
OBSERVER_NOTHING = 2e-4
"""External torque where there is none [N m]: the trapezoidal rule over 1 ms."""
OBSERVER_LIVE = 1e-10
"""The observer live and over a recording [N m]: M qd summed in another order, over 10 ms."""

TWIN_MOTION = 1e-10
"""Positions of the rigid twin against our forward dynamics on the same steps [rad], as promised;
measured 5e-13: rounding, grown by the motion's own sensitivity."""
TWIN_STEP = 1e-12
"""One compiled step of the twin against NumPy's from the same state: roundings of exponentials and
of sums over 128 values."""
TWIN_RUN = 1e-9
"""The same over 10 s of motion, without noise and sensor steps: roundings, which a stable arm does
not amplify."""
TWIN_ENERGY = 1e-4
"""Energy of the rigid twin over free motion with steps of 1 ms, relative to the largest kinetic
energy, as promised; measured 3e-5 in a minute: the error of Runge-Kutta."""

BAG_LOAD_SECONDS = 1.0
"""Time to load a bag of 20,000 messages [s], as promised; it takes some 0.2."""
MOUNT_EXACT = 1e-9
"""Tip positions recorded with all digits against the fitted mount [m]; they are 1e-14 apart."""
MOUNT_SINGLE = 1e-7
"""The same for positions stored in single precision: half a unit in the last place at 1 m, 3e-8."""
MOUNT_ROUNDED = 0.12e-3
"""The same for angles and positions rounded to 4 decimals: mean distance [m]."""
RECORDED_JACOBIAN = 1e-11
"""Jacobians computed with 1.57079632679 for pi/2, times up to two such angles in a row."""
RECORDED_TWIST = 1e-10
"""Twists likewise, at up to 2 rad/s."""
RESAMPLED = 1e-12
"""Interpolation and time bases: a handful of roundings of times up to 100 s and values up to 10."""

PASSIVE_DYNAMICS = 2e-13
"""Torques with a reference velocity, by matrices, by differences of squares and by the regressor
[N m]: sums of some hundred terms up to 100 N m."""
SETTLED = 2e-3
"""Errors [rad, rad/s] that a controller with the true model leaves after 6 s: some ten of its time
constants."""
SETTLED_BY_LEARNING = 5e-3
"""The same after 8 to 10 s where an integral or an estimate has to be found first."""
HELD_TORQUES = 1e-4
"""Root mean square error [rad] of a swing with 2 rad/s under torques held for a millisecond."""
HELD_FEEDBACK = 0.05
"""Gains [1/s², 1/s] and torques [N m] of feedback held for 0.2 to 0.5 ms, beside continuous ones of
up to 400 and 40: the share of a step in the time constant, some 1 % of the feedback's part."""
PROGRAM = 1e-5
"""Torques [N m] and multipliers (relative) of a quadratic program solved to 1e-6."""
ENERGY_STEP = 1e-6
"""How much a falling energy may rise in a step, in parts of its start: torques are held."""
LINEAR_ERROR = 2e-4
"""Error of the error [rad], of 0.05 rad, under torques held for 0.2 ms."""
LAG = 1e-4
"""Steady lag of a ramp [rad] after 4 s, of 0.01 rad."""
PASSIVE_STEP = 1e-4
"""How much energy a passive controller may give out in a step of 0.5 ms, in parts of what it had at
the start: torques are held while the arm moves by up to a millimetre."""
SPRING_GRADIENT = 1e-6
"""Central differences of an energy of up to 100 J, step 1e-6 [N, N m]: rounding 1e-14 / 1e-6."""
YIELD = 1e-4
"""Where a tip rests under a constant force after 12 s [m], of 20 mm: the elbow is slow."""
NULL_ACCELERATION = 1e-10
"""Acceleration of the tip by null-space torques [m/s², rad/s²]: M⁻¹, its condition being 1e4."""


SPLINE = 1e-12
"""Values of a piecewise polynomial against another way to compute them: some ten roundings of
numbers up to 10, times the shortness of pieces."""
DIFFERENCE = 2e-6
"""Derivatives against central differences of step 1e-5: truncation 1e-10 times third derivatives,
and where such a difference spans a knot."""
TIP_ON_PATH = 2e-8
"""Tip between the knots of a joint motion [m, or entries of R]: h⁴ / 384 times the fourth
derivative with h = 10 ms, for the quickest motions 8e-9."""
TIP_AT_KNOT = 1e-9
"""Tip at the knots: Newton's method stops at 1e-10."""
RESOLVED_RATE = 5e-7
"""Tip of an integrated motion with drift correction: 4th order with 10 ms, measured 8e-8."""


CORE_DISTANCE = 1e-12
"""Distances of segments and boxes of about 1 m: some ten roundings, over lengths of 0.01 m."""
CLEARANCE_NATIVE = 1e-12
"""Native against NumPy clearance [m]: link poses (1e-14) through nearly parallel capsules."""
CLEARANCE_SLOPE = 1e-6
"""Gradient of the clearance by central differences with step 1e-6 [m/rad]: the bend of the distance
between bodies 1 mm apart is 1000 /m, so truncation is up to 1e-12 * 1e6."""
COAL_DISTANCE = 2e-5
"""Our distances against coal's, whose iteration stops at 1e-6 relative [m]."""
BODY_ROUNDING = 1e-6
"""Of corners of meshes in single precision [m]."""
BODY_MISS = 1e-3
"""Clearance of the body that no touching meshes may have [m]."""
BODY_REJECTS = 0.05
"""Of the configurations that the meshes leave free, at most this share may be rejected."""
BODY_REJECTS_FEW = 0.08
"""The same of a few hundred configurations: the share and three standard deviations."""


TOPPRA = 2e-3
"""Duration of the fastest motion against toppra's on a grid of 1,000 steps, relative: 2e-4 was
measured."""
TIMED = 1e-4
"""Velocities and accelerations of a timed motion beyond their limits, as a share of them: those of
`trajectory.checks.SLACK`."""
CLAIMED_R2 = 0.002
"""How far a score of identification may fall below README's: versions of SciPy move it by 0.001."""


def assert_close(actual: object, expected: object, tolerance: float) -> None:
    """Fails unless every entry agrees to `tolerance` absolutely; NaN and shape mismatch fail."""
    a, b = np.asarray(actual), np.asarray(expected)
    assert a.shape == b.shape, f"shapes differ: {a.shape} and {b.shape}"
    worst = np.max(np.abs(a - b), initial=0.0)
    assert worst <= tolerance, f"differs by {worst:.3e}, allowed {tolerance:.1e}"


STANDING = 1e-6
"""A rigid twin that holds its arms moves less between two states [rad, m]."""

SHORTFALL = 1e-3
"""Distance [m] and angle [rad] of the nearest reachable pose: a search, not a proof; it ends far
below this."""
SERVO_ARRIVED = 1e-3
"""A hand that follows a target slows down in its last centimetre with a rate of 6 1/s: after two
seconds less than this is left [m, rad, rad/s]."""
SERVO_ROUNDING = 1e-9
"""Velocities of a reference against their bounds: differences of positions over a hundredth of a
second [rad/s]."""
SERVO_TRACKED = 3e-3
"""A hand of the twin that followed a target and stood still: the tip is off by some mrad of its
joints, where friction holds them [m]."""
LESSON_FILE = 0.0
"""A lesson from its file: JSON holds every digit."""
MIRRORED = 1e-9
"""Mirrored joints against the mirrored pose: the mounts of both arms are published mirrored to this
[m, entries of R]."""
MAP_ON_A_GPU = 1e-6
"""Best values of a cell of a map, kept as float32: solutions found on a GPU are others' to 1e-10
[m, rad, m³]."""
