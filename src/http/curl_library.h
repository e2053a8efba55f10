#ifndef CURSORWIRE_SRC_HTTP_CURL_LIBRARY_H_
#define CURSORWIRE_SRC_HTTP_CURL_LIBRARY_H_

#include <absl/status/statusor.h>
#include <curl/curl.h>

namespace cursorwire::http {

// The functions of libcurl that are used, each under its name without `curl_`. libcurl is loaded
// when the first Client is made and stays until the process ends: it brings some 35
// libraries with it, which would make up half of the time in which a program starts.
struct CurlLibrary {
  // The one of the whole process. On any thread.
  //   kUnavailable  it is not installed, or lacks a function; the message says which file it was
  static absl::StatusOr<const CurlLibrary*> Get();
  // For tests: one of another file.
  static absl::StatusOr<CurlLibrary> Load(const char* file);

  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_pause) easy_pause = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_free) free = nullptr;
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_setopt) multi_setopt = nullptr;
  decltype(&::curl_multi_socket_action) multi_socket_action = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_url) url = nullptr;
  decltype(&::curl_url_cleanup) url_cleanup = nullptr;
  decltype(&::curl_url_get) url_get = nullptr;
  decltype(&::curl_url_set) url_set = nullptr;
};

}  // namespace cursorwire::http

#endif  // CURSORWIRE_SRC_HTTP_CURL_LIBRARY_H_
