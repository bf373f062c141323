/*
 * Traces which of the machine's files a command and its descendants depend on:
 * docs/adr/0024-trace-builds-at-the-system-calls.md.
 *
 *     this process                              the child
 *     spate_tracer_new, spate_tracer_start
 *     starts the child with one end of a     -> loads what is not to be traced
 *     socket and the hooks' environment         spate_tracer_enter (tracer/supervisor/guard.h)
 *     a thread answers its questions        <-> continues; its descendants likewise
 *     spate_tracer_wait, spate_tracer_each
 *     spate_tracer_free
 *
 * Not for several threads at once.
 */
#ifndef SPATE_TRACER_H
#define SPATE_TRACER_H

#include "shared/status.h"
#include "tracer/record.h"

typedef struct spate_tracer spate_tracer;

/*
 * ignored, size: see record.h. read_only: no process may change a file, regardless of its user; /dev/null may be
 * written to. Such calls fail with their usual error, or else EROFS, and are recorded as if they succeeded.
 */
spate_status spate_tracer_new(spate_tracer **tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                              bool read_only, spate_error *error);
/* The child's end of the socket: close-on-exec; the caller chooses its number in the child. */
int spate_tracer_socket(const spate_tracer *tracer);
/* The value of SPATE_TRACER for the hooks, into address[64]. */
void spate_tracer_address(const spate_tracer *tracer, char *address);

/* Starts to listen, in a thread that blocks all signals and starts no program. */
spate_status spate_tracer_start(spate_tracer *tracer, spate_error *error);
/* Closes this process' copy of the child's end, so that a child that ends without having entered is detected. */
void spate_tracer_stop(spate_tracer *tracer);
/* Whether all processes have ended, after waiting that long at most; -1: without limit. From any thread. */
bool spate_tracer_wait(spate_tracer *tracer, int milliseconds);
/* Everything recorded so far, as spate_tracer_record_each; includes "!still running" and "!never began" if so. */
spate_status spate_tracer_each(spate_tracer *tracer, spate_tracer_visit *visit, void *context);
/*
 * Texts that were read or run and then removed, of at most 4 MB and not a compiler's (".c"): an open file of entries,
 * each the lengths of path and text in 4 bytes of this machine's byte order, path, text. To be read with pread, since
 * it may grow meanwhile; the last entry may be incomplete. The tracer closes it.
 */
int spate_tracer_texts(const spate_tracer *tracer);
/* The number of answered questions. */
uint64_t spate_tracer_asked(const spate_tracer *tracer);
/*
 * Processes that still run are no longer traced, but are answered as long as this process lives: a server that a build
 * left running continues, and stays read-only. When this process ends, their calls that take a path fail (ENOSYS)
 * instead of waiting for ever.
 */
void spate_tracer_free(spate_tracer *tracer);

#endif
