/* The environment in the form of main() and execve(): NULL-terminated array of "NAME=value" strings. */
#ifndef SPATE_FRONT_ENVIRONMENT_BLOCK_H
#define SPATE_FRONT_ENVIRONMENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value of the first entry with this name, or NULL. */
const char *spate_variable(char *const *environment, const char *name);

/* A copy of the environment that can be changed. Unchanged entries belong to the caller. */
typedef struct spate_environment {
    char **entries;
    size_t count;
    size_t room;
} spate_environment;

/* `more` is the number of variables that may be added. Returns false if out of memory. */
bool spate_environment_copy(spate_environment *copy, char *const *environment, size_t more);
/* Replaces or adds a variable. Returns false if out of memory or room. Replaced values are not freed. */
bool spate_environment_set(spate_environment *copy, const char *name, const char *value);
/* Removes all entries with this name. */
void spate_environment_unset(spate_environment *copy, const char *name);

#endif
