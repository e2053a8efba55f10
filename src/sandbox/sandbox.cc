#include "sandbox/sandbox.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "sandbox/appeared.h"
#include "sandbox/bwrap_call.h"
#include "sandbox/filter.h"
#include "sandbox/landlock.h"
#include "sandbox/path_order.h"
#include "sandbox/places.h"
#include "sandbox/plan.h"
#include "sandbox/private_folder.h"
#include "sandbox/sandboxed_command.h"
#include "sandbox/spawn_thread.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxUnseenPathBytes = 300;
constexpr int kTruncateAbi = 3;  // of Landlock

// Whether a path is there under its name in the sandbox of bubblewrap. Of the places that it is in,
// the innermost one decides.
bool IsSeenInside(const std::string& path, const Places& places) {
  if (std::find(places.readable.begin(), places.readable.end(), path) != places.readable.end()) {
    return true;
  }
  std::vector<std::string> seen = places.writable;
  seen.push_back(places.workspace);
  std::vector<std::string> hidden = places.hidden_folders;
  hidden.insert(hidden.end(), places.hidden_files.begin(), places.hidden_files.end());
  const auto innermost = [&path](const std::vector<std::string>& folders) {
    size_t size = 0;
    for (const std::string& folder : folders) {
      if (IsAtOrBelow(path, folder)) size = std::max(size, folder.size());
    }
    return size;
  };
  if (IsAtOrBelow(path, "/tmp") && innermost(seen) == 0) return false;
  return innermost(hidden) == 0 || innermost(hidden) < innermost(seen);
}

// bubblewrap starts without them, and fails as if the command had.
absl::Status CheckSeen(const process::Program& program, const Places& places) {
  const absl::StatusOr<std::string> folder = FolderPath(program.folder);
  if (!folder.ok()) return folder.status();
  for (const std::string& path : {*folder, program.file}) {
    if (IsSeenInside(path, places)) continue;
    return LocalError(
        absl::StatusCode::kNotFound,
        absl::StrCat("the command was not started: ", Printable(path, kMaxUnseenPathBytes),
                     " cannot be seen in the sandbox"));
  }
  return absl::OkStatus();
}

}  // namespace

class Sandbox::Impl {
 public:
  Impl(SandboxOptions options, std::unique_ptr<PrivateFolder> folder,
       std::unique_ptr<SpawnThread> thread)
      : options_(std::move(options)), folder_(std::move(folder)), thread_(std::move(thread)) {}

  absl::Status Check(const SandboxPolicy& policy) const {
    const absl::StatusOr<Places> places = Find(policy, {});
    if (!places.ok()) return places.status();
    return MakePlan(policy, *places, options_.support, options_.allow_partial).status();
  }

  absl::StatusOr<std::unique_ptr<SandboxedCommand>> Prepare(
      const SandboxPolicy& policy, process::Program program,
      const std::vector<std::string>& readable) {
    const absl::StatusOr<Places> places = Find(policy, readable);
    if (!places.ok()) return places.status();
    absl::StatusOr<Plan> plan = MakePlan(policy, *places, options_.support, options_.allow_partial);
    if (!plan.ok()) return plan.status();
    const bool full = plan->backend == Backend::kFull;
    absl::StatusOr<std::string> filter = FilterFor(full, policy);
    if (!filter.ok()) return filter.status();
    if (full) {
      if (absl::Status seen = CheckSeen(program, *places); !seen.ok()) return seen;
      return MakeBwrapCommand(
          {.bwrap = options_.support.bwrap, .filter = *std::move(filter), .plan = *std::move(plan)},
          std::move(program), Appeared::Before(*places), *thread_);
    }
    if (plan->backend != Backend::kPartial) {
      return LocalError(absl::StatusCode::kUnimplemented, "there is no sandbox here");
    }
    program.environment = InsideEnvironment(std::move(program.environment), *plan);
    return MakeLandlockCommand({.abi = options_.support.landlock_abi,
                                .grants = std::move(plan->grants),
                                .network = policy.network,
                                .filter = *std::move(filter)},
                               std::move(program), Appeared::Before(*places));
  }

 private:
  absl::StatusOr<Places> Find(const SandboxPolicy& policy,
                              const std::vector<std::string>& readable) const {
    return FindPlaces({.workspace = options_.workspace,
                       .private_folder = folder_->path(),
                       .environment = options_.environment,
                       .code_files = options_.code_files,
                       .readable = readable},
                      policy);
  }

  absl::StatusOr<std::string> FilterFor(bool full, const SandboxPolicy& policy) const {
    if (!options_.support.has_filter) return std::string();
    return MakeFilter({.in_namespaces = full,
                       .network = policy.network,
                       .refuse_truncate = options_.support.landlock_abi < kTruncateAbi});
  }

  const SandboxOptions options_;
  // In this order: what still runs ends with the thread, and then the folder is removed.
  const std::unique_ptr<PrivateFolder> folder_;
  const std::unique_ptr<SpawnThread> thread_;
};

absl::StatusOr<std::unique_ptr<Sandbox>> Sandbox::Create(SandboxOptions options) {
  absl::StatusOr<std::unique_ptr<PrivateFolder>> folder = PrivateFolder::Create();
  if (!folder.ok()) return folder.status();
  absl::StatusOr<std::unique_ptr<SpawnThread>> thread = SpawnThread::Create();
  if (!thread.ok()) return thread.status();
  return std::unique_ptr<Sandbox>(new Sandbox(
      std::make_unique<Impl>(std::move(options), *std::move(folder), *std::move(thread))));
}

Sandbox::Sandbox(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Sandbox::~Sandbox() = default;

absl::Status Sandbox::Check(const SandboxPolicy& policy) const { return impl_->Check(policy); }

absl::StatusOr<std::unique_ptr<SandboxedCommand>> Sandbox::Prepare(
    const SandboxPolicy& policy, process::Program program,
    const std::vector<std::string>& readable) {
  return impl_->Prepare(policy, std::move(program), readable);
}

}  // namespace cursorwire::sandbox
