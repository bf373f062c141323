#include "front/launcher.h"

#include "front/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "/spate-ruby"
#define MARK "#:"
#define BEFORE "spate-"
#define BEHIND ".gemspec"

bool spate_launcher_beside(spate_launcher *launcher, const char *program) {
    const char *slash = strrchr(program, '/');
    size_t length = slash ? (size_t)(slash - program) : 1;
    if (length + sizeof(NAME) > sizeof(launcher->path))
        return false;
    memcpy(launcher->path, slash ? program : ".", length);
    memcpy(launcher->path + length, NAME, sizeof(NAME));
    return true;
}

/* Returns false for an unknown name, or if there are too many values. */
static bool store_value(spate_launcher *launcher, const char *name, const char *value) {
    const struct {
        const char *name;
        const char **place;
    } single[] = {{"version", &launcher->version},
                  {"ruby", &launcher->ruby},
                  {"ruby-version", &launcher->ruby_version},
                  {"platform", &launcher->platform},
                  {"description", &launcher->description},
                  {"backend", &launcher->backend},
                  {"lib", &launcher->lib}};
    for (size_t at = 0; at < sizeof(single) / sizeof(*single); at++) {
        if (strcmp(single[at].name, name) != 0)
            continue;
        *single[at].place = value;
        return true;
    }
    if (strcmp(name, "folder") == 0 && launcher->folder_count < SPATE_LAUNCHER_FOLDERS)
        launcher->folders[launcher->folder_count++] = value;
    else if (strcmp(name, "ruby-key") == 0 && launcher->key_count < SPATE_LAUNCHER_KEYS)
        launcher->keys[launcher->key_count++] = value;
    else if (strcmp(name, "file") == 0 && launcher->file_count < SPATE_LAUNCHER_FILES)
        launcher->files[launcher->file_count++] = value;
    else
        return false;
    return true;
}

static bool complete(const spate_launcher *launcher) {
    return launcher->version && launcher->ruby && launcher->ruby_version && launcher->platform &&
           launcher->description && launcher->backend && launcher->file_count &&
           (launcher->lib || launcher->folder_count);
}

bool spate_launcher_read(spate_launcher *launcher) {
    launcher->version = launcher->ruby = launcher->ruby_version = launcher->platform = NULL;
    launcher->description = launcher->backend = launcher->lib = NULL;
    launcher->folder_count = launcher->file_count = launcher->key_count = 0;
    if (spate_read_text(launcher->path, launcher->text, SPATE_LAUNCHER_MAX, true) < 0)
        return false;
    for (char *line = launcher->text; *line;) {
        char *end = line + strcspn(line, "\n");
        char *following = *end ? end + 1 : end;
        *end = '\0';
        if (strncmp(line, MARK, strlen(MARK)) == 0) {
            char *name = line + strlen(MARK);
            char *space = strchr(name, ' ');
            if (!space)
                return false;
            *space = '\0';
            if (!store_value(launcher, name, space + 1))
                return false;
        }
        line = following;
    }
    return complete(launcher);
}

/* Parses a decimal number and skips the space after it. */
static bool number(const char **text, uintmax_t *value) {
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    errno = 0;
    *value = strtoumax(*text, &end, 10);
    if (errno != 0 || *end != ' ')
        return false;
    *text = end + 1;
    return true;
}

static bool unchanged(const char *fact) {
    uintmax_t size, seconds;
    struct stat info;
    if (!number(&fact, &size) || !number(&fact, &seconds) || stat(fact, &info) != 0)
        return false;
    return (uintmax_t)info.st_size == size && (uintmax_t)info.st_mtime == seconds;
}

bool spate_launcher_holds(const spate_launcher *launcher) {
    for (size_t at = 0; at < launcher->file_count; at++)
        if (!unchanged(launcher->files[at]))
            return false;
    return true;
}

/* Returns the length of the part of a version up to the next dot. */
static size_t part_length(const char *text, size_t length) {
    const char *dot = memchr(text, '.', length);
    return dot ? (size_t)(dot - text) : length;
}

static bool is_number(const char *part, size_t length) {
    for (size_t at = 0; at < length; at++)
        if (!isdigit((unsigned char)part[at]))
            return false;
    return length > 0;
}

static int compare_text(const char *one, size_t one_length, const char *other, size_t other_length) {
    size_t shared = one_length < other_length ? one_length : other_length;
    int order = memcmp(one, other, shared);
    return order ? order : (one_length > other_length) - (one_length < other_length);
}

static int compare_parts(const char *one, size_t one_length, const char *other, size_t other_length) {
    bool first = is_number(one, one_length);
    bool second = is_number(other, other_length);
    if (first != second)
        return first ? 1 : -1;
    if (!first)
        return compare_text(one, one_length, other, other_length);
    for (; one_length > 1 && *one == '0'; one++, one_length--) {}
    for (; other_length > 1 && *other == '0'; other++, other_length--) {}
    if (one_length != other_length)
        return one_length > other_length ? 1 : -1;
    return memcmp(one, other, one_length);
}

int spate_compare_versions(const char *one, size_t one_length, const char *other, size_t other_length) {
    while (one_length || other_length) {
        size_t first = part_length(one, one_length);
        size_t second = part_length(other, other_length);
        /* A shorter version is padded with zeros. */
        int order = compare_parts(one_length ? one : "0", one_length ? first : 1, other_length ? other : "0",
                                  other_length ? second : 1);
        if (order)
            return order;
        size_t skip = first < one_length ? first + 1 : first;
        one += skip;
        one_length -= skip;
        skip = second < other_length ? second + 1 : second;
        other += skip;
        other_length -= skip;
    }
    return 0;
}

static bool in_version(char letter) {
    return isalnum((unsigned char)letter) || letter == '.' || letter == '_';
}

/*
 * Returns the version in a name like "spate-1.2.3.gemspec" or "spate-1.2.3-x86_64-linux-gnu.gemspec", or NULL for other
 * names. Sets `length` to the length of the version, and `full` to that of the version with the platform.
 */
static const char *version_in(const char *name, size_t *length, size_t *full) {
    size_t all = strlen(name);
    size_t around = strlen(BEFORE) + strlen(BEHIND);
    if (all <= around || strncmp(name, BEFORE, strlen(BEFORE)) != 0 ||
        strcmp(name + all - strlen(BEHIND), BEHIND) != 0 || !isdigit((unsigned char)name[strlen(BEFORE)]))
        return NULL;
    const char *version = name + strlen(BEFORE);
    *full = all - around;
    for (*length = 0; *length < *full && in_version(version[*length]); ++*length) {}
    for (size_t at = *length; at < *full; at++)
        if (version[at] != '-' && (!in_version(version[at]) || version[at] == '.'))
            return NULL;
    return version;
}

/*
 * Compares the newest Spate in the folder with `version`: 1 if they are equal, -1 if it is older, 0 if there is none, 2
 * if it is newer or the folder cannot be read. If they are equal, sets `name` to the version with the gem's platform;
 * a gem that was compiled on this machine is preferred.
 */
static int newest(const char *folder, const char *version, char name[NAME_MAX + 1]) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/specifications", folder);
    if (length < 0 || (size_t)length >= sizeof(path))
        return 2;
    DIR *entries = opendir(path);
    if (!entries)
        return errno == ENOENT || errno == ENOTDIR ? 0 : 2;
    int found = 0;
    const struct dirent *entry;
    while (errno = 0, found < 2 && (entry = readdir(entries))) {
        size_t bytes, full;
        const char *text = version_in(entry->d_name, &bytes, &full);
        if (!text)
            continue;
        int order = spate_compare_versions(text, bytes, version, strlen(version));
        if (order == 0 && (found != 1 || full < strlen(name)))
            snprintf(name, NAME_MAX + 1, "%.*s", (int)full, text);
        found = order > 0 ? 2 : order == 0 ? 1 : found == 1 ? 1 : -1;
    }
    if (errno != 0)
        found = 2;
    return closedir(entries) == 0 ? found : 2;
}

bool spate_launcher_library(const spate_launcher *launcher, const char *version, char library[PATH_MAX]) {
    const char *first = NULL;
    char name[NAME_MAX + 1], first_name[NAME_MAX + 1];
    if (strcmp(launcher->version, version) != 0)
        return false;
    if (launcher->lib)
        return realpath(launcher->lib, library) != NULL;
    for (size_t at = 0; at < launcher->folder_count; at++) {
        int found = newest(launcher->folders[at], version, name);
        if (found == 2)
            return false;
        if (found == 1 && !first) {
            first = launcher->folders[at];
            memcpy(first_name, name, sizeof(name));
        }
    }
    if (!first)
        return false;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/gems/spate-%s/lib", first, first_name);
    return length > 0 && (size_t)length < sizeof(path) && realpath(path, library) != NULL;
}
