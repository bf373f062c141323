/*
 * Reads the arguments of a filter's notification from the calling process while it waits, and records them in the
 * table.
 */
#ifndef SPATE_TRACER_NOTICE_H
#define SPATE_TRACER_NOTICE_H

#include "tracer/here.h"
#include "tracer/outcome.h"
#include "tracer/table.h"

#ifdef SPATE_TRACER_HERE
#include <linux/seccomp.h>
#include <sys/types.h>

/* Nothing was recorded about a path. */
#define SPATE_TRACER_UNTOLD 1

/*
 * listener: checks whether the process still waits; data read from a process that no longer waits is discarded. texts:
 * a file for removed texts, see spate_tracer_texts. Returns the predicted result of the call: 0, the negative errno of
 * a call on a path, or SPATE_TRACER_UNTOLD.
 */
long spate_tracer_notice(spate_tracer_table *table, int listener, int texts, const struct seccomp_notif *asked);

/* Reads page by page, because memory may end at an unmapped page. Returns the number of bytes, or -1 if there are
 * none. */
ssize_t spate_tracer_take_bytes(uint32_t process, uint64_t address, void *bytes, size_t capacity);
#endif

/* Additional files that executing a file opens: the interpreter on its first line, the loader in its header. */

/* folder: the base for an interpreter with a relative name. */
void spate_tracer_program(const spate_tracer_path *path, const char *folder);

#endif
