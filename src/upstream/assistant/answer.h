#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/v1/run.pb.h"
#include "upstream/assistant/transcript.h"

namespace cursorwire::upstream {

// What the assistant says where there was nothing to look at: the request in other words.
std::string AnswerFromRequest(const ::agent::v1::AgentRunRequest& request,
                              const Transcript& transcript);

// Words with the white space before them, so that joining them gives the text back.
std::vector<std::string> SplitWords(const std::string& text);

size_t CountWords(std::string_view text);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ANSWER_H_
