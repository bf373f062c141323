/*
 * Reads the arguments of a request from the memory of the calling process, which is waiting, and records them in the
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

/* Nothing about the path was recorded. */
#define SPATE_TRACER_UNTOLD 1

/*
 * Records a request. Uses `listener` to check whether the process is still waiting; if not, what was read from it is
 * discarded. `texts` is a file for the texts of removed files: see spate_tracer_texts. Returns the predicted result of
 * the call: 0, a negative errno for a call on a path, or SPATE_TRACER_UNTOLD.
 */
long spate_tracer_notice(spate_tracer_table *table, int listener, int texts, const struct seccomp_notif *asked);

/* Reads from the memory of a process. Reads page by page, because the next page may be unmapped. Returns the number of
 * bytes, or -1 if none could be read. */
ssize_t spate_tracer_take_bytes(uint32_t process, uint64_t address, void *bytes, size_t capacity);
#endif

/* ---- programs ---- */

/* Records the execution of a program, and the other files that it opens: the interpreter in its first line, or the
 * loader in its ELF header. `folder` is the base directory for a relative interpreter. */
void spate_tracer_program(const spate_tracer_path *path, const char *folder);

#endif
