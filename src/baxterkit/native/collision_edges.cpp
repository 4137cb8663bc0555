// Swept collision checks for one instruction set (BAXTERKIT_ISA).
#include <cmath>

#include "collision/edge.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

extern bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to,
                  double padding, unsigned char* free);

bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to,
           double padding, unsigned char* free) {
  Edge edge(body);
  for (std::ptrdiff_t row = 0; row < n; ++row) {
    const double* q0[2] = {from.left + row * from.left_stride, from.right + row * from.right_stride};
    const double* q1[2] = {to.left + row * to.left_stride, to.right + row * to.right_stride};
    const double head = from.head[row * from.head_stride];
    double bad = head - head;
    for (int j = 0; j < 14; ++j) {
      const double a = q0[j / 7][j % 7], b = q1[j / 7][j % 7];
      bad += (a - a) + (b - b);
    }
    if (bad != 0.0) return false;
    free[row] = edge.free(q0, q1, head, padding);
  }
  return true;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
