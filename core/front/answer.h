/* The output of the program: the bytes that Ruby would print. */
#ifndef SPATE_FRONT_ANSWER_H
#define SPATE_FRONT_ANSWER_H

#include "front/in_place.h"
#include "front/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes `spate version` to stdout. false if nothing is written, or not everything: Ruby then repeats the command, and
 * reports the failure.
 */
bool spate_answer_version(const spate_launcher *launcher, const char *version, bool json);

/* The same for the output of a record. `nanoseconds`: since the program started. */
bool spate_answer_recorded(const struct spate_front_answer *answer, int64_t nanoseconds);

/* As CLI::Units.seconds. Returns the length; 0 if it does not fit. */
size_t spate_format_seconds(char *text, size_t capacity, int64_t nanoseconds);

#endif
