#include "share.h"

#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "base/url.h"
#include "common/read_file.h"

namespace cursor_collab {

using cursorwire::collab::SharedText;
using cursorwire::collab::SharedTextOptions;

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

absl::Status UnavailableError(const Options& options, bool is_connected, const absl::Status& lost) {
  if (is_connected) {
    return absl::UnavailableError(absl::StrCat("nobody has the document ", options.document));
  }
  if (!lost.ok()) return absl::UnavailableError(lost.message());
  // No attempt has failed: it is silent before or after the WebSocket was open. Without a path or
  // query, which may be secret.
  const auto url = cursorwire::SplitUrl(options.sync_url);
  return absl::UnavailableError(absl::StrCat("the server of documents at ",
                                             cursorwire::ToAbsl(url ? url->host_and_port : ""),
                                             " did not answer"));
}

}  // namespace cursor_collab
