/*
 * The file `spate-ruby` beside the program: Ruby's launcher, with facts about Ruby and the gem in comments (CLI::Setup).
 *
 *   #:ruby /usr/bin/ruby3.1
 *   #:file 14488 1676000000 /usr/bin/ruby3.1                    size and mtime in seconds: must be unchanged
 *   #:folder /var/lib/gems/3.1.0                                where the gem may be, in the order of the search
 *   #:lib /home/user/spate/lib                                  instead of folders, for a checkout
 *   #:ruby-key UTF-8 0123456789abcdef0123456789abcdef           Boot::RubyKey, by the locale's character set
 *
 * Seconds and no inode, since the layers of a container's image keep neither fractions nor inodes.
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

/* Values point into `text`; NULL for a fact that the file lacks. */
typedef struct spate_launcher {
    char path[PATH_MAX];
    char text[SPATE_LAUNCHER_MAX + 2];
    const char *version;      /* Spate's version that wrote the file */
    const char *ruby;         /* as /proc/self/exe shows it in Ruby */
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

/* Sets `path` from the path of the running program; false if it is too long. */
bool spate_launcher_beside(spate_launcher *launcher, const char *program);

/*
 * Reads the facts. false if the file may not be trusted (of another user, or writable for others), is too long, or
 * lacks a fact.
 */
bool spate_launcher_read(spate_launcher *launcher);

/* Whether the recorded files are unchanged, so that the facts hold. */
bool spate_launcher_holds(const spate_launcher *launcher);

/*
 * Sets `library` to the lib folder of the newest installed Spate, as the launcher's own search finds it. false unless
 * that is `version`.
 */
bool spate_launcher_library(const spate_launcher *launcher, const char *version, char library[PATH_MAX]);

/* Compares as the launcher does: negative, 0 or positive. A release is newer than its pre-releases. */
int spate_compare_versions(const char *one, size_t one_length, const char *other, size_t other_length);

#endif
