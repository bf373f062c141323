/* Variables that size Ruby's heap for the program of `spate exec`, as in Boot::Exec::Heap.environment. */
#ifndef SPATE_FRONT_HEAP_H
#define SPATE_FRONT_HEAP_H

#include "front/exec/environment_block.h"
#include "front/launcher.h"

#include <limits.h>

/* Maximum number of variables to add: one for each slot size, and the list of their names. */
#define SPATE_HEAP_VARIABLES 17

/*
 * Adds the variables to `copy`. Returns false if there are none, or if Ruby must decide. `program` is the command with
 * its arguments. BUNDLE_GEMFILE in `copy` must be absolute if it is set.
 */
bool spate_heap_settings(const spate_launcher *launcher, const char *version, char *const *program,
                         spate_environment *copy);

/* Statistics from the boot log (Boot::BootLog) for one kind of boot. */
typedef struct spate_boots {
    double with;       /* median time in garbage collection of the last boots with the settings, in ms */
    double without;    /* the same for boots without the settings */
    bool tried;        /* whether the log has boots with the settings */
    const char *slots; /* slot counts of the last boot without the settings, such as "41000,9000"; NULL if there is
                        * none */
} spate_boots;

/* Parses the log, modifying `text`. Returns false if a line is not understood. */
bool spate_read_boots(char *text, const char *kind, spate_boots *boots);

/* Makes the kind of a boot, such as "rails server [test]": see Boot::Session.kind_of. Returns false if it does not
 * fit. */
bool spate_boot_kind(char *const *program, char *const *environment, char *kind, size_t capacity);

/* Returns Spate's directory, like Util::StorePlace.home. Returns false if no variable determines it, or if it is too
 * long. */
bool spate_home(char *const *environment, char home[PATH_MAX]);

#endif
