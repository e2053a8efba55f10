#include "upstream/script/open_ask.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/sha256.h"
#include "upstream/script/ask_kind.h"

namespace cursorwire::upstream {
namespace {

// Says if a result cannot answer what was asked. Source: docs/protocol.md, execs and interaction
// queries.
std::optional<std::string> FindWrongKind(const OpenAsk& ask) {
  const std::string asked = AskedKind(*ask.ask);
  for (const std::string& kind : ask.kinds) {
    if (IsAnswerTo(asked, kind)) continue;
    return absl::StrCat(asked.empty() ? "what no schema knows" : asked, " was answered with ",
                        kind.empty() ? "nothing" : kind);
  }
  return std::nullopt;
}

std::optional<std::string> FindMissOrOther(const OpenAsk& ask) {
  std::string data;
  const Json& result = ask.results.back();
  if (!result.contains("blob_data")) return "the client does not have the blob";
  const bool decoded = absl::Base64Unescape(result["blob_data"].get<std::string>(), &data);
  const std::string& id = ask.sent.kv_server_message().get_blob_args().blob_id();
  if (decoded && Sha256(data) == id) return std::nullopt;
  return "the blob does not match its id";
}

std::optional<std::string> FindWrongThrow(const OpenAsk& ask) {
  if (ask.ask->expect_throw && !ask.thrown) {
    return absl::StrCat("expected a throw, got ",
                        ask.results.empty() ? "nothing" : Excerpt(ask.results.back()));
  }
  if (ask.ask->expect_throw) return FindMismatch(*ask.ask->expect_throw, *ask.thrown);
  if (ask.thrown && ask.ask->expect) {
    return absl::StrCat("expected ", Excerpt(*ask.ask->expect), ", got the throw ",
                        Excerpt(*ask.thrown));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindWrongAnswer(const OpenAsk& ask) {
  const Ask::Kind kind = ask.ask->kind;
  if (kind == Ask::Kind::kExec || kind == Ask::Kind::kQuery) {
    if (auto wrong = FindWrongThrow(ask)) return wrong;
    if (ask.thrown) return std::nullopt;
    if (auto wrong = FindWrongKind(ask)) return wrong;
  }
  const std::optional<Json>& expect = ask.ask->expect;
  if (kind == Ask::Kind::kGetBlob && !expect) return FindMissOrOther(ask);
  if (!expect) return std::nullopt;
  return FindMismatch(*expect, expect->is_array() ? Json(ask.results) : ask.results.back());
}

bool OpenAsks::AllAnswered() const {
  return std::all_of(by_id_.begin(), by_id_.end(), [](const auto& entry) {
    return entry.second.answered || entry.second.aborted;
  });
}

bool OpenAsks::AllAnswered(size_t step) const {
  return std::all_of(by_id_.begin(), by_id_.end(), [step](const auto& entry) {
    return entry.second.step != step || !entry.second.ask->await || entry.second.answered ||
           entry.second.aborted;
  });
}

}  // namespace cursorwire::upstream
