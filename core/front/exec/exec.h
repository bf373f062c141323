/* Implements `spate exec`: starts Ruby only once, with the preparations of CLI::Exec and Boot::Exec::Interpreter. */
#ifndef SPATE_FRONT_EXEC_H
#define SPATE_FRONT_EXEC_H

#include "front/arguments.h"
#include "front/exec/environment_block.h"
#include "front/launcher.h"

typedef struct spate_exec_request {
    const spate_arguments *read;
    const char *library; /* path of Spate's lib directory */
    const char *version; /* version of Spate */
    char *const *argv;
    char *const *environment;
} spate_exec_request;

/*
 * Replaces the process. If the program is the launcher's Ruby without unusual options, executes that. Otherwise
 * executes the launcher with settings for Ruby's heap. Returns without any change if Ruby must handle the command.
 */
void spate_exec(const spate_launcher *launcher, const spate_exec_request *request);

/*
 * Makes the environment of the program: with the Gemfile's absolute path, and without the signing key of a team cache.
 * The caller frees `entries`. Returns false if out of memory, or if a path is too long.
 */
bool spate_exec_environment(spate_environment *copy, const spate_exec_request *request);

/* Whether none of Ruby's options before the script changes how Ruby starts: see Interpreter::SPECIAL. */
bool spate_plain_ruby_words(char *const *words);

#endif
