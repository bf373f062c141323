/*
 * Whether nobody but this user and root can change what a path leads to. Whoever may write a folder on the way can put
 * another one, or a link, in the next one's place: each is looked at, from the root on, and each that a link leads to.
 *
 * Two more are trusted with a folder on the way, never with the last. Who owns "/" has the machine in his hand: in a user
 * namespace all that is root's outside belongs to nobody. And $HOME may be whose it likes, as containers of CI have it:
 * what lies there decides already what gems and settings this user's Ruby has.
 */
#ifndef SPATE_TRUST_H
#define SPATE_TRUST_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spate_distrust {
    SPATE_TRUSTED,
    SPATE_FOREIGN_OWNER, /* of a folder, or of a link */
    SPATE_GROUP_WRITES,  /* above the last folder: but for a group of the owner's own, one of the same number */
    SPATE_OTHERS_WRITE,  /* above the last folder: without the sticky bit */
    SPATE_NO_FOLDER,
    SPATE_NOT_SEARCHABLE,
} spate_distrust;

typedef struct spate_culprit {
    unsigned owner;
    unsigned mode; /* & 07777 */
    char path[4096];
} spate_culprit;

/* As Ruby's symbols: "owner", "group", "others", "folder", "search"; NULL for SPATE_TRUSTED. */
const char *spate_distrust_name(spate_distrust reason);

/*
 * The first reason on the way, `culprit` filled in then. What does not exist is trusted: it will be made in a folder that
 * is. A relative path begins in the working directory. `group`: groups may write. `sticky`: the last folder may be one as
 * /tmp is.
 */
spate_distrust spate_trust_path(const char *path, bool group, bool sticky, spate_culprit *culprit);

#endif
