// What the code of docs/conversations.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_CONVERSATIONS_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_CONVERSATIONS_PRELUDE_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

extern const cursorwire::Client client;
extern cursorwire::Conversation talk;

#endif  // CURSORWIRE_TESTS_DOCS_CONVERSATIONS_PRELUDE_H_
