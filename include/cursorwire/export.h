#ifndef CURSORWIRE_EXPORT_H_
#define CURSORWIRE_EXPORT_H_

// The shared libraries show what is marked here and hide the rest; in a static library it makes no
// difference. Nothing for a user to set.
#define CURSORWIRE_EXPORT [[gnu::visibility("default")]]
// What is declared within an exported class and is none of the user's business.
#define CURSORWIRE_HIDDEN [[gnu::visibility("hidden")]]

#endif  // CURSORWIRE_EXPORT_H_
