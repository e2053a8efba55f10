#ifndef CURSORWIRE_APPS_COMMON_UNASKED_QUESTION_H_
#define CURSORWIRE_APPS_COMMON_UNASKED_QUESTION_H_

#include <absl/status/status.h>
#include <cursorwire/conversation.h>

#include <cstddef>
#include <string>

namespace cursor_apps {

// Keeps a question whose request could not be made, with `why`, as the conversation keeps one that
// the service did not answer: so that "try again" has a question, and what takes the last turn back
// takes this one. Not one that is wrong in itself (kInvalidArgument).
void KeepUnasked(cursorwire::Conversation& conversation, const std::string& prompt, size_t images,
                 const absl::Status& why);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_UNASKED_QUESTION_H_
