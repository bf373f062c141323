/* The environment as main() and execve() have it: "NAME=value" strings, then NULL. */
#ifndef SPATE_FRONT_ENVIRONMENT_BLOCK_H
#define SPATE_FRONT_ENVIRONMENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* The value of the first entry of that name, or NULL. */
const char *spate_variable(char *const *environment, const char *name);

/* A copy of the environment, with room for changes. Entries that are not changed stay the caller's. */
typedef struct spate_environment {
    char **entries;
    size_t count;
    size_t room;
} spate_environment;

/* `more`: how many variables may be added. false if memory is short. */
bool spate_environment_copy(spate_environment *copy, char *const *environment, size_t more);
/* Replaces or adds a variable. false if memory is short. What was set before stays allocated until the process ends. */
bool spate_environment_set(spate_environment *copy, const char *name, const char *value);
/* Removes all entries of that name. */
void spate_environment_unset(spate_environment *copy, const char *name);

#endif
