/* Variables that size Ruby's heap for the program of `spate exec`, as Boot::Exec::Heap.environment. */
#ifndef SPATE_FRONT_HEAP_H
#define SPATE_FRONT_HEAP_H

#include "front/exec/environment_block.h"
#include "front/launcher.h"

#include <limits.h>

/* Variables that a heap may add: one for each slot size, and the list of their names. */
#define SPATE_HEAP_VARIABLES 17

/*
 * Adds the variables to the copy. false if there are none, or in doubt: Ruby then decides. `program`: the words of the
 * command. The copy has the Gemfile's absolute path, if one is named.
 */
bool spate_heap_settings(const spate_launcher *launcher, const char *version, char *const *program,
                         spate_environment *copy);

/* What the boot log (Boot::BootLog) shows for one kind of boot. */
typedef struct spate_boots {
    double with;       /* median of the milliseconds of collection in the last boots with the settings */
    double without;    /* and in those without */
    bool tried;        /* whether there are boots with the settings */
    const char *slots; /* "41000,9000" of the last boot without; NULL if there is none */
} spate_boots;

/* Reads the log's text, and changes it. false in doubt. */
bool spate_read_boots(char *text, const char *kind, spate_boots *boots);

/* "rails server [test]": see Boot::Session.kind_of. false if it does not fit. */
bool spate_boot_kind(char *const *program, char *const *environment, char *kind, size_t capacity);

/* Spate's folder, as Util::StorePlace.home. false if no variable names one, or if it is too long. */
bool spate_home(char *const *environment, char home[PATH_MAX]);

#endif
