#ifndef CURSORWIRE_TESTS_SUPPORT_SOURCE_FOLDER_H_
#define CURSORWIRE_TESTS_SUPPORT_SOURCE_FOLDER_H_

#include <string>

namespace cursorwire::test {

// The checkout. A function, so that no other object file depends on where that is.
std::string SourceFolder();

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SOURCE_FOLDER_H_
