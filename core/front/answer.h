/* What the program prints instead of Ruby: the same bytes as the command's class in lib/spate/cli. */
#ifndef SPATE_FRONT_ANSWER_H
#define SPATE_FRONT_ANSWER_H

#include "front/arguments.h"
#include "front/in_place.h"
#include "front/launcher.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Writes `spate version` to stdout. false if nothing is written, or not everything: Ruby then repeats the command, and
 * reports the failure.
 */
bool spate_answer_version(const spate_launcher *launcher, const char *version, bool json);

/*
 * The same for `spate install` with nothing to do: the summary to stderr, or the events to stdout. `nanoseconds`: since
 * the program started.
 */
bool spate_answer_install(const struct spate_front_answer *answer, const spate_arguments *read, int64_t nanoseconds);

/* The same for `spate check` of a complete bundle. */
bool spate_answer_check(const struct spate_front_answer *answer, const spate_arguments *read);

/* "1,356 gems": with commas, and the noun's plural. Returns the length; 0 if it does not fit. */
size_t spate_format_gems(char *text, size_t capacity, uint32_t gems);

/* As CLI::Units.seconds. Returns the length; 0 if it does not fit. */
size_t spate_format_seconds(char *text, size_t capacity, int64_t nanoseconds);

#endif
