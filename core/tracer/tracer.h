/*
 * Traces which files of the machine a command and its descendants depend on:
 * docs/adr/0024-trace-builds-at-the-system-calls.md.
 *
 *   this process                              the child
 *   spate_tracer_new, spate_tracer_start
 *   starts the child with one end of a     -> loads what is not to be traced
 *   socket and the hooks' environment         spate_tracer_enter (tracer/supervisor/guard.h)
 *   a thread responds to its requests     <-> continues, as do its descendants
 *   spate_tracer_wait, spate_tracer_each
 *   spate_tracer_free
 *
 * Not thread-safe unless noted.
 */
#ifndef SPATE_TRACER_H
#define SPATE_TRACER_H

#include "shared/status.h"
#include "tracer/table.h"

/* ---- the table in the parent: creation, and reading after the run ---- */

typedef struct spate_tracer_size {
    uint32_t slots; /* a power of two; 0 for the default, four times what the largest known build needs */
    uint32_t bytes; /* size of the area for entries */
} spate_tracer_size;

/*
 * Creates an empty table in memory that children cannot truncate. `ignored` are absolute, normalized paths; returns
 * SPATE_LIMIT if they do not fit. *descriptor is close-on-exec; children open it through /proc. Release the table and
 * the descriptor with spate_tracer_record_free.
 */
spate_status spate_tracer_record_new(spate_tracer_table *table, int *descriptor, const char *const *ignored,
                                     size_t count, spate_tracer_size size, spate_error *error);
void spate_tracer_record_free(spate_tracer_table *table, int descriptor);

/* Called with a recorded entry. The text is NUL-terminated and only valid during the call. Returns false to stop. */
typedef bool spate_tracer_visit(void *context, const char *text, size_t length, uint64_t kinds);
/*
 * Calls `visit` for all entries, in the order in which they were first recorded. Corrupt entries, which can only be
 * caused by a stray write of a child, are skipped and reported as "!damaged". A full table is reported as "!overflow".
 */
spate_status spate_tracer_record_each(const spate_tracer_table *table, spate_tracer_visit *visit, void *context);

typedef struct spate_tracer spate_tracer;

/*
 * For `ignored` and `size` see spate_tracer_record_new. If `read_only`, no process can change a file, regardless of its
 * user; only /dev/null is writable. Such calls fail with their usual error or with EROFS, and are recorded as if they
 * had succeeded.
 */
spate_status spate_tracer_new(spate_tracer **tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                              bool read_only, spate_error *error);
/* Returns the child's end of the socket. It is close-on-exec; the caller chooses its number in the child. */
int spate_tracer_socket(const spate_tracer *tracer);
/* Writes the value of the environment variable SPATE_TRACER to address[64]. */
void spate_tracer_address(const spate_tracer *tracer, char *address);

/* Starts a thread that listens. It blocks all signals and starts no program. */
spate_status spate_tracer_start(spate_tracer *tracer, spate_error *error);
/* Closes this process's copy of the child's end. This is needed to detect a child that ends before
 * spate_tracer_enter. */
void spate_tracer_stop(spate_tracer *tracer);
/* Waits up to `milliseconds`, or forever if -1. Returns whether all processes have ended. Thread-safe. */
bool spate_tracer_wait(spate_tracer *tracer, int milliseconds);
/* Like spate_tracer_record_each, for everything recorded so far. May also report "!still running" and "!never
 * began". */
spate_status spate_tracer_each(spate_tracer *tracer, spate_tracer_visit *visit, void *context);
/*
 * Returns the descriptor of a file with the texts of files that were read or executed and then removed. It contains
 * files of up to 4 MB, except source files of a compiler (".c"). Each entry consists of the lengths of path and text (4
 * bytes each, in this machine's byte order), the path and the text. Read it with pread, because it may be growing; the
 * last entry may be incomplete. The tracer closes it.
 */
int spate_tracer_texts(const spate_tracer *tracer);
/* Returns the number of requests so far. */
uint64_t spate_tracer_asked(const spate_tracer *tracer);
/*
 * Stops tracing. Processes that are still running get responses as long as this process lives. So a server started by a
 * build continues, and is still read-only. After this process has ended, their calls that take a path fail with ENOSYS
 * instead of waiting forever.
 */
void spate_tracer_free(spate_tracer *tracer);

#endif
