#include "support/source_folder.h"

namespace cursorwire::test {

std::string SourceFolder() { return CURSORWIRE_SOURCE_FOLDER; }

}  // namespace cursorwire::test
