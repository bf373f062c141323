/* The inputs of a record in its order: clean paths, roots, absences by their folder. */
#ifndef SPATE_INPUTS_PLAN_H
#define SPATE_INPUTS_PLAN_H

#include "inputs/format.h"
#include "inputs/path.h"

typedef struct inputs_planned {
    spate_input_kind kind;
    uint32_t flags;
    uint32_t root;      /* number in the place + 1; 0: no root */
    const char *path;   /* path to look at on this machine; the folder for LISTED, the missing name for ABSENT */
    const char *folder; /* folder below the root */
    const char *name;   /* name in the folder; "" for LISTED */
    const uint8_t *expected;
    /* Filled in by spate_inputs_take: */
    int reason; /* errno; 0: no failure */
    disk_entry entry;
    char *target;            /* only for LINK; malloc'ed */
    const char *target_rest; /* the rest of the target below its root */
    uint32_t target_root;    /* like root, for the target */
} inputs_planned;

/* Items with one root and folder. */
typedef struct inputs_group {
    inputs_planned *first; /* LISTED first, then existing paths, then ABSENT */
    size_t count;
    bool listed;
    size_t absent_count;
    int reason;
    const char *culprit; /* the input that caused the errno */
    disk_folder folder;
} inputs_group;

typedef struct inputs_fact {
    spate_input_kind kind;
    const char *name;
    bool set;
    uint8_t sha256[SPATE_SHA256_LENGTH];
} inputs_fact;

/* Initialize with zeros; free with spate_inputs_plan_free. */
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

/* Fills in the plan. SPATE_STALE if a path exists that should be absent, SPATE_CORRUPT for invalid paths. */
spate_status spate_inputs_plan(inputs_plan *plan, const spate_input *inputs, size_t count,
                               const spate_inputs_place *place, spate_error *error);
/*
 * The last step of spate_inputs_plan: sorts, drops duplicates and forms the groups. SPATE_STALE if one file was read
 * with two different contents.
 */
spate_status spate_inputs_order(inputs_plan *plan, spate_error *error);
/* Looks at all inputs. Returns the same statuses as spate_inputs_write. */
spate_status spate_inputs_take(inputs_plan *plan, const spate_inputs_options *options, const spate_cancel *cancel,
                               spate_error *error);
void spate_inputs_planned_free(inputs_planned *item);
void spate_inputs_plan_free(inputs_plan *plan);

#endif
