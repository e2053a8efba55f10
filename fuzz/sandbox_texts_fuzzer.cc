// Reads the input as each text of others that the sandbox reads: a table of mounts, settings of
// git, what bubblewrap tells, the output of a command.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cursorwire/sandbox.h"
#include "sandbox/git_config.h"
#include "sandbox/hint.h"
#include "sandbox/mount_table.h"
#include "sandbox/status_pipe.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::sandbox::GitSetting;

void CheckMounts(std::string_view text) {
  const auto table = cursorwire::sandbox::ParseMountTable(text);
  if (!table.ok()) return;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  Check(table->size() == lines);
  for (const auto& [id, mount] : *table) Check(mount.mount_point.starts_with('/'));
}

// A file that may run something must not look as if git had written it: nothing that is plain has a
// setting that cannot be read, and no name of one has an upper case letter.
void CheckSettings(std::string_view text) {
  const auto settings = cursorwire::sandbox::ReadGitConfig(text);
  const bool is_plain =
      cursorwire::sandbox::IsPlainGitConfig(text, [](const std::string&) { return false; });
  Check(!is_plain || settings.has_value());
  if (!settings) return;
  const auto has_upper = [](const std::string& name) {
    return std::any_of(name.begin(), name.end(),
                       [](unsigned char each) { return each >= 'A' && each <= 'Z'; });
  };
  for (const GitSetting& each : *settings) Check(!has_upper(each.section) && !has_upper(each.key));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckMounts(input);
  CheckSettings(input);
  (void)cursorwire::sandbox::ParseBwrapStatus(input);
  Check(cursorwire::sandbox::Hint({}, input).find('\n') == std::string::npos);
  return 0;
}
