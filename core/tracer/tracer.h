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
#include "tracer/table.h"

/* The parent's side of the table: creates it, and reads it after the run. */

typedef struct spate_tracer_size {
    uint32_t slots; /* a power of two; 0: four times what the largest known build needs */
    uint32_t bytes; /* size of the area for entries */
} spate_tracer_size;

/*
 * Creates an empty table in memory that no child can shrink. ignored: absolute clean paths; SPATE_LIMIT if they do not
 * fit. *descriptor is close-on-exec; children reopen it through /proc. spate_tracer_record_free releases the table and
 * closes the descriptor.
 */
spate_status spate_tracer_record_new(spate_tracer_table *table, int *descriptor, const char *const *ignored,
                                     size_t count, spate_tracer_size size, spate_error *error);
void spate_tracer_record_free(spate_tracer_table *table, int descriptor);

/* One recorded entry. The text is NUL-terminated and valid during the call. */
typedef bool spate_tracer_visit(void *context, const char *text, size_t length, uint64_t kinds);
/*
 * Visits all entries in the order of first occurrence, in their current state, until visit returns false. Corrupt
 * entries, which only a stray write of a child can cause, are skipped and reported as "!damaged". A full table is
 * reported as "!overflow".
 */
spate_status spate_tracer_record_each(const spate_tracer_table *table, spate_tracer_visit *visit, void *context);

typedef struct spate_tracer spate_tracer;

/*
 * ignored, size: see spate_tracer_record_new. read_only: no process may change a file, regardless of its user, except
 * that /dev/null may be written to. Such calls fail with their usual error or with EROFS, and are recorded as if they
 * had succeeded.
 */
spate_status spate_tracer_new(spate_tracer **tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                              bool read_only, spate_error *error);
/* The child's end of the socket: close-on-exec; the caller chooses its number in the child. */
int spate_tracer_socket(const spate_tracer *tracer);
/* Writes the value of SPATE_TRACER for the hooks to address[64]. */
void spate_tracer_address(const spate_tracer *tracer, char *address);

/* Starts to listen, in a thread that blocks all signals and starts no program. */
spate_status spate_tracer_start(spate_tracer *tracer, spate_error *error);
/* Closes this process's copy of the child's end, so that a child that ends before spate_tracer_enter is detected. */
void spate_tracer_stop(spate_tracer *tracer);
/* Waits up to `milliseconds` (-1: forever). Returns whether all processes have ended. Thread-safe. */
bool spate_tracer_wait(spate_tracer *tracer, int milliseconds);
/* Everything recorded so far, in the form of spate_tracer_record_each. May include "!still running" and "!never
 * began". */
spate_status spate_tracer_each(spate_tracer *tracer, spate_tracer_visit *visit, void *context);
/*
 * An open file with the texts of files that were read or run and then removed, up to 4 MB each and without a compiler's
 * (".c"). Each entry has the lengths of path and text, in 4 bytes each in this machine's byte order, then path and
 * text. Read it with pread, because it may be growing; the last entry may be incomplete. The tracer closes the file.
 */
int spate_tracer_texts(const spate_tracer *tracer);
/* The number of answered requests. */
uint64_t spate_tracer_asked(const spate_tracer *tracer);
/*
 * Running processes are no longer traced, but are answered as long as this process lives: a server that a build left
 * running continues, and stays read-only. After this process ends, their calls that take a path fail (ENOSYS) instead
 * of waiting forever.
 */
void spate_tracer_free(spate_tracer *tracer);

#endif
