// What the code of docs/agent.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_AGENT_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_AGENT_PRELUDE_H_

#include <absl/status/status.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

extern const cursorwire::Client client;
extern const std::string tools_file;
std::string Clock();

#endif  // CURSORWIRE_TESTS_DOCS_AGENT_PRELUDE_H_
