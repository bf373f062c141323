/*
 * The meaning of a call on a path and its outcome. Shared by both sides: the hooks know the outcome, the listener
 * predicts it.
 */
#ifndef SPATE_TRACER_OUTCOME_H
#define SPATE_TRACER_OUTCOME_H

#include "tracer/table.h"

/* A path as it is recorded: absolute, without "//" and "/./". ".." stays, since links decide where it leads. */
typedef struct spate_tracer_path {
    spate_tracer_table *table;
    const char *text; /* NUL behind its length */
    size_t length;
    int own; /* the process */
} spate_tracer_path;

/*
 * Joins folder (absolute, "" for an absolute name) and name into `joined` and cleans the result. Returns the length, 0
 * if there is no name or it does not fit into `capacity`. `folder` may be `joined`.
 */
size_t spate_tracer_join(char *joined, size_t capacity, const char *folder, const char *name);

void spate_tracer_record(const spate_tracer_path *path, spate_tracer_kind kind);
/* result: >= 0, or the negative errno. `kind`: what success means. */
void spate_tracer_recorded(const spate_tracer_path *path, spate_tracer_kind kind, long result);
/* For calls that make a name: mkdir, a link, a rename's target. */
void spate_tracer_made(const spate_tracer_path *path, long result);
/* For calls that change or remove something that must exist. */
void spate_tracer_changed(const spate_tracer_path *path, spate_tracer_kind before, long result);
/* existed: before the call; needed only if spate_tracer_may_make. */
void spate_tracer_opened(const spate_tracer_path *path, uint64_t flags, bool existed, long result);
/* Whether the outcome alone does not show if such an open created the file. */
bool spate_tracer_may_make(uint64_t flags);

#endif
