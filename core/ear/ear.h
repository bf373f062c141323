/*
 * Traces which of the machine's files a command and its descendants depend on:
 * docs/adr/0024-an-ear-at-the-system-calls.md.
 *
 *     this process                              the child
 *     spate_ear_new, spate_ear_start
 *     starts the child with one end of a     -> loads what is not to be traced
 *     socket and the hooks' environment         spate_ear_enter (ear/supervisor/guard.h)
 *     a thread answers its questions        <-> continues; its descendants likewise
 *     spate_ear_wait, spate_ear_each
 *     spate_ear_free
 *
 * Not for several threads at once.
 */
#ifndef SPATE_EAR_H
#define SPATE_EAR_H

#include "ear/record.h"
#include "shared/status.h"

typedef struct spate_ear spate_ear;

/*
 * ignored, size: see record.h. read_only: no process may change a file, regardless of its user; /dev/null may be
 * written to. Such calls fail with their usual error, or else EROFS, and are recorded as if they succeeded.
 */
spate_status spate_ear_new(spate_ear **ear, const char *const *ignored, size_t count, spate_ear_size size,
                           bool read_only, spate_error *error);
/* The child's end of the socket: close-on-exec; the caller chooses its number in the child. */
int spate_ear_socket(const spate_ear *ear);
/* The value of SPATE_EAR for the hooks, into address[64]. */
void spate_ear_address(const spate_ear *ear, char *address);

/* Starts to listen, in a thread that blocks all signals and starts no program. */
spate_status spate_ear_start(spate_ear *ear, spate_error *error);
/* Closes this process' copy of the child's end, so that a child that ends without having entered is detected. */
void spate_ear_hang_up(spate_ear *ear);
/* Whether all processes have ended, after waiting that long at most; -1: without limit. From any thread. */
bool spate_ear_wait(spate_ear *ear, int milliseconds);
/* Everything recorded so far, as spate_ear_record_each; includes "!still running" and "!never began" if so. */
spate_status spate_ear_each(spate_ear *ear, spate_ear_visit *visit, void *context);
/*
 * Texts that were read or run and then removed, of at most 4 MB and not a compiler's (".c"): an open file of entries,
 * each the lengths of path and text in 4 bytes of this machine's byte order, path, text. To be read with pread, since
 * it may grow meanwhile; the last entry may be incomplete. The ear closes it.
 */
int spate_ear_texts(const spate_ear *ear);
/* The number of answered questions. */
uint64_t spate_ear_asked(const spate_ear *ear);
/*
 * Processes that still run are no longer traced, but are answered as long as this process lives: a server that a build
 * left running continues, and stays read-only. When this process ends, their calls that take a path fail (ENOSYS)
 * instead of waiting for ever.
 */
void spate_ear_free(spate_ear *ear);

#endif
