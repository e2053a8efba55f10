#ifndef CURSORWIRE_APPS_COMMON_COMPLETION_TEXT_H_
#define CURSORWIRE_APPS_COMMON_COMPLETION_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "common/option_info.h"

namespace cursor_apps {

// Pieces of the scripts with which shells complete a command line.

// The names of all options, or of those that have a value.
std::vector<std::string> OptionNames(const std::vector<OptionInfo>& options);
std::vector<std::string> NamesWithValue(const std::vector<OptionInfo>& options);

// The command of bash that offers these words, which have spaces between them, for $word.
std::string BashOffer(std::string_view words);
// A case of bash that offers the values of the option and returns. Empty: it is a flag.
std::string BashValueCase(std::string_view pattern, const OptionInfo& option);

// What _arguments of zsh takes for each name of the option, in quotes.
std::vector<std::string> ZshOptionSpecs(const OptionInfo& option);
// The part of it that is said of the value, such as ":FILE:_files". Empty: it is a flag.
std::string ZshValue(const OptionInfo& option);

// The command of fish that completes the option, where `condition` (of -n) holds. Empty:
// everywhere.
std::string FishOption(std::string_view program, std::string_view condition,
                       const OptionInfo& option);

// Text within single quotes: of bash and zsh, and of fish. Without the quotes around it.
std::string QuotedForShell(std::string_view text);
std::string QuotedForFish(std::string_view text);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_COMPLETION_TEXT_H_
