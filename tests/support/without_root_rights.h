#ifndef CURSORWIRE_TESTS_SUPPORT_WITHOUT_ROOT_RIGHTS_H_
#define CURSORWIRE_TESTS_SUPPORT_WITHOUT_ROOT_RIGHTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

namespace cursorwire::test {

// While it lives, a process of root has the rights of a user who owns nothing: root may open
// whatever its mode. Of another user it changes nothing.
class WithoutRootRights {
 public:
  WithoutRootRights() {
    if (was_root_) Become(kNobody);
  }
  ~WithoutRootRights() {
    if (was_root_) Become(0);
  }
  WithoutRootRights(const WithoutRootRights&) = delete;
  WithoutRootRights& operator=(const WithoutRootRights&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;

  static void Become(uid_t user) { EXPECT_EQ(::seteuid(user), 0); }

  const bool was_root_ = ::geteuid() == 0;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_WITHOUT_ROOT_RIGHTS_H_
