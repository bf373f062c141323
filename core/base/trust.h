/*
 * Whether only this user and root can change what a path leads to. A user who may write a folder on the way can
 * replace the next one by another or by a link, so each folder is checked from the root on, and so is each target of a
 * link. Two more owners are trusted with a folder on the way, but never with the last. The owner of "/" controls the
 * machine anyway: in a user namespace all files of the outer root have the overflow user ID. And $HOME may have any
 * owner, as in CI containers: its contents already decide which gems and settings this user's Ruby has.
 */
#ifndef SPATE_TRUST_H
#define SPATE_TRUST_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spate_distrust {
    SPATE_TRUSTED,
    SPATE_FOREIGN_OWNER, /* of a folder, or of a link */
    SPATE_GROUP_WRITES,  /* above the last folder: unless it is the owner's own group, of the same number */
    SPATE_OTHERS_WRITE,  /* above the last folder: unless it has the sticky bit */
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
 * The first reason found; `culprit` is then filled in. A missing path is trusted: it will be made in a folder that is.
 * A relative path begins in the working directory. `group`: groups may write. `sticky`: the last folder may be like
 * /tmp.
 */
spate_distrust spate_trust_path(const char *path, bool group, bool sticky, spate_culprit *culprit);

#endif
