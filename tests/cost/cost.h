#ifndef CURSORWIRE_TESTS_COST_COST_H_
#define CURSORWIRE_TESTS_COST_COST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>

#include "shape.h"
#include "support/copied_bytes.h"
#include "support/heap_bytes.h"
#include "support/source_folder.h"

namespace cursorwire::test {

// The size of a message in these tests, with a text of 58 bytes.
inline constexpr size_t kDeltaBytes = 64;

// What something has taken. A value.
struct Cost {
  double allocations = 0;
  double allocated_bytes = 0;
  double copied_bytes = 0;

  // Of the process until now.
  static Cost Now() {
    return {.allocations = static_cast<double>(HeapAllocations()),
            .allocated_bytes = static_cast<double>(AllocatedHeapBytes()),
            .copied_bytes = static_cast<double>(CopiedBytes())};
  }

  Cost Minus(const Cost& other) const {
    return {.allocations = allocations - other.allocations,
            .allocated_bytes = allocated_bytes - other.allocated_bytes,
            .copied_bytes = copied_bytes - other.copied_bytes};
  }
  Cost Plus(const Cost& other) const {
    return {.allocations = allocations + other.allocations,
            .allocated_bytes = allocated_bytes + other.allocated_bytes,
            .copied_bytes = copied_bytes + other.copied_bytes};
  }
  // Each of the three for itself.
  Cost Least(const Cost& other) const {
    return {.allocations = std::min(allocations, other.allocations),
            .allocated_bytes = std::min(allocated_bytes, other.allocated_bytes),
            .copied_bytes = std::min(copied_bytes, other.copied_bytes)};
  }
  Cost By(double count) const {
    return {.allocations = allocations / count,
            .allocated_bytes = allocated_bytes / count,
            .copied_bytes = copied_bytes / count};
  }

  friend std::ostream& operator<<(std::ostream& out, const Cost& cost) {
    return out << cost.allocations << " allocations, " << cost.allocated_bytes
               << " bytes allocated, " << cost.copied_bytes << " bytes copied";
  }
};

// A turn of `texts` deltas: the prompt that the server of stream-bench understands.
inline std::string PromptFor(size_t texts) {
  return std::string(bench::kPromptWord) + " frame " + std::to_string(texts) + " " +
         std::to_string(kDeltaBytes) + "\n";
}

// The most that a delta may take. Where it gets less, lower the budget, here and in the table
// "What a delta may take" of docs/performance.md.
struct Budget {
  const char* what;
  int allocations;
  int allocated_bytes;
  int copied_bytes;

  std::string Row() const {
    std::ostringstream row;
    row << "| " << what << " | " << allocations << " | " << allocated_bytes << " | " << copied_bytes
        << " |";
    return row.str();
  }
};

// Shows the cost too, for those who lower the budget.
inline void ExpectWithin(const Cost& cost, const Budget& budget) {
  std::cout << budget.what << ": a delta takes " << cost << "\n";
  EXPECT_LE(cost.allocations, budget.allocations);
  EXPECT_LE(cost.allocated_bytes, budget.allocated_bytes);
  EXPECT_LE(cost.copied_bytes, budget.copied_bytes);
}

inline void ExpectWrittenDown(const Budget& budget) {
  std::ostringstream page;
  page << std::ifstream(SourceFolder() + "/docs/performance.md").rdbuf();
  EXPECT_NE(page.str().find(budget.Row()), std::string::npos)
      << "docs/performance.md does not have the line\n"
      << budget.Row();
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_COST_COST_H_
