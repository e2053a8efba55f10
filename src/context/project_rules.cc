#include "cursorwire/context/project_rules.h"

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/workspace.h"

namespace cursorwire::context {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAgentsFile = "AGENTS.md";
constexpr std::string_view kLegacyFile = ".cursorrules";
constexpr std::string_view kRulesFolder = ".cursor/rules";
// Files that may hold rules, wherever they are.
constexpr char kRuleFilesGlob[] = "**/{*.md,*.mdc,.cursorrules}";
// Such files of a project that are looked at.
constexpr size_t kMaxRuleFilesSeen = 100'000;
// Files and folders of `.cursor/rules` that are looked at.
constexpr size_t kMaxRuleEntries = 10'000;

// Whether `path` exists and is `folder` or below it, links followed.
bool IsWithin(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first ==
         folder.end();
}

// Reads the files one after the other, within the bounds of the options.
class RuleReader {
 public:
  RuleReader(LocalExecHandler& files, const RuleOptions& options)
      : files_(files), options_(options) {}

  void ReadAll() {
    for (const std::string_view name : {kAgentsFile, kLegacyFile}) {
      std::error_code error;
      if (fs::exists(fs::symlink_status(fs::path(files_.folder()) / name, error))) {
        Add(std::string(name));
      }
    }
    for (const std::string& name : NamesOfRulesFolder()) Add(name);
    if (!options_.subfolders) return;
    for (const std::string& name : NamesBelow()) Add(name);
  }

  ProjectRules Finish() && {
    if (left_out_ > 0) {
      Fail(absl::StatusCode::kResourceExhausted,
           absl::StrCat(left_out_, " files of rules are not used: there are more than ",
                        options_.max_files));
    }
    return std::move(result_);
  }

 private:
  void Fail(absl::StatusCode code, std::string_view message) {
    result_.failures.push_back(LocalError(code, message));
  }
  void Refuse(const std::string& name, const absl::Status& why) {
    Fail(why.code(), absl::StrCat("the rules of ", name, " are not used: ", why.message()));
  }

  // Sorted, relative to the project.
  std::vector<std::string> NamesOfRulesFolder() {
    std::vector<std::string> names;
    const fs::path project = files_.folder();
    std::error_code error;
    if (!fs::exists(project / kRulesFolder, error)) return names;
    if (!IsWithin(project / kRulesFolder, project)) {
      Refuse(std::string(kRulesFolder),
             absl::PermissionDeniedError("this is outside of the folder"));
      return names;
    }
    fs::recursive_directory_iterator entry(project / kRulesFolder, error);
    size_t seen = 0;
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (++seen > kMaxRuleEntries) {
        Refuse(absl::StrCat("some files of ", ToAbsl(kRulesFolder)),
               absl::ResourceExhaustedError("there are too many"));
        break;
      }
      const std::string extension = entry->path().extension().string();
      std::error_code kind_error;
      if ((extension == ".mdc" || extension == ".md") && !entry->is_directory(kind_error)) {
        names.push_back(entry->path().lexically_relative(project).string());
      }
    }
    if (error) Refuse(std::string(kRulesFolder), absl::InvalidArgumentError(error.message()));
    std::sort(names.begin(), names.end());
    return names;
  }

  // Those that are not ignored, sorted, relative to the project. Looked for once, since it takes
  // long, and only where somebody asks.
  const absl::StatusOr<GrepOutput>& RuleFiles() {
    if (!rule_files_) {
      rule_files_ =
          files_.Grep({.glob = kRuleFilesGlob, .mode = GrepMode::kFiles, .sort = "path"}, {});
    }
    return *rule_files_;
  }
  static absl::Status TooLarge() {
    return absl::DeadlineExceededError("the project is too large to look through");
  }

  // Those of subfolders, sorted, relative to the project.
  std::vector<std::string> NamesBelow() {
    std::vector<std::string> names;
    const absl::StatusOr<GrepOutput>& found = RuleFiles();
    if (!found.ok()) {
      Refuse("subfolders", found.status());
      return names;
    }
    const std::string in_rules = absl::StrCat("/", ToAbsl(kRulesFolder), "/");
    for (const GrepFile& file : found->files) {
      const std::string path = "/" + file.path;
      const bool is_rule = path.ends_with(absl::StrCat("/", ToAbsl(kAgentsFile))) ||
                           path.find(in_rules) != path.npos;
      const bool is_top = file.path == kAgentsFile || path.starts_with(in_rules);
      const bool is_legacy = path.ends_with(absl::StrCat("/", ToAbsl(kLegacyFile)));
      if (is_rule && !is_top && !is_legacy) names.push_back(file.path);
    }
    if (found->truncated) Refuse("some subfolders", TooLarge());
    return names;
  }

  void Add(const std::string& name) {
    if (tried_ == options_.max_files) {
      ++left_out_;
      return;
    }
    ++tried_;
    if (absl::Status status = CheckLink(name); !status.ok()) return Refuse(name, status);
    absl::StatusOr<ReadOutput> file = files_.Read({.path = name}, {});
    absl::Status status = file.status();
    if (file.ok()) status = Check(*file);
    if (!status.ok()) return Refuse(name, status);
    bytes_ += file->content.size();
    AgentRule rule = ParseRuleFile(ToUtf8(absl::StrCat(files_.folder(), "/", name)), file->content);
    const std::string folder = FolderOf(name);
    result_.rules.push_back(folder.empty() ? std::move(rule)
                                           : WithinFolder(std::move(rule), folder));
    result_.names.push_back(name);
  }

  // A project of a stranger may have a link to what its user keeps secret: rules are told with each
  // turn, and nobody is asked.
  absl::Status CheckLink(const std::string& name) {
    const fs::path project = files_.folder();
    std::error_code error;
    const fs::path real = fs::canonical(project / name, error);
    if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();  // so says Read()
    // A path that is too long to be written can still be followed: to anything.
    if (error) {
      return absl::PermissionDeniedError(
          absl::StrCat("nobody can tell where this leads: ", error.message()));
    }
    const std::string target = real.lexically_relative(project).string();
    if (target == name || !IsWithin(real, project)) return absl::OkStatus();
    const std::string file = real.filename().string();
    const std::string extension = real.extension().string();
    if (extension != ".md" && extension != ".mdc" && file != kLegacyFile) {
      return absl::PermissionDeniedError("this is a link to what is no file of rules");
    }
    const absl::StatusOr<GrepOutput>& found = RuleFiles();
    if (!found.ok()) return found.status();
    const bool is_seen = std::any_of(found->files.begin(), found->files.end(),
                                     [&](const GrepFile& seen) { return seen.path == target; });
    if (is_seen) return absl::OkStatus();
    return found->truncated
               ? TooLarge()
               : absl::PermissionDeniedError("this is a link to a file that is ignored");
  }

  absl::Status Check(const ReadOutput& file) const {
    if (!file.is_text) return absl::InvalidArgumentError("this is no text in UTF-8");
    if (file.truncated) {
      return absl::ResourceExhaustedError(
          absl::StrCat("this is larger than ", options_.max_file_bytes, " bytes"));
    }
    if (file.content.size() > options_.max_bytes - std::min(bytes_, options_.max_bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("all rules together are larger than ", options_.max_bytes, " bytes"));
    }
    return absl::OkStatus();
  }

  // The folder that the file speaks for, relative to the project; empty: all of it.
  static std::string FolderOf(const std::string& name) {
    const size_t rules = absl::StrCat("/", name).find(absl::StrCat("/", ToAbsl(kRulesFolder), "/"));
    if (rules != name.npos) return name.substr(0, rules == 0 ? 0 : rules - 1);
    const size_t slash = name.rfind('/');
    return slash == name.npos ? "" : name.substr(0, slash);
  }

  LocalExecHandler& files_;
  const RuleOptions& options_;
  std::optional<absl::StatusOr<GrepOutput>> rule_files_;
  ProjectRules result_;
  size_t bytes_ = 0;     // of all rules so far
  size_t tried_ = 0;     // files
  size_t left_out_ = 0;  // files, since there are too many
};

}  // namespace

ProjectRules ReadProjectRules(const std::string& folder, const RuleOptions& options) {
  const auto files = LocalExecHandler::Create(folder, {.max_read_bytes = options.max_file_bytes,
                                                       .max_grep_lines = kMaxRuleFilesSeen,
                                                       .timeout = options.timeout});
  if (!files.ok()) return {.failures = {files.status()}};
  RuleReader reader(**files, options);
  reader.ReadAll();
  return std::move(reader).Finish();
}

}  // namespace cursorwire::context
