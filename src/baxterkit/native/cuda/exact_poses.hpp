// Poses of a configuration at double precision, and the distance of two of its primitives.
#pragma once

#include "work.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

// All poses of an arm.
BK_INLINE void exact_arm(const PackedBody& body, const ConfigurationBatch& batch, unsigned row, int arm,
                         double* all) {
  double s[7], c[7];
  BK_UNROLL for (int j = 0; j < 7; ++j) reduced_sincos(batch.arm(arm, row)[j], s[j], c[j]);
  generated::link_poses(s, c, body.mount[arm], kNone, all);
}

BK_INLINE void exact_head(const PackedBody& body, const ConfigurationBatch& batch, unsigned row, double* T) {
  HeadFrame<double> frame;
  double s, c;
  reduced_sincos(batch.pan(row), s, c);
  frame.set(body.pan, s, c);
  for (int i = 0; i < 12; ++i) T[i] = frame.row[i];
}

// Poses of two links.
struct TwoPoses {
  const PackedBody& body;
  const ConfigurationBatch& batch;
  unsigned row;
  int first;
  double T[2][12];

  BK_INLINE TwoPoses(const PackedBody& body, const ConfigurationBatch& batch, unsigned row, int one,
                     int other)
      : body(body), batch(batch), row(row), first(link_of_capsule(body, one)) {
    const int arms = int(body.capsule[0].size() + body.capsule[1].size());
    BK_NO_UNROLL for (int side = 0; side < (other < arms ? 2 : 1); ++side) {
      const int frame = frame_of(link_of_capsule(body, side ? other : one)), arm = frame >= 7;
      double all[8 * 16];
      exact_arm(body, batch, row, arm, all);
      BK_UNROLL for (int i = 0; i < 12; ++i) {
        double x = all[i];
        BK_UNROLL for (int k = 1; k < 7; ++k) x = frame - 7 * arm >= k ? all[16 * k + i] : x;
        T[side][i] = x;
      }
    }
  }
  BK_INLINE void pose(int link, double* to) const {
    for (int i = 0; i < 12; ++i) to[i] = link == first ? T[0][i] : T[1][i];
  }
  BK_INLINE void head_frame(double* to) const { exact_head(body, batch, row, to); }
};

// The distance of a capsule from a primitive with a greater number.
BK_INLINE double exact_gap(const PackedBody& body, const ConfigurationBatch& batch, unsigned row, int one,
                           int other) {
  return clearance_between(TwoPoses(body, batch, row, one, other), one, other);
}

// A pair as one number; of pairs that are equally near, the one with the least is the nearest.
BK_INLINE unsigned long long pair_key(int one, int other) {
  return static_cast<unsigned long long>(unsigned(one)) << 32 | unsigned(other);
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
