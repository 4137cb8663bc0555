/* The C interface of the exported inverse kinematics: `baxterkit export ik --to cpp` puts it at the
   head of its file and gives everything that begins with baxterkit_ik the name of that file. */
#ifdef __cplusplus
extern "C" {
#endif

/* What an arm is, beyond the joints' geometry. Joints are in the order s0 s1 e0 e1 w0 w1 w2; poses
   are rows of [R | p]: 12 numbers [m]. */
typedef struct {
  double T_base_s0[12];         /* mount */
  double T_hand_tip[12];        /* tool */
  double lower[7], upper[7];    /* joint limits [rad], closed; infinite ones are allowed */
  double beta[45], gravity[3];  /* inertial base parameters and gravity, for the objective gravity */
} baxterkit_ik_arm;

typedef struct baxterkit_ik_solver baxterkit_ik_solver;

/* How it ended. */
enum {
  baxterkit_ik_SOLVED = 0,
  baxterkit_ik_OUT_OF_REACH = 1,   /* no joint angles reach the target, not even beyond the limits */
  baxterkit_ik_LIMITS = 2,         /* some do, but all of them violate a limit */
  baxterkit_ik_NOT_CONVERGED = 3,  /* the search ended, which proves nothing */
  baxterkit_ik_BAD_TARGET = -1,    /* a pose is not rigid to 1e-6, or not finite */
  baxterkit_ik_BAD_ARGUMENT = -2,  /* a seed beyond 1e6 rad, an unknown objective, a step <= 0 */
  baxterkit_ik_NO_MEMORY = -3
};

/* Which solution. */
enum {
  baxterkit_ik_QUICK = 0,    /* the first one outward from the seed's e0 */
  baxterkit_ik_NEAREST = 1,  /* to the seed; this one and those below: the best of all solutions */
  baxterkit_ik_FAR_FROM_LIMITS = 2,
  baxterkit_ik_MANIPULABILITY = 3,
  baxterkit_ik_GRAVITY = 4   /* least gravity torque (2-norm) */
};

/* What more is known of an answer. */
typedef struct {
  double position_error, orientation_error; /* by forward kinematics [m, rad]; NaN if unsolved */
  double nearest[7];   /* with LIMITS: the solution that violates them least [rad] */
  double violation[7]; /* and by how much: positive above, negative below [rad] */
} baxterkit_ik_details;

/* The arm that was exported. Change a copy for another mount, tool or limits. */
void baxterkit_ik_default_arm(baxterkit_ik_arm* arm);

/* A solver of an arm; of the exported one if `arm` is null. Null if there is no memory, a pose is not
   rigid, or a lower limit is above its upper one. It serves one thread at a time; with it at hand
   `solve`, `all` and `track` allocate no memory. */
baxterkit_ik_solver* baxterkit_ik_make(const baxterkit_ik_arm* arm);
void baxterkit_ik_free(baxterkit_ik_solver* solver);

/* Pose of the tip in base, row by row (16 numbers). */
void baxterkit_ik_fk(const baxterkit_ik_solver* solver, const double* q, double* T);

/* Joint positions q[7] that bring the tip to T (16 numbers, row by row), within the limits; NaN if
   there are none. `seed` [7] may be null: the middle of the ranges. `details` may be null. Returns how it
   ended. */
int baxterkit_ik_solve(baxterkit_ik_solver* solver, const double* T, const double* seed, int objective,
                       double* q, baxterkit_ik_details* details);

/* The same for n targets (n x 16) with QUICK, side by side, which is faster. `seeds` (n x 7) may be null.
   Fills q (n x 7) and status (n). Returns 0, or BAD_TARGET, BAD_ARGUMENT, NO_MEMORY: nothing is
   solved then. */
int baxterkit_ik_solve_many(baxterkit_ik_solver* solver, int n, const double* T, const double* seeds,
                            double* q, signed char* status);

/* Every solution with joint e0 given [rad], ordered by s0; within the limits if `limited`. Fills q
   (at most 32 x 7) and returns their number, or BAD_TARGET, BAD_ARGUMENT. */
int baxterkit_ik_all(const baxterkit_ik_solver* solver, const double* T, double e0, int limited, double* q);

/* One step after a moving target: the solution next to `from` [7], no joint moving farther than
   `max_step` [7], or 0.5 rad if null. With `hold_elbow`, e0 stays where it can. */
int baxterkit_ik_track(const baxterkit_ik_solver* solver, const double* T, const double* from,
                       const double* max_step, int hold_elbow, double* q);

/* A continuous path through n poses (n x 16), no joint moving farther than `max_step` ((n - 1) x 7) from
   one pose to the next, or 0.5 rad if null. `seed` [7] may be null; with `starts` it is the solution of
   the first pose. Fills q (n x 7), NaN from where it breaks; returns the number of poses that it goes
   through, or BAD_TARGET, BAD_ARGUMENT, NO_MEMORY. */
int baxterkit_ik_path(baxterkit_ik_solver* solver, int n, const double* T, const double* seed, int starts,
                      const double* max_step, double* q);

/* The instruction set that this file was compiled for. */
const char* baxterkit_ik_isa(void);

#ifdef __cplusplus
}
#endif
