#ifndef CURSORWIRE_BENCH_SERIES_H_
#define CURSORWIRE_BENCH_SERIES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "bench_client.h"
#include "idle.h"
#include "options.h"
#include "sample.h"

namespace cursorwire::bench {

// All samples of one client for one shape, in the order of repetitions. A value.
struct Series {
  Work work;
  std::string client;
  std::vector<Sample> samples{};
};

using Metric = double Sample::*;

double Median(std::vector<double> values);
double MedianOf(const Series& series, Metric metric);
// The median of the ratios of each repetition to the same repetition of `base`, since a temporary
// disturbance of the machine affects both. 0 if there is nothing to compare.
double MedianRatio(const Series& series, const Series& base, Metric metric);

// One row per series, with its ratios to the client "raw" of the same shape if there is one. Json()
// is one document: {"rows": [{"shape", "client", "messages", "bytes", "streams", "repetitions",
// "cpu_us", "cpu_us_ratio", ...}]}; a value that was not measured is left out.
std::string Render(const std::vector<Series>& all, Format format);
// The same for calls that wait; the values are "client", "streams" and "resident_kib".
std::string Render(const std::vector<IdleCost>& all, Format format);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SERIES_H_
