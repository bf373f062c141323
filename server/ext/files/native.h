#ifndef SPATE_SERVER_FILES_NATIVE_H
#define SPATE_SERVER_FILES_NATIVE_H

/* Suggested order: resolve.h (paths to descriptors, no Ruby), found.c (what a path led to;
 * found_reading.c: its bytes, found_listing.c: what is in it), folder.c (the root). */
#include <ruby.h>

#include "resolve.h"

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

/*
 * A Spate::Server::Native::Found of `place`, whose descriptor (or -1) it owns from now on and closes when it is closed or
 * collected. `path`: as it was asked for.
 */
VALUE spate_found_new(const spate_place *place, VALUE path);
/* The place inside of a Found. TypeError for anything else. */
const spate_place *spate_found_place(VALUE found);

/* Of an open Found, to read from. IOError where it is closed. */
int spate_found_descriptor(VALUE found);
/* As it was asked for. */
VALUE spate_found_path(VALUE found);
/* Whether the open file is no longer what it was when it was found. SystemCallError. */
VALUE spate_found_changed(VALUE found);

VALUE spate_init_found(VALUE native); /* the class */
void spate_init_found_listing(VALUE found);
void spate_init_found_reading(VALUE found);
void spate_init_folder(VALUE native);

#endif
