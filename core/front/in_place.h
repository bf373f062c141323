/* Whether a command has nothing to do, decided without Ruby by a record of the last time. */
#ifndef SPATE_FRONT_IN_PLACE_H
#define SPATE_FRONT_IN_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct spate_front_request {
    const char *cwd;          /* absolute */
    char *const *environment; /* as environ */
    const char *launcher;     /* path, since each Ruby has its own; may be NULL */
    char *const *words;       /* of the command line after the program's name, then NULL */
    unsigned threads;         /* 0: decide by the number of paths */
};

/* Texts point into `record`. */
struct spate_front_answer {
    const char *output; /* see SPATE_OUTPUT_SECONDS */
    int stream;         /* descriptor for the output */
    const char *doubt;  /* static text: why there is no answer; NULL: in place */
    void *record;       /* in memory of its own */
    size_t length;
};

/*
 * Returns true if Ruby would do nothing but print `output`, and exit with status 0. Prints and changes nothing. The
 * caller ends the answer with spate_front_release, whatever the result.
 */
bool spate_front_in_place(const struct spate_front_request *request, struct spate_front_answer *answer);

void spate_front_release(struct spate_front_answer *answer);

#endif
