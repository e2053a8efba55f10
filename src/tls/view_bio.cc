#include "tls/view_bio.h"

#include <algorithm>
#include <cstddef>

namespace cursorwire::tls {
namespace {

int ReadView(BIO* bio, char* out, size_t size, size_t* count) {
  BIO_clear_retry_flags(bio);
  std::string_view& unread = *static_cast<std::string_view*>(BIO_get_data(bio));
  *count = std::min(size, unread.size());
  if (*count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  std::copy_n(unread.data(), *count, out);
  unread.remove_prefix(*count);
  return 1;
}

// Nothing but what is asked of each BIO: that it can be flushed.
long ControlView(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// One for the whole process, which OpenSSL asks for.
const BIO_METHOD* ViewMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "view");
    BIO_meth_set_read_ex(made, ReadView);
    BIO_meth_set_ctrl(made, ControlView);
    return made;
  }();
  return method;
}

}  // namespace

OpenSslPtr<BIO> ViewBio(std::string_view& unread) {
  OpenSslPtr<BIO> bio(BIO_new(ViewMethod()));
  BIO_set_data(bio.get(), &unread);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace cursorwire::tls
