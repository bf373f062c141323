/* `spate exec`: starts Ruby once, prepared as by CLI::Exec and Boot::Exec::Interpreter. */
#ifndef SPATE_FRONT_EXEC_H
#define SPATE_FRONT_EXEC_H

#include "front/arguments.h"
#include "front/launcher.h"

/*
 * Replaces the process where the program is the launcher's own Ruby, without unusual options. Returns if it is another
 * one, or anything is unusual; then nothing has been changed.
 */
void spate_exec(const spate_launcher *launcher, const spate_arguments *read, const char *library,
                char *const *environment);

/* Whether Ruby's own start would differ with one of these words before the script: see Interpreter::SPECIAL. */
bool spate_plain_ruby_words(char *const *words);

/* As File.expand_path: an absolute path without ".", ".." and empty names. false if it is too long, or begins with "~". */
bool spate_expand_path(const char *path, const char *folder, char expanded[PATH_MAX]);

#endif
