#include "agent/exec/exec_success_fill.h"

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

}  // namespace

void Fill(const pb::FetchArgs& args, const FetchOutput& output, pb::FetchResult& result) {
  pb::FetchSuccess& success = *result.mutable_success();
  success.set_url(args.url());
  success.set_content(ToUtf8(output.content));
  success.set_status_code(output.status_code);
  success.set_content_type(ToUtf8(output.content_type));
}

void Fill(const pb::DiagnosticsArgs& args, const DiagnosticsOutput& output,
          pb::DiagnosticsResult& result) {
  pb::DiagnosticsSuccess& success = *result.mutable_success();
  success.set_path(args.path());
  for (const Diagnostic& diagnostic : output.diagnostics) {
    pb::Diagnostic& entry = *success.add_diagnostics();
    // The numbers are those of the wire.
    entry.set_severity(static_cast<pb::DiagnosticSeverity>(diagnostic.severity));
    entry.mutable_range()->mutable_start()->set_line(diagnostic.line);
    entry.mutable_range()->mutable_start()->set_column(diagnostic.column);
    entry.mutable_range()->mutable_end()->set_line(diagnostic.end_line);
    entry.mutable_range()->mutable_end()->set_column(diagnostic.end_column);
    entry.set_message(ToUtf8(diagnostic.message));
    entry.set_source(ToUtf8(diagnostic.source));
    entry.set_code(ToUtf8(diagnostic.code));
  }
  success.set_total_diagnostics(static_cast<int32_t>(output.diagnostics.size()));
}

void Fill(const ListMcpResourcesOutput& output, pb::ListMcpResourcesExecResult& result) {
  pb::ListMcpResourcesSuccess& success = *result.mutable_success();
  for (const McpResource& resource : output.resources) {
    auto& entry = *success.add_resources();
    entry.set_uri(ToUtf8(resource.uri));
    if (!resource.name.empty()) entry.set_name(ToUtf8(resource.name));
    if (!resource.description.empty()) entry.set_description(ToUtf8(resource.description));
    if (!resource.mime_type.empty()) entry.set_mime_type(ToUtf8(resource.mime_type));
    entry.set_server(ToUtf8(resource.server));
  }
}

void Fill(const pb::ReadMcpResourceExecArgs& args, const ReadMcpResourceOutput& output,
          pb::ReadMcpResourceExecResult& result) {
  pb::ReadMcpResourceSuccess& success = *result.mutable_success();
  success.set_uri(args.uri());
  if (!output.mime_type.empty()) success.set_mime_type(ToUtf8(output.mime_type));
  if (output.is_text && IsUtf8(output.content)) {
    success.set_text(output.content);
  } else {
    success.set_blob(output.content);
  }
}

void Fill(const pb::RecordScreenArgs& args, const RecordScreenOutput& output,
          pb::RecordScreenResult& result) {
  switch (args.mode()) {
    case pb::RECORDING_MODE_SAVE_RECORDING:
      result.mutable_save_success()->set_path(ToUtf8(output.path));
      result.mutable_save_success()->set_recording_duration_ms(output.duration.count());
      return;
    case pb::RECORDING_MODE_DISCARD_RECORDING:
      result.mutable_discard_success();
      return;
    default:
      result.mutable_start_success();
  }
}

void Fill(const ComputerUseOutput& output, pb::ComputerUseResult& result) {
  pb::ComputerUseSuccess& success = *result.mutable_success();
  success.set_action_count(output.action_count);
  success.set_duration_ms(static_cast<int32_t>(output.duration.count()));
  if (!output.screenshot.empty()) success.set_screenshot(ToUtf8(output.screenshot));
}

}  // namespace cursorwire::agent
