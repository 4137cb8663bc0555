// Swept collision checks for one instruction set (BAXTERKIT_ISA).
#include <cmath>

#include "collision/edge.hpp"
#include "collision/tube.hpp"

namespace baxterkit {
namespace BAXTERKIT_ISA {

extern bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to,
                  double padding, unsigned char* free);

bool edges(const BodyShape& body, std::ptrdiff_t n, const BodyRows& from, const BodyRows& to, double padding,
           unsigned char* free) {
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

extern bool tubes(const BodyShape& body, std::ptrdiff_t n, const double* q0, const double* q1,
                  const double* width, const double* head, double padding, int most, unsigned char* verdict,
                  double* at);

bool tubes(const BodyShape& body, std::ptrdiff_t n, const double* q0, const double* q1, const double* width,
           const double* head, double padding, int most, unsigned char* verdict, double* at) {
  Tube tube(body);
  for (std::ptrdiff_t row = 0; row < n; ++row) {
    const double *a = q0 + 14 * row, *b = q1 + 14 * row, *w = width + 14 * row;
    double bad = head[row] - head[row];
    for (int j = 0; j < 14; ++j) bad += (a[j] - a[j]) + (b[j] - b[j]) + (w[j] - w[j]);
    if (bad != 0.0) return false;
    verdict[row] = tube.free(a, b, w, head[row], padding, most, at + 14 * row);
  }
  return true;
}

}  // namespace BAXTERKIT_ISA
}  // namespace baxterkit
