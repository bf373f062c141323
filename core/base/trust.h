/*
 * Checks whether only this user and root can change what a path resolves to. A user who can write to a directory can
 * replace its entries, so every directory from the root on is checked, and every target of a link.
 *
 * For all directories but the last, two more owners are trusted. One is the owner of "/", who controls the machine
 * anyway; in a user namespace, all files of the outer root belong to the overflow user ID. The other is the owner of
 * $HOME, who may be anyone in CI containers: the content of $HOME already determines which gems and settings this
 * user's Ruby loads.
 */
#ifndef SPATE_TRUST_H
#define SPATE_TRUST_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spate_distrust {
    SPATE_TRUSTED,
    SPATE_FOREIGN_OWNER, /* of a directory or link */
    SPATE_GROUP_WRITES,  /* for directories above the last, not if the group ID equals the owner's user ID */
    SPATE_OTHERS_WRITE,  /* for directories above the last, not if the sticky bit is set */
    SPATE_NO_FOLDER,
    SPATE_NOT_SEARCHABLE,
} spate_distrust;

typedef struct spate_culprit {
    unsigned owner;
    unsigned mode; /* & 07777 */
    char path[4096];
} spate_culprit;

/* The name of the reason in Ruby: "owner", "group", "others", "folder", "search"; NULL for SPATE_TRUSTED. */
const char *spate_distrust_name(spate_distrust reason);

/*
 * Returns the first problem found, described by `culprit`. A missing path is trusted, because it would be created in a
 * trusted directory. Relative paths start at the working directory. `group` allows directories that are writable by
 * their group. `sticky` allows the last directory to be world-writable with the sticky bit, like /tmp.
 */
spate_distrust spate_trust_path(const char *path, bool group, bool sticky, spate_culprit *culprit);

#endif
