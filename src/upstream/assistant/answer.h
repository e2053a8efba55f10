#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/v1/run.pb.h"
#include "upstream/assistant/transcript.h"

namespace cursorwire::upstream {

// The assistant's answer if there was nothing to look at: the request in other words.
std::string AnswerFromRequest(const ::agent::v1::AgentRunRequest& request,
                              const Transcript& transcript);

// Each word keeps the white space before it, so that joining the words gives `text` again.
std::vector<std::string> SplitWords(const std::string& text);

size_t CountWords(std::string_view text);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_
