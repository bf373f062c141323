/* The inputs of a record in its order: clean paths, roots, absences by their folder. */
#ifndef SPATE_INPUTS_PLAN_H
#define SPATE_INPUTS_PLAN_H

#include "inputs/format.h"
#include "inputs/path.h"

typedef struct inputs_planned {
    spate_input_kind kind;
    uint32_t flags;
    uint32_t root;      /* number in the place + 1; 0: none */
    const char *path;   /* here: the path to look at; LISTED: the folder, ABSENT: the name in it */
    const char *folder; /* below the root */
    const char *name;   /* in the folder; "" of LISTED */
    const uint8_t *expected;
    /* Filled by spate_inputs_take: */
    int reason; /* errno; 0: no failure */
    disk_entry entry;
    char *target;            /* LINK; with malloc */
    const char *target_rest; /* in target */
    uint32_t target_root;    /* as root */
} inputs_planned;

/* Items with one root and folder. */
typedef struct inputs_group {
    inputs_planned *first; /* LISTED, then existing ones, then ABSENT */
    size_t count;
    bool listed;
    size_t absent_count;
    int reason;
    const char *culprit; /* the input that the reason concerns */
    disk_folder folder;
} inputs_group;

typedef struct inputs_fact {
    spate_input_kind kind;
    const char *name;
    bool set;
    uint8_t sha256[SPATE_SHA256_LENGTH];
} inputs_fact;

/* Zero it first; freed with spate_inputs_plan_free. */
typedef struct inputs_plan {
    const spate_inputs_place *place;
    inputs_planned *items;
    size_t count;
    size_t capacity;
    inputs_group *groups;
    size_t group_count;
    inputs_fact *facts;
    size_t fact_count;
} inputs_plan;

/* Prepares everything. SPATE_STALE for an existing path that should be absent, SPATE_CORRUPT for invalid paths. */
spate_status spate_inputs_plan(inputs_plan *plan, const spate_input *inputs, size_t count,
                               const spate_inputs_place *place, spate_error *error);
/* A part of that: sorts, drops duplicates and forms the groups. SPATE_STALE for one file read with two contents. */
spate_status spate_inputs_order(inputs_plan *plan, spate_error *error);
/* Looks at everything. The statuses of spate_inputs_write. */
spate_status spate_inputs_take(inputs_plan *plan, const spate_inputs_options *options, const spate_cancel *cancel,
                               spate_error *error);
void spate_inputs_planned_free(inputs_planned *item);
void spate_inputs_plan_free(inputs_plan *plan);

#endif
