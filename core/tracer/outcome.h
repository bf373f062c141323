/*
 * Records how a call used a path, given its result. Used on both sides: the hooks know the result, and the listener
 * predicts it.
 */
#ifndef SPATE_TRACER_OUTCOME_H
#define SPATE_TRACER_OUTCOME_H

#include "tracer/table.h"

/* A path in the form in which it is recorded: absolute, without "//" and "/./". ".." is preserved because its meaning
 * depends on symlinks. */
typedef struct spate_tracer_path {
    spate_tracer_table *table;
    const char *text; /* NUL-terminated */
    size_t length;
    int own; /* process ID of the caller */
} spate_tracer_path;

/*
 * Joins `folder` (absolute, or "" if `name` is absolute) and `name`, and normalizes the result. Returns its length, or
 * 0 if `name` is empty or the result exceeds `capacity`. `folder` may be `joined`.
 */
size_t spate_tracer_join(char *joined, size_t capacity, const char *folder, const char *name);

void spate_tracer_record(const spate_tracer_path *path, spate_tracer_kind kind);
/* Records a call. `result` is its result, a negative errno on failure. `kind` is what to record on success. */
void spate_tracer_recorded(const spate_tracer_path *path, spate_tracer_kind kind, long result);
/* Records a call that creates a path: mkdir, link, rename (for its target). */
void spate_tracer_made(const spate_tracer_path *path, long result);
/* Records a call that changes or removes an existing path. */
void spate_tracer_changed(const spate_tracer_path *path, spate_tracer_kind before, long result);
/* Records an open. `existed` is whether the file existed before; it only matters if spate_tracer_may_make returns
 * true. */
void spate_tracer_opened(const spate_tracer_path *path, uint64_t flags, bool existed, long result);
/* Whether an open with these flags may create the file, but its result does not show whether it did. */
bool spate_tracer_may_make(uint64_t flags);

#endif
