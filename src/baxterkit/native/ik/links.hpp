// The links of a self-motion, eight at a time: their ends and cubics in lanes.
#pragma once

#include "piece.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {
namespace ik {

// A link, by one of its ends.
struct LinkEnd {
  int node, port;
};

// Eight pieces of curve: see Piece.
struct Links8 {
  Oct a[7], chord[7], slope_a[7], slope_b[7];
};

// Both ends of up to eight links, with tangents from the first end to the second; the first link
// fills the lanes that are left.
struct LinkEnds8 {
  double q[2][7][kOct], tangent[2][7][kOct];

  LinkEnds8(const SelfMotion& m, const LinkEnd* x, int n) {
    for (int i = 0; i < kOct; ++i) {
      const LinkEnd e = x[i < n ? i : 0];
      const MotionNode& a = m.node[e.node];
      const MotionNode& b = m.node[a.link[e.port]];
      const double sign_a = e.port == 1 ? 1.0 : -1.0, sign_b = a.port[e.port] == 0 ? 1.0 : -1.0;
      for (int k = 0; k < 7; ++k) {
        q[0][k][i] = a.q[k], tangent[0][k][i] = sign_a * a.tangent[k];
        q[1][k][i] = b.q[k], tangent[1][k][i] = sign_b * b.tangent[k];
      }
    }
  }
};

inline Links8 links8(const SelfMotion& m, const LinkEnd* x, int n) {
  const LinkEnds8 ends(m, x, n);
  const auto &q = ends.q, &tangent = ends.tangent;
  Links8 p;
  Oct length2(0.0), along_a(0.0), along_b(0.0);
  for (int k = 0; k < 7; ++k) {
    p.a[k] = Oct::load(q[0][k]);
    const Oct d = Oct::load(q[1][k]) - p.a[k];
    p.chord[k] = fnma(nearest(d * (0.5 / kPi)), Oct(2.0 * kPi), d);
    length2 = fma(p.chord[k], p.chord[k], length2);
    along_a = fma(p.chord[k], Oct::load(tangent[0][k]), along_a);
    along_b = fma(p.chord[k], Oct::load(tangent[1][k]), along_b);
  }
  const Oct least = max(kAlongChord * sqrt(length2), Oct(kTiny));
  const Oct scale_a = length2 / max(along_a, least), scale_b = length2 / max(along_b, least);
  for (int k = 0; k < 7; ++k) {
    p.slope_a[k] = scale_a * Oct::load(tangent[0][k]);
    p.slope_b[k] = scale_b * Oct::load(tangent[1][k]);
  }
  return p;
}

BK_INLINE Oct cubic_at(const Links8& p, int k, double u) {
  const double v = 1 - u;
  const Oct rise = (u * v * v) * p.slope_a[k] - (u * u * v) * p.slope_b[k];
  return fma(Oct(u * u * (3 - 2 * u)), p.chord[k], p.a[k] + rise);
}

// Which links have been seen: the neighbour at that time, for each port of the first `nodes`.
struct SeenLinks {
  int nodes;
  int link[kMaxMotionNodes][2];
};

// Calls use(links, n) with all links that have come since the last call, each once, up to eight at
// a time.
template <class Use>
inline void visit_new_links(const SelfMotion& m, SeenLinks* seen, const Use& use) {
  for (; seen->nodes < m.nodes; ++seen->nodes) {
    seen->link[seen->nodes][0] = seen->link[seen->nodes][1] = -1;
  }
  LinkEnd some[kOct];
  int n = 0;
  for (int i = 0; i < m.nodes; ++i) {
    for (int port = 0; port < 2; ++port) {
      const int other = m.node[i].link[port];
      if (other < 0 || other == seen->link[i][port]) continue;
      seen->link[i][port] = other;
      if (i > other && m.node[other].link[m.node[i].port[port]] == i) continue;
      some[n++] = {i, port};
      if (n < kOct) continue;
      use(some, n);
      n = 0;
    }
  }
  if (n > 0) use(some, n);
}

}  // namespace ik
}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
