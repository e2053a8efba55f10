#include "cursorwire/local_upstream.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace cursorwire {
namespace {

using nlohmann::json;

constexpr int kFirstStatus = 200;
constexpr int kLastStatus = 599;
constexpr int64_t kLongestLifeSeconds = 315'360'000;

absl::Status BadMember(const std::string& name, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("account: ", name, " must be ", what));
}

absl::Status ReadStatuses(const std::string& name, const json& value, std::vector<int>& statuses) {
  const auto is_status = [](const json& item) {
    return item.is_number_integer() && item >= kFirstStatus && item <= kLastStatus;
  };
  if (!value.is_array() || value.empty() || !std::all_of(value.begin(), value.end(), is_status)) {
    return BadMember(name, "a list of HTTP statuses from 200 to 599");
  }
  statuses = value.get<std::vector<int>>();
  return absl::OkStatus();
}

absl::Status ReadFlag(const std::string& name, const json& value, bool& flag) {
  if (!value.is_boolean()) return BadMember(name, "true or false");
  flag = value.get<bool>();
  return absl::OkStatus();
}

absl::Status ReadMember(const std::string& name, const json& value, LocalAccount& account) {
  if (name == "poll") return ReadStatuses(name, value, account.poll);
  if (name == "exchange") return ReadStatuses(name, value, account.exchange);
  if (name == "usage") return ReadStatuses(name, value, account.usage);
  if (name == "rotates") return ReadFlag(name, value, account.rotates);
  if (name == "checks_tokens") return ReadFlag(name, value, account.checks_tokens);
  if (name == "user") {
    if (!value.is_string()) return BadMember(name, "a text");
    account.user = value.get<std::string>();
    return absl::OkStatus();
  }
  if (name == "token_life") {
    const bool is_good =
        value.is_number_integer() && value >= -kLongestLifeSeconds && value <= kLongestLifeSeconds;
    if (!is_good) return BadMember(name, "a number of seconds");
    account.token_life = std::chrono::seconds(value.get<int64_t>());
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("account: there is no member ", name));
}

}  // namespace

absl::StatusOr<LocalAccount> ParseLocalAccount(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object()) return absl::InvalidArgumentError("account: this is no JSON object");
  LocalAccount account;
  for (const auto& [name, member] : value.items()) {
    if (absl::Status status = ReadMember(name, member, account); !status.ok()) return status;
  }
  return account;
}

}  // namespace cursorwire
