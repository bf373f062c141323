/* `spate exec`: starts Ruby once, prepared as by CLI::Exec and Boot::Exec::Interpreter. */
#ifndef SPATE_FRONT_EXEC_H
#define SPATE_FRONT_EXEC_H

#include "front/arguments.h"
#include "front/exec/environment_block.h"
#include "front/launcher.h"

typedef struct spate_exec_request {
    const spate_arguments *read;
    const char *library; /* Spate's lib */
    const char *version; /* Spate's */
    char *const *argv;
    char *const *environment;
} spate_exec_request;

/*
 * Replaces the process: by the launcher's own Ruby, if the program is that Ruby without unusual options, or by the
 * launcher with settings for Ruby's heap. Returns if Ruby has to decide; then nothing has been changed.
 */
void spate_exec(const spate_launcher *launcher, const spate_exec_request *request);

/*
 * The environment of the program: the Gemfile's absolute path, and no key for a team's cache. The caller frees
 * `entries`. false if memory is short, or if a path is too long.
 */
bool spate_exec_environment(spate_environment *copy, const spate_exec_request *request);

/* Whether Ruby's own start would differ with one of these words before the script: see Interpreter::SPECIAL. */
bool spate_plain_ruby_words(char *const *words);

#endif
