#ifndef CURSORWIRE_BENCH_SERIES_H_
#define CURSORWIRE_BENCH_SERIES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "sample.h"
#include "shape.h"

namespace cursorwire::bench {

// All samples of one client for one shape, in the order of repetitions. A value.
struct Series {
  const Shape* shape;
  std::string client;
  size_t messages;
  std::vector<Sample> samples{};
};

using Metric = double Sample::*;

double Median(std::vector<double> values);
double MedianOf(const Series& series, Metric metric);
// The median of the ratios of each repetition to the same repetition of `base`, since a temporary
// disturbance of the machine affects both. 0 if there is nothing to compare.
double MedianRatio(const Series& series, const Series& base, Metric metric);

// One row per series, with its ratios to the client "raw" of the same shape if there is one.
std::string Table(const std::vector<Series>& all);
std::string Json(const std::vector<Series>& all);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SERIES_H_
