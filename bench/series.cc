#include "series.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace cursorwire::bench {
namespace {

constexpr std::string_view kBaseClient = "raw";

struct Column {
  const char* name;
  const char* key;
  Metric metric;
};

constexpr Column kColumns[] = {{"CPU us/msg", "cpu_us", &Sample::cpu},
                               {"wall us/msg", "wall_us", &Sample::wall},
                               {"p50 us", "p50_us", &Sample::p50},
                               {"p99 us", "p99_us", &Sample::p99}};

const Series* BaseOf(const Series& series, const std::vector<Series>& all) {
  for (const Series& other : all) {
    if (other.shape == series.shape && other.client == kBaseClient) return &other;
  }
  return nullptr;
}

std::string Cell(double value, double ratio) {
  if (value == 0) return absl::StrFormat("%18s", "-");
  if (ratio == 0) return absl::StrFormat("%11.2f%7s", value, "");
  return absl::StrFormat("%11.2f (%4.2f)", value, ratio);
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianOf(const Series& series, Metric metric) {
  std::vector<double> values;
  for (const Sample& sample : series.samples) values.push_back(sample.*metric);
  return Median(std::move(values));
}

double MedianRatio(const Series& series, const Series& base, Metric metric) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(series.samples.size(), base.samples.size()); ++i) {
    const double value = base.samples[i].*metric;
    if (value > 0) ratios.push_back(series.samples[i].*metric / value);
  }
  return Median(std::move(ratios));
}

std::string Table(const std::vector<Series>& all) {
  std::string table = absl::StrFormat("%-9s %-18s %8s", "shape", "client", "messages");
  for (const Column& column : kColumns) absl::StrAppendFormat(&table, " %18s", column.name);
  table += "\n";
  for (const Series& series : all) {
    absl::StrAppendFormat(&table, "%-9s %-18s %8u", series.shape->name, series.client,
                          series.messages);
    const Series* base = BaseOf(series, all);
    for (const Column& column : kColumns) {
      const double ratio = base == nullptr ? 0 : MedianRatio(series, *base, column.metric);
      absl::StrAppendFormat(&table, " %s", Cell(MedianOf(series, column.metric), ratio));
    }
    table += "\n";
  }
  return table;
}

std::string Json(const std::vector<Series>& all) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Series& series : all) {
    nlohmann::json row = {{"shape", series.shape->name},
                          {"client", series.client},
                          {"messages", series.messages},
                          {"repetitions", series.samples.size()}};
    const Series* base = BaseOf(series, all);
    for (const Column& column : kColumns) {
      const double value = MedianOf(series, column.metric);
      if (value == 0) continue;
      row[column.key] = value;
      if (base != nullptr) {
        row[std::string(column.key) + "_ratio"] = MedianRatio(series, *base, column.metric);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows.dump(2) + "\n";
}

}  // namespace cursorwire::bench
