/* Parses the command lines of `spate` that the native program handles. All others are left to Ruby. */
#ifndef SPATE_FRONT_ARGUMENTS_H
#define SPATE_FRONT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spate_task { SPATE_TASK_RUBY, SPATE_TASK_VERSION, SPATE_TASK_EXEC } spate_task;

/* All pointers point into argv. */
typedef struct spate_arguments {
    spate_task task; /* SPATE_TASK_RUBY for an unknown word, or an invalid value for Ruby to report */
    bool json;            /* version only */
    bool verbose;         /* exec only */
    const char *gemfile;  /* exec: --gemfile, or NULL */
    char *const *program; /* exec: the program and its arguments, at least one word, then NULL */
} spate_arguments;

/* Parses argv like CLI::Command::Parser. argv is NULL-terminated and may be empty. */
spate_arguments spate_read_arguments(char *const *argv);

#endif
