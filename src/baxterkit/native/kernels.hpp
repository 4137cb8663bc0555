// The interface of the kernels of every instruction set: plain functions in a table.
// No vector types here, so that the binding can be compiled for any machine.
#pragma once

#include <cstddef>

#include "generated/kernel_list.hpp"

namespace baxterkit {

constexpr int kJoints = 7;
constexpr int kBaseParameters = 45;

constexpr int kHarmonics = 4;

// Joint effects, which add to the torques of the rigid arm; zero where there are none.
template <class Real>
struct EffectsOf {
  Real bias[kJoints];                 // [N m]
  Real viscous[kJoints];              // [N m s/rad]
  Real coulomb[kJoints];              // dry friction [N m]
  Real speed_squared[kJoints];        // of the speed at which it turns round [rad²/s²], above zero
  Real sine[kHarmonics][kJoints];     // springs: coefficients of sin(k q) [N m]
  Real cosine[kHarmonics][kJoints];   // and of cos(k q)
  int harmonics;                      // how many of them there are
};
using Effects = EffectsOf<double>;
constexpr int kEffectNumbers = (4 + 2 * kHarmonics) * kJoints;

// What one arm is, beyond the geometry that is folded into the generated code.
template <class Real>
struct ParametersOf {
  Real mount[12];               // T_base_s0, rows of [R | p]
  Real tool[12];                // T_hand_tip, rows of [R | p]
  Real beta[kBaseParameters];   // inertial base parameters, tool and payload included
  Real gravity[3];              // gravity in s0 axes over the chain's unit of length [1/s²]
  Real mount_energy;            // constant part of the potential energy [J]
  EffectsOf<Real> effects;
};
using Parameters = ParametersOf<double>;

// One array argument: `row_stride` bytes from one sample to the next (0 if it is broadcast),
// `column_stride` bytes from one component to the next.
struct Operand {
  const char* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
};

struct Kernel {
  const char* name;
  int n_inputs;
  const char* inputs[kMaxInputs];  // argument names, for messages
  int widths[kMaxInputs];          // components of each argument
  int out_ndim;
  int out_dims[kMaxOutputDims];
  int out_size;
  // n samples; the components of one output are contiguous. `past_cache`: the whole result is too
  // large to be found in the cache later. False if any input is not finite.
  bool (*rows)(std::ptrdiff_t n, const Operand* in, char* out, std::ptrdiff_t out_stride, bool past_cache,
               const Parameters& parameters);
  // One sample, everything contiguous.
  bool (*one)(const double* const* in, double* out, const Parameters& parameters);
};

struct IkTable;         // ik_table.hpp
struct CollisionTable;  // collision_table.hpp
struct PlanTable;       // planning_table.hpp

struct KernelTable {
  const char* isa;
  int width;
  int count;
  const Kernel* kernels;
  const IkTable* ik;
  const CollisionTable* collision;
  const PlanTable* plan;
};

// In the order of the table that the list is generated from.
enum KernelId {
#define X(name, Struct, doc) kernel_##name,
  BAXTERKIT_KERNELS(X)
#undef X
      kernel_count
};

// Chooses the best table that this processor runs, or the one that `wanted` names (null if this
// processor or build has none of that name).
const KernelTable* choose_table(const char* wanted);
// Names of the tables that this processor runs, best first, null-terminated.
const char* const* available_isas();

}  // namespace baxterkit
