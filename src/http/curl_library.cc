#include "http/curl_library.h"

#include <absl/strings/str_cat.h>
#include <dlfcn.h>

#include "base/error.h"

namespace cursorwire::http {
namespace {

// Its name since 2006: libcurl keeps its ABI. Source: https://curl.se/libcurl/abi.html.
constexpr char kFile[] = "libcurl.so.4";

absl::Status CannotLoad() {
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): it is kept for each thread
  return LocalError(absl::StatusCode::kUnavailable,
                    absl::StrCat("libcurl, which servers over HTTP need, cannot be loaded: ",
                                 reason == nullptr ? "no reason was given" : reason));
}

// False: there is none of that name.
template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

absl::StatusOr<CurlLibrary> LoadAndBegin() {
  absl::StatusOr<CurlLibrary> loaded = CurlLibrary::Load(kFile);
  if (loaded.ok() && loaded->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return LocalError(absl::StatusCode::kInternal, "libcurl cannot be used");
  }
  return loaded;
}

}  // namespace

absl::StatusOr<const CurlLibrary*> CurlLibrary::Get() {
  static const absl::StatusOr<CurlLibrary> library = LoadAndBegin();
  if (!library.ok()) return library.status();
  return &*library;
}

absl::StatusOr<CurlLibrary> CurlLibrary::Load(const char* file) {
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return CannotLoad();
  CurlLibrary found;
  const bool all = Find(library, "curl_easy_cleanup", found.easy_cleanup) &&
                   Find(library, "curl_easy_getinfo", found.easy_getinfo) &&
                   Find(library, "curl_easy_init", found.easy_init) &&
                   Find(library, "curl_easy_pause", found.easy_pause) &&
                   Find(library, "curl_easy_setopt", found.easy_setopt) &&
                   Find(library, "curl_easy_strerror", found.easy_strerror) &&
                   Find(library, "curl_free", found.free) &&
                   Find(library, "curl_global_init", found.global_init) &&
                   Find(library, "curl_multi_add_handle", found.multi_add_handle) &&
                   Find(library, "curl_multi_cleanup", found.multi_cleanup) &&
                   Find(library, "curl_multi_info_read", found.multi_info_read) &&
                   Find(library, "curl_multi_init", found.multi_init) &&
                   Find(library, "curl_multi_remove_handle", found.multi_remove_handle) &&
                   Find(library, "curl_multi_setopt", found.multi_setopt) &&
                   Find(library, "curl_multi_socket_action", found.multi_socket_action) &&
                   Find(library, "curl_slist_append", found.slist_append) &&
                   Find(library, "curl_slist_free_all", found.slist_free_all) &&
                   Find(library, "curl_url", found.url) &&
                   Find(library, "curl_url_cleanup", found.url_cleanup) &&
                   Find(library, "curl_url_get", found.url_get) &&
                   Find(library, "curl_url_set", found.url_set);
  if (all) return found;
  absl::Status status = CannotLoad();
  ::dlclose(library);
  return status;
}

}  // namespace cursorwire::http
