#ifndef CURSORWIRE_SRC_AGENT_HISTORY_HISTORY_CODEC_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_HISTORY_CODEC_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/history.h"

namespace cursorwire::agent {

// One turn as bytes, in a form of our own that never changes: the same turn has the same bytes.
std::string EncodeTurn(const HistoryTurn& turn);

// Unknown fields are skipped.
//   kDataLoss  bytes that EncodeTurn() did not write: broken fields, texts that are not UTF-8
absl::StatusOr<HistoryTurn> DecodeTurn(std::string_view bytes);

// Identifies a list of turns: two lists have the same fingerprint only if they are the same. The
// fingerprint of no turns is empty. Reasoning is not in it, since a caller may not keep it.
std::string ExtendFingerprint(std::string_view fingerprint, const HistoryTurn& turn);
std::string FingerprintOf(const std::vector<HistoryTurn>& turns);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_HISTORY_CODEC_H_
