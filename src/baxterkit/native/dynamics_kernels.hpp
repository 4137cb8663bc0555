// The dynamic kernels: generated arithmetic, wrapped for the drivers of batch.hpp.
#pragma once

#include "generated/derivatives.hpp"
#include "generated/dynamics.hpp"
#include "kernels.hpp"
#include "ldl.hpp"
#include "signatures.hpp"
#include "simd.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

struct InverseDynamics : OfMotion, GivesVector<7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::inverse_dynamics(s, c, x[1], x[2], p.beta, p.gravity, y);
  }
};

struct Gravity : OfPosition, GivesVector<7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::gravity(s, c, p.beta, p.gravity, y);
  }
};

struct Inertia : OfPosition, GivesMatrix<7, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::inertia(s, c, p.beta, y);
  }
};

struct Coriolis : OfVelocity, GivesMatrix<7, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::coriolis(s, c, x[1], p.beta, y);
  }
};

struct DynamicsTerms : OfVelocity, GivesMatrix<15, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::dynamics_terms(s, c, x[1], p.beta, p.gravity, y);
  }
};

struct BiasTorque : OfVelocity, GivesVector<7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::bias_torque(s, c, x[1], p.beta, p.gravity, y);
  }
};

struct ForwardDynamics : OfTorque, GivesVector<7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::forward_dynamics(s, c, x[1], x[2], p.beta, p.gravity, y);
  }
};

struct KineticEnergy : OfVelocity, GivesNumber {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::kinetic_energy(s, c, x[1], p.beta, y);
  }
};

struct PotentialEnergy : OfPosition, GivesNumber {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*)[8], const Parameters& p, T* y) {
    generated::potential_energy(s, c, p.beta, p.gravity, y);
    y[0] = y[0] + p.mount_energy;
  }
};

struct InverseDynamicsDerivatives : OfMotion, GivesMatrices<2, 7, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::inverse_dynamics_derivatives(s, c, x[1], x[2], p.beta, p.gravity, y);
  }
};

struct Regressor : OfMotion, GivesMatrix<7, kBaseParameters> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::regressor(s, c, x[1], x[2], p.gravity, y);
  }
};

struct InverseDynamicsWrench : GivesVector<7> {
  static constexpr int inputs = 4;
  static constexpr int widths[4] = {7, 7, 7, 6};
  static constexpr const char* names[4] = {"q", "qd", "qdd", "wrench"};
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    generated::inverse_dynamics_wrench(s, c, x[1], x[2], x[3], p.beta, p.gravity, p.mount, p.tool,
                                       y);
  }
};

// With tau(q, qd, qdd) the inverse dynamics: dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd, both
// at the acceleration that the torque gives, and dqdd/dtau = M^-1.
struct ForwardDynamicsDerivatives : OfTorque, GivesMatrices<3, 7, 7> {
  template <class T>
  static BK_INLINE void eval(const T* s, const T* c, const T (*x)[8], const Parameters& p, T* y) {
    T M[49], qdd[7];
    generated::inertia(s, c, p.beta, M);
    generated::bias_torque(s, c, x[1], p.beta, p.gravity, qdd);
    const Ldl<T> factors(M);
    for (int i = 0; i < 7; ++i) qdd[i] = x[2][i] - qdd[i];
    factors.template solve<1>(qdd);
    generated::inverse_dynamics_derivatives(s, c, x[1], qdd, p.beta, p.gravity, y);
    for (int i = 0; i < 98; ++i) y[i] = -y[i];
    for (int i = 0; i < 49; ++i) y[98 + i] = i % 8 == 0 ? 1.0 : 0.0;
    for (int m = 0; m < 3; ++m) factors.template solve<7>(y + 49 * m);
  }
};

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
