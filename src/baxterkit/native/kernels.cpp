// The kernels of one instruction set (BAXTERKIT_ISA): generated arithmetic, wrapped for the two
// drivers of batch.hpp and listed in a table.
#include "batch.hpp"
#include "generated/kinematics.hpp"
#include "least_norm.hpp"

#define BK_TEXT_(x) #x
#define BK_TEXT(x) BK_TEXT_(x)

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct OfPosition {
  static constexpr int inputs = 1;
  static constexpr int widths[1] = {7};
  static constexpr const char* names[1] = {"q"};
};

struct OfVelocity {
  static constexpr int inputs = 2;
  static constexpr int widths[2] = {7, 7};
  static constexpr const char* names[2] = {"q", "qd"};
};

// What every kernel starts with, by itself: so that its accuracy can be tested.
struct SinCos : OfPosition {
  static constexpr int outputs = 14, ndim = 2, dims[2] = {2, 7};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    for (int j = 0; j < 7; ++j) {
      y[j] = s[j];
      y[7 + j] = c[j];
    }
  }
};

struct Fk : OfPosition {
  static constexpr int outputs = 16, ndim = 2, dims[2] = {4, 4};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::fk(s, c, p.mount, p.tool, y);
  }
};

struct LinkPoses : OfPosition {
  static constexpr int outputs = 128, ndim = 3, dims[3] = {8, 4, 4};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::link_poses(s, c, p.mount, p.tool, y);
  }
};

struct Jacobian : OfPosition {
  static constexpr int outputs = 42, ndim = 2, dims[2] = {6, 7};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::jacobian(s, c, p.mount, p.tool, y);
  }
};

struct BodyJacobian : OfPosition {
  static constexpr int outputs = 42, ndim = 2, dims[2] = {6, 7};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::body_jacobian(s, c, p.tool, y);
  }
};

struct Twist : OfVelocity {
  static constexpr int outputs = 6, ndim = 1, dims[1] = {6};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::twist(s, c, x[1], p.mount, p.tool, y);
  }
};

struct BiasAcceleration : OfVelocity {
  static constexpr int outputs = 6, ndim = 1, dims[1] = {6};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::bias_acceleration(s, c, x[1], p.mount, p.tool, y);
  }
};

struct NullVector : OfPosition {
  static constexpr int outputs = 7, ndim = 1, dims[1] = {7};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    generated::null_vector(s, c, y);
  }
};

struct Manipulability : OfPosition {
  static constexpr int outputs = 1, ndim = 0, dims[1] = {1};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters&, T* y) {
    generated::manipulability(s, c, y);
  }
};

struct JointVelocity {
  static constexpr int inputs = 4;
  static constexpr int widths[4] = {7, 6, 7, 1};
  static constexpr const char* names[4] = {"q", "twist", "qd_null", "damping"};
  static constexpr int outputs = 7, ndim = 1, dims[1] = {7};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T J[42];
    generated::jacobian(s, c, p.mount, p.tool, J);
    least_norm(J, x[1], x[2], x[3][0], y);
  }
};

template <class K>
constexpr Kernel describe(const char* name) {
  Kernel kernel{name, K::inputs, {}, {}, K::ndim, {}, K::outputs, run_rows<K>, run_one<K>};
  for (int i = 0; i < K::inputs; ++i) {
    kernel.inputs[i] = K::names[i];
    kernel.widths[i] = K::widths[i];
  }
  for (int i = 0; i < K::ndim; ++i) kernel.out_dims[i] = K::dims[i];
  return kernel;
}

// In the order of BAXTERKIT_KERNELS.
static const Kernel kKernels[] = {
    describe<SinCos>("sincos"),
    describe<Fk>("fk"),
    describe<LinkPoses>("link_poses"),
    describe<Jacobian>("jacobian"),
    describe<BodyJacobian>("body_jacobian"),
    describe<Twist>("twist"),
    describe<BiasAcceleration>("bias_acceleration"),
    describe<NullVector>("null_vector"),
    describe<Manipulability>("manipulability"),
    describe<JointVelocity>("joint_velocity"),
};
static_assert(sizeof kKernels / sizeof kKernels[0] == kernel_count, "one entry for each kernel");

extern const KernelTable table;
const KernelTable table = {BK_TEXT(BAXTERKIT_ISA), kWidth, kernel_count, kKernels};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
