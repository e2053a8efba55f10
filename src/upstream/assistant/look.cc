#include "upstream/assistant/look.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "upstream/assistant/definition.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

constexpr int kMaxNames = 200;
constexpr size_t kMaxMatches = 20;  // limit of matches in the answer
constexpr int kMaxFound = 500;
constexpr uint32_t kExcerptLines = 5;
constexpr uint32_t kFileLines = 20;

absl::Status WrongResult() {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    "the result of an exec is not of the exec's kind, or empty");
}

std::string Counted(int64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

pb::ExecServerMessage GrepExec(const std::string& pattern, const std::string& path) {
  pb::ExecServerMessage exec;
  pb::GrepArgs& args = *exec.mutable_grep_args();
  args.set_pattern(pattern);
  args.set_path(path);
  args.set_output_mode("content");
  args.set_head_limit(kMaxFound);
  return exec;
}

pb::ExecServerMessage ReadExec(const std::string& path, int32_t offset, uint32_t limit) {
  pb::ExecServerMessage exec;
  pb::ReadArgs& args = *exec.mutable_read_args();
  args.set_path(path);
  args.set_offset(offset);
  args.set_limit(limit);
  return exec;
}

// Makes one line of a user's name for something, whatever the name contains.
std::string Line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

std::string DescribeFolder(const pb::LsDirectoryTreeNode& root) {
  std::string text = absl::StrCat(root.abs_path(), " holds ");
  if (root.children_were_processed()) {
    absl::StrAppend(&text, Counted(root.children_dirs_size(), "folder"), " and ",
                    Counted(root.children_files_size(), "file"), ":\n");
  } else {
    absl::StrAppend(&text, Counted(root.num_files(), "file"),
                    " at all depths; the first entries are:\n");
  }
  int names = 0;
  for (const pb::LsDirectoryTreeNode& folder : root.children_dirs()) {
    if (++names > kMaxNames) break;
    const std::string& path = folder.abs_path();
    absl::StrAppend(&text, "- ", Line(path.substr(path.rfind('/') + 1)), "/");
    const bool counted = folder.children_were_processed() || folder.num_files() > 0;
    if (counted) absl::StrAppend(&text, " (", Counted(folder.num_files(), "file"), ")");
    text += "\n";
  }
  for (const pb::LsDirectoryTreeNode::File& file : root.children_files()) {
    if (++names > kMaxNames) break;
    absl::StrAppend(&text, "- ", Line(file.name()), "\n");
  }
  if (names > kMaxNames) text += "- and more\n";
  return text;
}

// At most `count` lines of `text`, after the first `skipped` ones, each with its number in front.
std::string Numbered(const std::string& text, size_t skipped, int64_t first, uint32_t count) {
  std::string lines;
  std::vector<absl::string_view> pieces = absl::StrSplit(ToAbsl(text), '\n');
  if (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  pieces.erase(pieces.begin(),
               pieces.begin() + static_cast<std::ptrdiff_t>(std::min(pieces.size(), skipped)));
  pieces.resize(std::min<size_t>(pieces.size(), count));
  for (const absl::string_view line : pieces) absl::StrAppend(&lines, first++, ": ", line, "\n");
  return lines;
}

}  // namespace

Look::Look(const Question& question, std::string workspace)
    : subject_(question.subject), workspace_(std::move(workspace)) {
  if (question.kind == Question::Kind::kFolder) step_ = Step::kLs;
  if (question.kind == Question::Kind::kSymbol) step_ = Step::kDefinitions;
  if (question.kind == Question::Kind::kFile) step_ = Step::kRead;
}

std::optional<pb::ExecServerMessage> Look::Next() {
  pb::ExecServerMessage exec;
  switch (step_) {
    case Step::kLs:
      exec.mutable_ls_args()->set_path(workspace_);
      return exec;
    case Step::kLsSubject:
      exec.mutable_ls_args()->set_path(subject_);
      return exec;
    case Step::kDefinitions:
      return GrepExec(DefinitionPattern(subject_), workspace_);
    case Step::kMentions:
      return GrepExec(MentionPattern(subject_), workspace_);
    case Step::kExcerpt:
      return ReadExec(excerpt_path_, excerpt_line_, kExcerptLines);
    case Step::kRead:
      return ReadExec(subject_, 1, kFileLines);
    case Step::kDone:
      return std::nullopt;
  }
  return std::nullopt;
}

absl::Status Look::On(const pb::ExecClientMessage& result) {
  switch (step_) {
    case Step::kLs:
    case Step::kLsSubject:
      return result.has_ls_result() ? OnLs(result.ls_result()) : WrongResult();
    case Step::kDefinitions:
    case Step::kMentions:
      return result.has_grep_result() ? OnGrep(result.grep_result()) : WrongResult();
    case Step::kExcerpt:
    case Step::kRead:
      return result.has_read_result() ? OnRead(result.read_result()) : WrongResult();
    case Step::kDone:
      break;
  }
  return WrongResult();
}

absl::Status Look::OnLs(const pb::LsResult& result) {
  step_ = Step::kDone;
  if (result.has_rejected()) return Refused(result.rejected().reason()), absl::OkStatus();
  if (result.has_error()) return Refused(result.error().error()), absl::OkStatus();
  if (!result.has_success() && !result.has_timeout()) return WrongResult();
  const pb::LsDirectoryTreeNode& root = result.has_success()
                                            ? result.success().directory_tree_root()
                                            : result.timeout().directory_tree_root();
  Say(DescribeFolder(root));
  return absl::OkStatus();
}

absl::Status Look::OnGrep(const pb::GrepResult& result) {
  const bool definitions = step_ == Step::kDefinitions;
  step_ = Step::kDone;
  if (result.has_error()) return Refused(result.error().error()), absl::OkStatus();
  if (!result.has_success()) return WrongResult();
  std::vector<Match> matches;
  for (const auto& [root, found] : result.success().workspace_results()) {
    if (!found.has_content()) return WrongResult();
    for (const pb::GrepFileMatch& file : found.content().matches()) {
      for (const pb::GrepContentMatch& line : file.matches()) {
        const int score = definitions ? DefinitionScore(file.file(), line.content(), subject_) : 1;
        if (score > 0) matches.push_back({&file, &line, score});
      }
    }
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.score > b.score; });
  if (!matches.empty()) {
    SayMatches(matches, definitions);
    step_ = Step::kExcerpt;
  } else if (definitions) {
    step_ = Step::kMentions;
  } else {
    Say(absl::StrCat("Nothing in ", workspace_, " mentions ", subject_, ".\n"));
  }
  return absl::OkStatus();
}

// Puts the best match first, since that one is shown in more detail.
void Look::SayMatches(const std::vector<Match>& matches, bool definitions) {
  Say(absl::StrCat(definitions ? "I found what looks like the definition of "
                               : "I found no definition, but mentions of ",
                   subject_, ":\n"));
  for (size_t i = 0; i < std::min(matches.size(), kMaxMatches); ++i) {
    Say(absl::StrCat("- ", Line(matches[i].file->file()), ":", matches[i].line->line_number(), ": ",
                     matches[i].line->content(), "\n"));
  }
  excerpt_path_ = matches.front().file->file();
  excerpt_line_ = matches.front().line->line_number();
}

absl::Status Look::OnRead(const pb::ReadResult& result) {
  const bool excerpt = std::exchange(step_, Step::kDone) == Step::kExcerpt;
  const std::string& path = excerpt ? excerpt_path_ : subject_;
  const int32_t first = excerpt ? excerpt_line_ : 1;
  switch (result.result_case()) {
    case pb::ReadResult::kSuccess:
      break;
    case pb::ReadResult::kRejected:
      return Refused(result.rejected().reason()), absl::OkStatus();
    case pb::ReadResult::kError:
      return Refused(result.error().error()), absl::OkStatus();
    case pb::ReadResult::kInvalidFile:
      // The path is most likely a folder: then its list is the answer.
      step_ = excerpt ? Step::kDone : Step::kLsSubject;
      return absl::OkStatus();
    case pb::ReadResult::kFileNotFound:
      return Say(absl::StrCat("There is no file ", path, ".\n")), absl::OkStatus();
    case pb::ReadResult::kPermissionDenied:
      return Refused("permission denied"), absl::OkStatus();
    case pb::ReadResult::RESULT_NOT_SET:
      return WrongResult();
  }
  const pb::ReadSuccess& file = result.success();
  if (file.output_case() == pb::ReadSuccess::kData) {
    return Say(absl::StrCat(path, " has ", Counted(file.file_size(), "byte"),
                            " and is no text.\n")),
           absl::OkStatus();
  }
  Say(excerpt ? absl::StrCat("From line ", first, " of ", path, ":\n")
              : absl::StrCat(path, " has ", Counted(file.total_lines(), "line"), " and ",
                             Counted(file.file_size(), "byte"), ". It starts with:\n"));
  // A client that does not say that it applied the range has sent the whole file.
  const size_t skipped = file.range_applied() ? 0 : static_cast<size_t>(std::max(first, 1) - 1);
  Say(Numbered(file.content(), skipped, first, excerpt ? kExcerptLines : kFileLines));
  return absl::OkStatus();
}

void Look::Refused(const std::string& reason) {
  Say(absl::StrCat("I wanted to look, but your client said no: ", reason, "\n"));
}

}  // namespace cursorwire::upstream
