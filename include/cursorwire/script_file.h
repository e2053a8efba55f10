// Room: src/upstream/script
#ifndef CURSORWIRE_SCRIPT_FILE_H_
#define CURSORWIRE_SCRIPT_FILE_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/script.h"

namespace cursorwire {

// Scripts of JSON text, as docs/local-upstream.md and docs/local-upstream.schema.json have it: an
// object, or an array of them. ParseScript() and LoadScript() want exactly one.
//   kInvalidArgument  not of that form; the message names the script, the step and the field
CURSORWIRE_EXPORT absl::StatusOr<Script> ParseScript(std::string_view json);
CURSORWIRE_EXPORT absl::StatusOr<std::vector<Script>> ParseScripts(std::string_view json);
// The same of a file.
//   kNotFound  the file cannot be read
CURSORWIRE_EXPORT absl::StatusOr<Script> LoadScript(const std::string& path);
CURSORWIRE_EXPORT absl::StatusOr<std::vector<Script>> LoadScripts(const std::string& path);

// The scripts as JSON text that ParseScripts() reads, with a step on each line.
CURSORWIRE_EXPORT std::string ScriptsToJson(const std::vector<Script>& scripts);

}  // namespace cursorwire

#endif  // CURSORWIRE_SCRIPT_FILE_H_
