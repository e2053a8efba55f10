#include "pattern/pattern.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

constexpr int64_t kMaxMemoryBytes = int64_t{8} << 20;  // for the program and the states that it
                                                       // creates
constexpr int kMaxProgramSize = 5000;                  // in instructions
// If the states do not fit into memory, every byte of a text runs through every instruction, which
// takes about 5 ns.
constexpr size_t kMaxSteps = 400'000'000;

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> program) : program_(std::move(program)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&& other) noexcept = default;
Pattern& Pattern::operator=(Pattern&& other) noexcept = default;

absl::StatusOr<Pattern> Pattern::Compile(const std::string& pattern, const Options& options) {
  if (pattern.size() > kMaxBytes) {
    return InvalidArgument(absl::StrCat("the pattern has more than ", kMaxBytes, " bytes"));
  }
  re2::RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_max_mem(kMaxMemoryBytes);
  settings.set_case_sensitive(!options.case_insensitive);
  settings.set_dot_nl(options.multiline);
  // Flags hold to the end of the pattern. A group could not be used: the pattern could close it.
  auto program = std::make_unique<re2::RE2>((options.multiline ? "(?m)" : "") + pattern, settings);
  if (!program->ok()) {
    return InvalidArgument(
        absl::StrCat("the pattern does not parse (RE2 syntax): ", ToUtf8(program->error())));
  }
  if (program->ProgramSize() > kMaxProgramSize || program->ReverseProgramSize() > kMaxProgramSize) {
    return InvalidArgument("the pattern is too complex; repeat less");
  }
  return Pattern(std::move(program));
}

size_t Pattern::max_text_bytes() const {
  const int size = std::max(program_->ProgramSize(), program_->ReverseProgramSize());
  return kMaxSteps / static_cast<size_t>(std::max(size, 1));
}

bool Pattern::Matches(std::string_view line) const {
  return program_->Match({line.data(), line.size()}, 0, line.size(), re2::RE2::UNANCHORED, nullptr,
                         0);
}

std::optional<Pattern::Span> Pattern::Find(std::string_view text, size_t from) const {
  re2::StringPiece match;
  if (!program_->Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, &match,
                       1)) {
    return std::nullopt;
  }
  const auto begin = static_cast<size_t>(match.data() - text.data());
  return Span{begin, begin + match.size()};
}

}  // namespace cursorwire
