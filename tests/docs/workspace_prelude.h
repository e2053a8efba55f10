// What the code of docs/workspace.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_WORKSPACE_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_WORKSPACE_PRELUDE_H_

#include <absl/status/status.h>
#include <cursorwire/client.h>
#include <cursorwire/workspace.h>

#include <utility>
#include <variant>

#endif  // CURSORWIRE_TESTS_DOCS_WORKSPACE_PRELUDE_H_
