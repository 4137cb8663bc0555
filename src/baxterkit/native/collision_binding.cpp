// The type BodyChecker of the extension: collision checks of the whole robot.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "arguments.hpp"
#include "collision_shape.hpp"
#include "generated/body_checker.hpp"
#include "objects.hpp"
#include "spread.hpp"

namespace baxterkit {
namespace {

constexpr npy_intp kBlock = 1024;       // rows that a thread takes at a time
constexpr npy_intp kPerThread = 2048;   // below this, another thread costs more than it brings
constexpr npy_intp kWithGil = 32;       // below this, releasing the GIL costs more than it brings

// Says what is wrong with a link's number or a capsule.
bool refuse(const char* why) {
  PyErr_Format(PyExc_ValueError, "BodyChecker: %s", why);
  return false;
}

// Rows of an arm's capsules: link, start, end, radius.
bool read_capsules(const double* rows, npy_intp count, std::vector<BodyCapsule>* capsules) {
  int last = 0;
  for (const double* row = rows; row < rows + 8 * count; row += 8) {
    BodyCapsule c;
    c.link = static_cast<int>(row[0]);
    std::copy(row + 1, row + 4, c.start);
    std::copy(row + 4, row + 7, c.end);
    c.radius = row[7];
    const bool fine =
        c.link >= last && c.link < kArmLinks && c.radius >= 0.0 && !std::equal(c.start, c.start + 3, c.end);
    if (!fine) return refuse("capsules must be sorted by link, have a length and no negative radius");
    last = c.link;
    capsules->push_back(c);
  }
  return true;
}

// The boxes of the body and of the world; which links are checked against each goes to `allowed`.
class Boxes {
 public:
  Boxes(BodyShape& shape, const body_checker::New& a) : shape_(shape) {
    // Room for all at once: boxes point to their axes, and a million of them are not to be moved.
    npy_intp count = a.b;
    for (const records::WorldBoxes& one : a.world_boxes) count += one.n;
    shape.box.reserve(count);
    shape.axes.reserve(a.b + a.world_boxes.size());
    allowed.reserve(count);
  }

  // Rows of link, centre, axes, half sizes, radius; `standing` has the links checked against each part.
  bool add_body(const double* rows, npy_intp count, const std::uint32_t* standing) {
    for (const double* row = rows; row < rows + 17 * count; row += 17) {
      const int link = static_cast<int>(row[0]);
      if (link < kTorso || link >= kWorld) return refuse("a box is of the torso, the pedestal or the head");
      add(row + 1, row + 13, row[16], add_axes(row + 4), link, standing[link]);
    }
    return true;
  }

  void add_world(const records::WorldBoxes& one) {
    const double* axes = add_axes(one.axes);
    for (npy_intp i = 0; i < one.n; ++i) {
      add(one.centers + 3 * i, one.halves.data + one.halves.stride * i, one.radius, axes, kWorld,
          static_cast<std::uint32_t>(one.links));
    }
  }

  std::vector<std::uint32_t> allowed;

 private:
  BodyShape& shape_;

  const double* add_axes(const double* axes) {
    shape_.axes.emplace_back();
    std::copy(axes, axes + 9, shape_.axes.back().data());
    return shape_.axes.back().data();
  }
  void add(const double* center, const double* half, double radius, const double* axes, int link,
           std::uint32_t links) {
    BodyBox box;
    std::copy(center, center + 3, box.center);
    std::copy(half, half + 3, box.half);
    box.radius = radius;
    box.axes = axes;
    box.link = link;
    shape_.box.push_back(box);
    allowed.push_back(links);
  }
};

// Pairs of links that are checked: of moving ones in the shape, of others in `standing`.
bool read_pairs(const int* pairs, npy_intp count, BodyShape& shape, std::uint32_t* standing) {
  std::fill(shape.allowed, shape.allowed + kMovingLanes, 0);
  for (npy_intp p = 0; p < count; ++p) {
    const int one = pairs[2 * p], other = pairs[2 * p + 1];
    if (one < 0 || one >= kMoving || other <= one || other >= kWorld) {
      return refuse("a pair is a link of an arm and a link of a greater number");
    }
    if (other < kMoving) shape.allowed[one] |= 1u << other;
    else standing[other] |= 1u << one;
  }
  return true;
}

void read_others(const body_checker::New& a, BodyShape& shape) {
  std::vector<BodyCylinder> cylinders;
  for (const double* row = a.cylinders; row < a.cylinders + 9 * a.c; row += 9) {
    BodyCylinder c;
    c.allowed = static_cast<std::uint32_t>(row[0]);
    std::copy(row + 1, row + 4, c.center);
    std::copy(row + 4, row + 7, c.axis);
    c.half = row[7];
    c.radius = row[8];
    cylinders.push_back(c);
  }
  std::vector<BodyPlane> planes;
  for (const double* row = a.planes; row < a.planes + 5 * a.h; row += 5) {
    BodyPlane p;
    p.allowed = static_cast<std::uint32_t>(row[0]);
    std::copy(row + 1, row + 4, p.normal);
    p.offset = row[4];
    planes.push_back(p);
  }
  set_others(shape, cylinders, planes);
}

// Rows of both arms and of the pan.
template <class Arguments>
BodyRows rows_of(const Arguments& a) {
  return {a.left.data, a.right.data, a.head.data, a.left.stride, a.right.stride, a.head.stride};
}

// Whether no angle of n joints, nor the pan and the margin, is so large that it may be in degrees or
// millimetres: Python then looks at it.
bool plausible(const double* q, npy_intp n, double pan, double margin) {
  const UnitBounds& most = unit_bounds();
  bool near = std::fabs(pan) <= most.one_turn && std::fabs(margin) <= most.wide;
  for (npy_intp i = 0; i < n; ++i) near &= std::fabs(q[i]) <= most.far_angle;
  return near;
}

// work(first, count) on blocks of [0, n), on several threads; refused if it says so of one.
template <class Work>
End spread(npy_intp n, const Work& work) {
  if (n < kWithGil) return n == 0 || work(0, n) ? End::fine : End::refused;
  std::atomic<npy_intp> next{0};
  std::atomic<bool> fine{true};
  Spread threads;
  const npy_intp useful = std::max<npy_intp>(1, n / kPerThread);
  const int count = static_cast<int>(std::min<npy_intp>(thread_count(), useful));
  const bool calm = threads.run(count, [&] {
    while (!threads.stopped()) {
      const npy_intp first = next.fetch_add(kBlock);
      if (first >= n) return;
      if (!work(first, std::min(kBlock, n - first))) fine = false;
    }
  });
  if (!calm) return End::raised;
  return fine ? End::fine : End::refused;
}

const CollisionTable& table_in_use() { return *active_table()->collision; }

}  // namespace

namespace body_checker {

End make(const New& a, Holder<BodyChecker>& object) {
  std::unique_ptr<BodyChecker> checker(new (std::nothrow) BodyChecker());
  if (!checker) return End::fine;
  BodyShape& shape = checker->shape;
  std::copy(a.pan, a.pan + 12, shape.pan);
  const ArmKernels* arms[2] = {a.left, a.right};
  for (int arm = 0; arm < 2; ++arm) {
    const double* mount = arms[arm]->parameters.mount;
    std::copy(mount, mount + 12, shape.mount[arm]);
  }
  std::vector<BodyCapsule> capsules[2];
  std::uint32_t standing[kWorld] = {};
  Boxes boxes(shape, a);
  const bool fine = read_capsules(a.left_capsules, a.l, &capsules[0]) &&
                    read_capsules(a.right_capsules, a.r, &capsules[1]) &&
                    (set_capsules(shape, capsules) || refuse("an arm has too many capsules")) &&
                    read_pairs(a.pairs, a.p, shape, standing) && boxes.add_body(a.boxes, a.b, standing);
  if (!fine) return End::raised;
  set_reaches(shape, a.reaches);
  for (const records::WorldBoxes& one : a.world_boxes) boxes.add_world(one);
  set_boxes(shape, boxes.allowed);
  read_others(a, shape);
  object.keep(checker.release());
  return End::fine;
}

End hit(BodyChecker& self, const Hit& a, bool& result) {
  if (!plausible(a.left, 7, a.head, a.margin) || !plausible(a.right, 7, a.head, a.margin)) {
    return End::refused;
  }
  const int verdict = table_in_use().hit(self.shape, a.left, a.right, a.head, a.margin);
  result = verdict > 0;
  return verdict < 0 ? End::refused : End::fine;
}

End hits(BodyChecker& self, const Hits& a, Made<NPY_BOOL>& result) {
  const BodyRows rows = rows_of(a);
  unsigned char* out = result.data();
  const CollisionTable& table = table_in_use();
  return spread(a.n, [&](npy_intp first, npy_intp count) {
    return table.hits(self.shape, count, rows.from(first), a.margin, out + first);
  });
}

End clearances(BodyChecker& self, const Clearances& a, Made<NPY_DOUBLE>& result) {
  const BodyRows rows = rows_of(a);
  double* out = result.data();
  const CollisionTable& table = table_in_use();
  return spread(a.n, [&](npy_intp first, npy_intp count) {
    return table.clearances(self.shape, count, rows.from(first), out + first);
  });
}

End nearest(BodyChecker& self, const Nearest& a, records::BodyNearest& result) {
  const BodyRows rows = rows_of(a);
  double *clearance = result.clearance.data(), *point = result.points.data(),
         *gradient = result.gradient.data();
  int* primitive = result.primitives.data();
  const CollisionTable& table = table_in_use();
  return spread(a.n, [&](npy_intp first, npy_intp count) {
    constexpr npy_intp kRows = 64;
    baxterkit::BodyNearest found[kRows];
    for (npy_intp start = first; start < first + count; start += kRows) {
      const npy_intp n = std::min(kRows, first + count - start);
      if (!table.nearest(self.shape, n, rows.from(start), found)) return false;
      for (npy_intp i = 0; i < n; ++i) {
        const npy_intp k = start + i;
        clearance[k] = found[i].clearance;
        std::copy(found[i].primitive, found[i].primitive + 2, primitive + 2 * k);
        std::copy(found[i].point[0], found[i].point[0] + 6, point + 6 * k);
        std::copy(found[i].gradient, found[i].gradient + 14, gradient + 14 * k);
      }
    }
    return true;
  });
}

End edge(BodyChecker& self, const Edge& a, bool& result) {
  if (!plausible(a.q0, 14, a.head, a.margin) || !plausible(a.q1, 14, a.head, a.margin)) {
    return End::refused;
  }
  const BodyRows from = {a.q0, a.q0 + 7, &a.head, 0, 0, 0}, to = {a.q1, a.q1 + 7, &a.head, 0, 0, 0};
  unsigned char clear = 0;
  const bool fine = table_in_use().edges(self.shape, 1, from, to, a.margin, &clear);
  result = clear;
  return fine ? End::fine : End::refused;
}

End edges(BodyChecker& self, const Edges& a, Made<NPY_BOOL>& result) {
  const auto& head = a.head;
  BodyRows ends[2];
  for (int end = 0; end < 2; ++end) {
    const auto& q = end == 0 ? a.q0 : a.q1;
    if (!a.checked && a.n) {  // the first and the last row
      const double* last = q.data + q.stride * (a.n - 1);
      if (!plausible(q.data, 14, *head.data, a.margin) ||
          !plausible(last, 14, head.data[head.stride * (a.n - 1)], a.margin)) {
        return End::refused;
      }
    }
    ends[end] = {q.data, q.data + 7, head.data, q.stride, q.stride, head.stride};
  }
  unsigned char* out = result.data();
  const CollisionTable& table = table_in_use();
  return spread(a.n, [&](npy_intp first, npy_intp count) {
    return table.edges(self.shape, count, ends[0].from(first), ends[1].from(first), a.margin, out + first);
  });
}

End tubes(BodyChecker& self, const Tubes& a, records::TubeVerdicts& result) {
  unsigned char* verdict = result.verdict.data();
  double* where = result.where.data();
  const CollisionTable& table = table_in_use();
  return spread(a.n, [&](npy_intp first, npy_intp count) {
    const npy_intp row = 14 * first;
    return table.tubes(self.shape, count, a.q0 + row, a.q1 + row, a.width + row, a.head + first, a.margin,
                       static_cast<int>(a.most), verdict + first, where + row);
  });
}

End packed(BodyChecker& self, const Packed& a, records::PackedBody& result) {
  std::vector<unsigned char> bytes;
  const baxterkit::PackedBody body =
      pack(self.shape, static_cast<std::uint64_t>(a.address), 1e-3f * static_cast<float>(a.cell), bytes);
  const auto* header = reinterpret_cast<const unsigned char*>(&body);
  const bool fine = result.header.copy(header, {static_cast<npy_intp>(sizeof body)}) &&
                    result.numbers.copy(bytes.data(), {static_cast<npy_intp>(bytes.size())});
  return fine ? End::fine : End::raised;
}

}  // namespace body_checker
}  // namespace baxterkit
