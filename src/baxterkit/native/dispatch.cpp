// Which instruction set to run: the best that this processor has, or the one that is asked for.
#include <cstring>

#include "kernels.hpp"
#include "processor.hpp"

namespace baxterkit {

#define BK_DECLARE(isa)           \
  namespace isa {                 \
  extern const KernelTable table; \
  }
#ifdef BAXTERKIT_HAS_baseline
BK_DECLARE(baseline)
#endif
#ifdef BAXTERKIT_HAS_avx2
BK_DECLARE(avx2)
#endif
#ifdef BAXTERKIT_HAS_avx512
BK_DECLARE(avx512)
#endif

namespace {

#if defined(BAXTERKIT_HAS_avx512) && defined(BAXTERKIT_HAS_avx2)
// Beside avx2, avx512 has what its width is best for, the kernels in batches; single calls, inverse kinematics,
// collision checks and planning are those of avx2, with the same bits.
struct Wide {
  Kernel kernels[kernel_count];
  KernelTable table = avx512::table;

  Wide() {
    for (int i = 0; i < kernel_count; ++i) {
      kernels[i] = avx512::table.kernels[i];
      kernels[i].one = avx2::table.kernels[i].one;
    }
    table.kernels = kernels;
    table.ik = avx2::table.ik;
    table.collision = avx2::table.collision;
    table.plan = avx2::table.plan;
  }
};

const KernelTable& wide() {
  static const Wide both;
  return both.table;
}
#elif defined(BAXTERKIT_HAS_avx512)
const KernelTable& wide() { return avx512::table; }
#endif

struct Tables {
  const KernelTable* tables[4] = {};
  const char* names[4] = {};

  Tables() {
    int n = 0;
#ifdef BAXTERKIT_HAS_avx512
    if (Processor().avx512) tables[n++] = &wide();
#endif
#ifdef BAXTERKIT_HAS_avx2
    if (Processor().avx2) tables[n++] = &avx2::table;
#endif
#ifdef BAXTERKIT_HAS_baseline
    tables[n++] = &baseline::table;
#endif
    for (int i = 0; i < n; ++i) names[i] = tables[i]->isa;
  }
};

const Tables& all() {
  static const Tables tables;
  return tables;
}

}  // namespace

const KernelTable* choose_table(const char* wanted) {
  for (const KernelTable* table : all().tables) {
    if (table && (!wanted || std::strcmp(table->isa, wanted) == 0)) return table;
  }
  return nullptr;
}

const char* const* available_isas() { return all().names; }

}  // namespace baxterkit
