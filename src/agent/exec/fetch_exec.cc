#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

FetchArgs ToFetch(const pb::FetchArgs& args) { return {.url = args.url()}; }

void FillFetch(const pb::FetchArgs& args, const FetchOutput& output, pb::FetchResult& result) {
  pb::FetchSuccess& success = *result.mutable_success();
  success.set_url(args.url());
  success.set_content(ToUtf8(output.content));
  success.set_status_code(output.status_code);
  success.set_content_type(ToUtf8(output.content_type));
}

void FailFetch(const pb::FetchArgs& args, const ExecFailure& failure, pb::FetchResult& result) {
  result.mutable_error()->set_url(args.url());
  result.mutable_error()->set_error(failure.text);
}

}  // namespace

const ExecKind kFetchExec =
    MakeExecKind<FetchOutput, &pb::ExecServerMessage::fetch_args,
                 &pb::ExecClientMessage::mutable_fetch_result, ToFetch, FillFetch, FailFetch>(
        pb::ExecServerMessage::kFetchArgs);

}  // namespace cursorwire::agent
