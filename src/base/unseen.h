#ifndef CURSORWIRE_SRC_BASE_UNSEEN_H_
#define CURSORWIRE_SRC_BASE_UNSEEN_H_

namespace cursorwire {

// Unicode, category Cc: of ASCII, and those of eight bits, which some terminals obey too.
constexpr bool IsControl(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character <= 0x9F);
}

// Whether a reader does not see the character at all: format characters, separators of lines and
// paragraphs, variation selectors, fillers, tags. Control characters are not among them. Source:
// Unicode 15, categories Cf, Zl and Zp, and DerivedCoreProperties.txt,
// Default_Ignorable_Code_Point.
bool IsUnseen(char32_t character);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_UNSEEN_H_
