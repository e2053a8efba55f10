#include <absl/strings/str_cat.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cursorwire/run_options.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

constexpr char kMore[] = "(more)";

}  // namespace

struct DriftLog::Impl {
  mutable std::mutex mutex;
  std::map<std::string, uint64_t> counts;  // guarded by mutex; kMore is one extra entry
};

DriftLog::DriftLog() : impl_(std::make_unique<Impl>()) {}
DriftLog::~DriftLog() = default;

bool DriftLog::Add(std::string_view path) {
  std::string name(path);
  const std::lock_guard lock(impl_->mutex);
  if (const auto known = impl_->counts.find(name); known != impl_->counts.end()) {
    ++known->second;
    return false;
  }
  if (impl_->counts.size() >= kMaxPaths) {
    ++impl_->counts[kMore];
    return false;  // unknown whether this path is new
  }
  impl_->counts.emplace(std::move(name), 1);
  return true;
}

std::map<std::string, uint64_t> DriftLog::Counts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counts;
}

std::string DriftToJson(const std::map<std::string, uint64_t>& counts) {
  std::string json = R"({"drift":[)";
  const char* separator = "";
  for (const auto& [path, count] : counts) {
    absl::StrAppend(&json, separator, R"({"path":)");
    wire::AppendJsonString(path, json);
    absl::StrAppend(&json, R"(,"count":)", count, "}");
    separator = ",";
  }
  return json.append("]}");
}

}  // namespace cursorwire
