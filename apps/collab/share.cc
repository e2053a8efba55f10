#include "share.h"

#include <absl/strings/str_cat.h>
#include <cursorwire/connect/error_info.h>

#include <variant>

#include "base/strings.h"
#include "base/url.h"
#include "common/read_file.h"

namespace cursor_collab {

using cursorwire::collab::SharedText;
using cursorwire::collab::TextEvent;
using cursorwire::connect::ErrorOrigin;

absl::StatusOr<cursorwire::connect::TlsOptions> MakeTlsOptions(const Options& options) {
  cursorwire::connect::TlsOptions tls;
  if (options.ca_file.empty()) return tls;
  absl::StatusOr<std::string> pem = cursor_apps::ReadCertificates(options.ca_file);
  if (!pem.ok()) return pem.status();
  tls.ca_pem = *std::move(pem);
  return tls;
}

absl::StatusOr<std::unique_ptr<SharedText>> OpenText(const Options& options,
                                                     const std::string& peer_prefix,
                                                     const std::string& name) {
  absl::StatusOr<cursorwire::connect::TlsOptions> tls = MakeTlsOptions(options);
  if (!tls.ok()) return tls.status();
  return SharedText::Open({.url = options.sync_url,
                           .text = {.document = options.document,
                                    .field = options.field,
                                    .offsets = options.offsets,
                                    .peer_prefix = peer_prefix,
                                    .name = name},
                           .tls = *std::move(tls),
                           .allow_plaintext = options.allow_plaintext,
                           .storage_folder = options.storage});
}

void ServerTrouble::Note(const TextEvent& event) {
  if (std::holds_alternative<cursorwire::collab::TextConnected>(event)) {
    was_connected_ = true;
    refused_count_ = 0;
  } else if (const auto* lost = std::get_if<cursorwire::collab::TextDisconnected>(&event)) {
    lost_ = lost->why;
  } else if (const auto* problem = std::get_if<cursorwire::collab::TextProblem>(&event)) {
    if (!IsRefusal(*problem)) return;
    ++refused_count_;
    refused_ = absl::Status(problem->status.code(),
                            absl::StrCat("a message of the server of documents was refused: ",
                                         problem->status.message()));
    cursorwire::connect::SetErrorInfo(refused_, {.origin = ErrorOrigin::kProtocol});
  }
}

bool ServerTrouble::IsRefusal(const cursorwire::collab::TextProblem& problem) {
  const auto info = cursorwire::connect::GetErrorInfo(problem.status);
  return info && info->origin == ErrorOrigin::kProtocol;
}

absl::Status ServerTrouble::refused_login() const {
  const bool is_refused = absl::IsUnauthenticated(lost_) || absl::IsPermissionDenied(lost_);
  return is_refused && !was_connected_ ? lost_ : absl::OkStatus();
}

absl::Status ServerTrouble::UnavailableError(const Options& options, bool is_connected) const {
  if (!refused_.ok()) return refused_;
  if (is_connected) {
    return absl::UnavailableError(absl::StrCat("nobody has the document ", options.document));
  }
  if (!lost_.ok()) return absl::UnavailableError(lost_.message());
  // No attempt has failed: it is silent before or after the WebSocket was open. Without a path or
  // query, which may be secret.
  const auto url = cursorwire::SplitUrl(options.sync_url);
  return absl::UnavailableError(absl::StrCat("the server of documents at ",
                                             cursorwire::ToAbsl(url ? url->host_and_port : ""),
                                             " did not answer"));
}

}  // namespace cursor_collab
