#include "series.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

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
    if (other.work.shape.kind == series.work.shape.kind && other.client == kBaseClient) {
      return &other;
    }
  }
  return nullptr;
}

std::string Cell(double value, double ratio) {
  if (value == 0) return "-";
  if (ratio == 0) return absl::StrFormat("%.2f%7s", value, "");
  return absl::StrFormat("%.2f (%4.2f)", value, ratio);
}

using Row = std::vector<std::string>;

Row RowOf(const Series& series, const std::vector<Series>& all) {
  Row row = {series.work.shape.name, series.client, absl::StrCat(series.work.messages)};
  const Series* base = BaseOf(series, all);
  for (const Column& column : kColumns) {
    const double ratio = base == nullptr ? 0 : MedianRatio(series, *base, column.metric);
    row.push_back(Cell(MedianOf(series, column.metric), ratio));
  }
  return row;
}

nlohmann::json JsonOf(const Series& series, const std::vector<Series>& all) {
  nlohmann::json row = {
      {"shape", series.work.shape.name},  {"client", series.client},
      {"messages", series.work.messages}, {"bytes", series.work.shape.message_bytes},
      {"streams", series.work.streams},   {"repetitions", series.samples.size()}};
  const Series* base = BaseOf(series, all);
  for (const Column& column : kColumns) {
    const double value = MedianOf(series, column.metric);
    if (value == 0) continue;
    row[column.key] = value;
    if (base != nullptr) {
      row[std::string(column.key) + "_ratio"] = MedianRatio(series, *base, column.metric);
    }
  }
  return row;
}

std::string Document(nlohmann::json rows) {
  return nlohmann::json{{"rows", std::move(rows)}}.dump(2) + "\n";
}

std::string MarkdownTable(const Row& head, const std::vector<Row>& rows) {
  std::string table = absl::StrCat("| ", absl::StrJoin(head, " | "), " |\n|");
  for (size_t i = 0; i < head.size(); ++i) table += " --- |";
  for (const Row& row : rows) absl::StrAppend(&table, "\n| ", absl::StrJoin(row, " | "), " |");
  return table + "\n";
}

// The first two columns are texts.
std::string PlainTable(const Row& head, const std::vector<Row>& rows) {
  std::string table;
  const auto add = [&table](const Row& row) {
    absl::StrAppendFormat(&table, "%-9s %-14s", row[0], row[1]);
    for (size_t i = 2; i < row.size(); ++i) absl::StrAppendFormat(&table, " %18s", row[i]);
    table += "\n";
  };
  add(head);
  for (const Row& row : rows) add(row);
  return table;
}

std::string Rows(const Row& head, const std::vector<Row>& rows, Format format) {
  return format == Format::kMarkdown ? MarkdownTable(head, rows) : PlainTable(head, rows);
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

std::string Render(const std::vector<Series>& all, Format format) {
  if (format == Format::kJson) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Series& series : all) rows.push_back(JsonOf(series, all));
    return Document(std::move(rows));
  }
  Row head = {"shape", "client", "messages"};
  for (const Column& column : kColumns) head.emplace_back(column.name);
  std::vector<Row> rows;
  rows.reserve(all.size());
  for (const Series& series : all) rows.push_back(RowOf(series, all));
  return Rows(head, rows, format);
}

std::string Render(const std::vector<IdleCost>& all, Format format) {
  nlohmann::json documents = nlohmann::json::array();
  std::vector<Row> rows;
  for (const IdleCost& cost : all) {
    documents.push_back(
        {{"client", cost.client}, {"streams", cost.streams}, {"resident_kib", cost.resident}});
    rows.push_back(
        {"idle", cost.client, absl::StrCat(cost.streams), absl::StrFormat("%.2f", cost.resident)});
  }
  if (format == Format::kJson) return Document(std::move(documents));
  return Rows({"shape", "client", "streams", "KiB a stream"}, rows, format);
}

}  // namespace cursorwire::bench
