/* Decides without Ruby whether a command has nothing to do, based on a record of its last run. */
#ifndef SPATE_FRONT_IN_PLACE_H
#define SPATE_FRONT_IN_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct spate_front_request {
    const char *cwd;          /* absolute path of the working directory */
    char *const *environment; /* like environ */
    const char *launcher;     /* path of the launcher, because each Ruby has its own; may be NULL */
    char *const *words;       /* NULL-terminated words of the command line, without the program's name */
    unsigned threads;         /* 0 to choose by the number of paths */
};

/* The strings point into `record`. */
struct spate_front_answer {
    const char *output; /* see SPATE_OUTPUT_SECONDS */
    int stream;         /* descriptor for the output */
    const char *doubt;  /* why Ruby must run the command (a static string); NULL if there is nothing to do */
    void *record;       /* allocated with malloc */
    size_t length;
};

/*
 * Returns true if Ruby would only print `output` and exit with status 0. Prints and changes nothing. Release the answer
 * with spate_front_release in any case.
 */
bool spate_front_in_place(const struct spate_front_request *request, struct spate_front_answer *answer);

void spate_front_release(struct spate_front_answer *answer);

#endif
