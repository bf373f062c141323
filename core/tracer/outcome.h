/*
 * Records the meaning and outcome of a call on a path. Used on both sides: the hooks know the outcome, the listener
 * predicts it.
 */
#ifndef SPATE_TRACER_OUTCOME_H
#define SPATE_TRACER_OUTCOME_H

#include "tracer/table.h"

/* A path as it is recorded: absolute, without "//" and "/./". ".." is kept because its target depends on links. */
typedef struct spate_tracer_path {
    spate_tracer_table *table;
    const char *text; /* NUL-terminated */
    size_t length;
    int own; /* the calling process */
} spate_tracer_path;

/*
 * Joins folder (absolute, "" for an absolute name) and name into `joined` and cleans the result. Returns the length, or
 * 0 if there is no name or the result exceeds `capacity`. `folder` may be `joined`.
 */
size_t spate_tracer_join(char *joined, size_t capacity, const char *folder, const char *name);

void spate_tracer_record(const spate_tracer_path *path, spate_tracer_kind kind);
/* result: >= 0, or the negative errno. `kind`: what success means. */
void spate_tracer_recorded(const spate_tracer_path *path, spate_tracer_kind kind, long result);
/* For calls that create a name: mkdir, link, rename (its target). */
void spate_tracer_made(const spate_tracer_path *path, long result);
/* For calls that change or remove an existing path. */
void spate_tracer_changed(const spate_tracer_path *path, spate_tracer_kind before, long result);
/* existed: whether the file existed before the call; needed only if spate_tracer_may_make. */
void spate_tracer_opened(const spate_tracer_path *path, uint64_t flags, bool existed, long result);
/* Whether an open with these flags may create the file without its result showing that. */
bool spate_tracer_may_make(uint64_t flags);

#endif
