/* Whether a bundle is in place, decided without Ruby: the same function for the front end and for Spate::Install. */
#ifndef SPATE_FRONT_IN_PLACE_H
#define SPATE_FRONT_IN_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum spate_front_command { SPATE_FRONT_INSTALL, SPATE_FRONT_CHECK };

struct spate_front_request {
    const char *cwd;          /* absolute */
    char *const *environment; /* as environ */
    const char *gemfile;      /* --gemfile as given, or NULL */
    enum spate_front_command command;
    unsigned threads; /* 0: decide by the number of paths */
};

struct spate_front_answer {
    uint32_t gems;       /* Install::Report#total, or the total of Check::Checker */
    uint32_t in_folders; /* of them those in folders of the application */
    char root[4096];     /* the application's folder */
    const char *doubt;   /* static text: why there is no answer; NULL: in place */
};

/*
 * Returns true if Ruby would find that there is nothing to do, and would print nothing but that. Prints and changes
 * nothing; holds no memory afterwards.
 */
bool spate_front_in_place(const struct spate_front_request *request, struct spate_front_answer *answer);

#endif
