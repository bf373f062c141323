#ifndef SPATE_SERVER_FILES_NATIVE_H
#define SPATE_SERVER_FILES_NATIVE_H

/*
 * Suggested reading order: resolve.h (paths to descriptors, without Ruby), found.c (a file or directory; reading it:
 * found_reading.c, listing it: found_listing.c), folder.c (the root).
 */
#include <ruby.h>

#include "resolve.h"

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

/*
 * Returns a new Spate::Server::Native::Found that owns the descriptor of `place`, if there is one. `path` is the
 * requested path, a String.
 */
VALUE spate_found_new(const spate_place *place, VALUE path);
/* Returns the place of a Found. The Found remains its owner. Raises TypeError. */
const spate_place *spate_found_place(VALUE found);

/* Returns the descriptor of a Found. The Found remains its owner. Raises IOError when closed. */
int spate_found_descriptor(VALUE found);
/* Returns the requested path, a String. */
VALUE spate_found_path(VALUE found);
/* Returns Qtrue or Qfalse: whether the open file has changed since it was opened. Raises SystemCallError. */
VALUE spate_found_changed(VALUE found);

VALUE spate_init_found(VALUE native); /* returns the class */
void spate_init_found_listing(VALUE found);
void spate_init_found_reading(VALUE found);
void spate_init_folder(VALUE native);

#endif
