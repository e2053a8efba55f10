// Room: values
#ifndef CURSORWIRE_EXPORT_H_
#define CURSORWIRE_EXPORT_H_

// The shared libraries show what is marked here and hide the rest; in a static library it makes no
// difference. Nothing for a user to set.
#define CURSORWIRE_EXPORT [[gnu::visibility("default")]]
// Marks what is declared within an exported class but is not part of the API.
#define CURSORWIRE_HIDDEN [[gnu::visibility("hidden")]]

#endif  // CURSORWIRE_EXPORT_H_
