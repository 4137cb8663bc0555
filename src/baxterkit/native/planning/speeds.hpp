// The fastest motion along a path under limits that are linear in the acceleration and the square of
// the speed along it: TOPP-RA (Pham and Pham 2018).
//
// x is the square of the speed, u the acceleration along the path, constant in each interval, so that
// x goes linearly. In each interval and for each of m rows |a u + b x + c| <= 1 at both of its ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace baxterkit {

// The rows at both ends of each interval: (n, 2, m) each.
struct SpeedTask {
  std::ptrdiff_t n, m;
  const double* length;       // of the intervals (n,)
  const double *a, *b, *c;
  const double* most;         // greatest x at the n + 1 points
};

class Speeds {
 public:
  explicit Speeds(const SpeedTask& task) : task_(task), reach_(task.n + 1) {}

  // x at the n + 1 points; false if there is no such motion.
  bool solve(double* x) {
    reach_[task_.n] = task_.most[task_.n];
    for (std::ptrdiff_t i = task_.n - 1; i >= 0; --i) {
      if (!greatest(i, reach_[i + 1], &reach_[i])) return false;
    }
    x[0] = reach_[0];
    for (std::ptrdiff_t i = 0; i < task_.n; ++i) {
      set(i, reach_[i + 1]);
      const double u = bounds(x[i]).high;
      x[i + 1] = std::min(std::max(x[i] + 2.0 * task_.length[i] * u, 0.0), reach_[i + 1]);
    }
    return true;
  }

 private:
  struct Line {
    double slope, offset;  // u below or above slope x + offset
  };
  struct Bounds {
    double low, high;
    Line low_line, high_line;
  };
  static constexpr double kTiny = 1e-12;  // a row that u does not matter for
  static constexpr int kMostSteps = 200;
  const SpeedTask& task_;
  std::vector<double> reach_;
  std::vector<Line> low_, high_;
  double most_;  // of x, from rows without u

  // alpha u + beta x + gamma <= 1
  void add(double alpha, double beta, double gamma) {
    if (std::fabs(alpha) < kTiny) {
      if (beta > kTiny) most_ = std::min(most_, (1.0 - gamma) / beta);
      else if (gamma > 1.0) most_ = -1.0;
      return;
    }
    (alpha > 0.0 ? high_ : low_).push_back({-beta / alpha, (1.0 - gamma) / alpha});
  }

  void set(std::ptrdiff_t i, double next) {
    low_.clear();
    high_.clear();
    most_ = task_.most[i];
    const double h = 2.0 * task_.length[i];
    for (int end = 0; end < 2; ++end) {
      const std::ptrdiff_t at = (2 * i + end) * task_.m;
      for (std::ptrdiff_t k = at; k < at + task_.m; ++k) {
        const double a = task_.a[k] + (end ? h * task_.b[k] : 0.0), b = task_.b[k], c = task_.c[k];
        add(a, b, c);
        add(-a, -b, -c);
      }
    }
    high_.push_back({-1.0 / h, next / h});  // 0 <= x + h u <= next
    low_.push_back({-1.0 / h, 0.0});
  }

  Bounds bounds(double x) const {
    Bounds r = {-INFINITY, INFINITY, {}, {}};
    for (const Line& line : low_) {
      const double u = line.slope * x + line.offset;
      if (u > r.low) r.low = u, r.low_line = line;
    }
    for (const Line& line : high_) {
      const double u = line.slope * x + line.offset;
      if (u < r.high) r.high = u, r.high_line = line;
    }
    return r;
  }

  // The greatest x from which some u leads to at most `next`: Newton's method on the room between
  // the bounds of u, which is concave in x.
  bool greatest(std::ptrdiff_t i, double next, double* x) {
    set(i, next);
    double at = most_;
    for (int step = 0; step < kMostSteps && at >= 0.0; ++step) {
      const Bounds u = bounds(at);
      if (u.high >= u.low) {
        *x = at;
        return true;
      }
      const double slope = u.high_line.slope - u.low_line.slope;
      if (!(slope < 0.0)) return false;
      const double next_at = (u.low_line.offset - u.high_line.offset) / slope;
      if (!(next_at < at)) at -= 1e-12 * std::max(1.0, at);
      else at = next_at;
    }
    const Bounds u = bounds(0.0);
    *x = 0.0;
    return u.high >= u.low;
  }
};

}  // namespace baxterkit
