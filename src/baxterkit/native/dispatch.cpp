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

struct Tables {
  const KernelTable* tables[4] = {};
  const char* names[4] = {};

  Tables() {
    int n = 0;
#ifdef BAXTERKIT_HAS_avx512
    if (Processor().avx512) tables[n++] = &avx512::table;
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
