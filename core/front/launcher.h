/*
 * Reads `spate-ruby`, Ruby's launcher, which is next to the program. Its comments contain facts about Ruby and the gem,
 * written by CLI::Setup:
 *
 *   #:ruby /usr/bin/ruby3.1
 *   #:file 14488 1676000000 /usr/bin/ruby3.1                    size and mtime in seconds: must be unchanged
 *   #:folder /var/lib/gems/3.1.0                                where the gem may be, in search order
 *   #:lib /home/user/spate/lib                                  instead of folders, for a checkout
 *   #:ruby-key UTF-8 0123456789abcdef0123456789abcdef           Boot::RubyKey, by the locale's character set
 *
 * Times are in seconds and inodes are omitted, because the layers of a container image preserve neither.
 */
#ifndef SPATE_FRONT_LAUNCHER_H
#define SPATE_FRONT_LAUNCHER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define SPATE_LAUNCHER_MAX (32 << 10)
#define SPATE_LAUNCHER_FOLDERS 32
#define SPATE_LAUNCHER_FILES 16
#define SPATE_LAUNCHER_KEYS 8

/* Values point into `text`. A missing value is NULL. */
typedef struct spate_launcher {
    char path[PATH_MAX];
    char text[SPATE_LAUNCHER_MAX + 2];
    const char *version;      /* version of the Spate that wrote the file */
    const char *ruby;         /* real path of the Ruby executable */
    const char *ruby_version; /* "3.1.2" */
    const char *platform;     /* RUBY_PLATFORM */
    const char *description;  /* Util::Ruby.description */
    const char *backend;      /* Native.inflate_backend */
    const char *lib;
    const char *folders[SPATE_LAUNCHER_FOLDERS];
    size_t folder_count;
    const char *files[SPATE_LAUNCHER_FILES];
    size_t file_count;
    const char *keys[SPATE_LAUNCHER_KEYS];
    size_t key_count;
} spate_launcher;

/* Sets `path` from the path of the running program. Returns false if it is too long. */
bool spate_launcher_beside(spate_launcher *launcher, const char *program);

/*
 * Reads the facts. Returns false if the file is not trusted (it belongs to another user or is writable by others), is
 * too long, or lacks a fact.
 */
bool spate_launcher_read(spate_launcher *launcher);

/* Whether the recorded files are unchanged, so that the facts are valid. */
bool spate_launcher_holds(const spate_launcher *launcher);

/*
 * Sets `library` to the lib directory of the newest installed Spate, as the launcher would find it. Returns false
 * unless that is `version`.
 */
bool spate_launcher_library(const spate_launcher *launcher, const char *version, char library[PATH_MAX]);

/* Compares versions like the launcher. Returns a negative number, 0 or a positive number. A release is newer than its
 * pre-releases. */
int spate_compare_versions(const char *one, size_t one_length, const char *other, size_t other_length);

#endif
