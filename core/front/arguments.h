/* The command lines of `spate` that the native program reads. Everything else is Ruby's to read. */
#ifndef SPATE_FRONT_ARGUMENTS_H
#define SPATE_FRONT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spate_task { SPATE_TASK_RUBY, SPATE_TASK_VERSION, SPATE_TASK_EXEC } spate_task;

/* Points into argv. */
typedef struct spate_arguments {
    spate_task task; /* SPATE_TASK_RUBY: an unknown word, or an invalid value that Ruby reports */
    bool json;            /* version only */
    bool verbose;         /* exec only */
    const char *gemfile;  /* exec: --gemfile, or NULL */
    char *const *program; /* exec: the program and its arguments, at least one word, then NULL */
} spate_arguments;

/* argv ends with NULL, and may have no word at all. The words are read as by CLI::Command::Parser. */
spate_arguments spate_read_arguments(char *const *argv);

#endif
