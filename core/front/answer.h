/* Prints the output of commands, byte for byte as Ruby would. */
#ifndef SPATE_FRONT_ANSWER_H
#define SPATE_FRONT_ANSWER_H

#include "front/in_place.h"
#include "front/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Prints the output of `spate version` to stdout. Returns false if not everything was written; Ruby then runs the
 * command again and reports the failure.
 */
bool spate_answer_version(const spate_launcher *launcher, const char *version, bool json);

/* Prints the output of a record, with the same result. `nanoseconds` is the time since the program started. */
bool spate_answer_recorded(const struct spate_front_answer *answer, int64_t nanoseconds);

/* Formats a duration like CLI::Units.seconds. Returns the length, or 0 if it does not fit. */
size_t spate_format_seconds(char *text, size_t capacity, int64_t nanoseconds);

#endif
