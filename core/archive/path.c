#include "archive/path.h"

#include <string.h>

#define PART_MAX 255
#define PATH_LENGTH_MAX 4096

/* Truncates the name to fit into the error, and appends a NUL. */
static spate_status refuse(spate_error *error, const char *name, size_t length, const char *reason) {
    char member[sizeof((spate_error *)0)->member];
    size_t kept = length < sizeof member ? length : sizeof member - 1;

    memcpy(member, name, kept);
    member[kept] = '\0';
    return spate_fail(error, SPATE_REFUSED, member, "%s", reason);
}

/* Returns why these bytes cannot be a file name, or NULL if they can. */
static const char *fault_in_bytes(const char *name, size_t length) {
    if (length == 0)
        return "the name is empty";
    if (length > PATH_LENGTH_MAX)
        return "the name is longer than 4096 bytes";
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte == '\0')
            return "the name contains a null byte";
        if (byte == '\n')
            return "the name contains a newline";
        if ((byte < 0x20 && byte != '\r') || byte == 0x7f) /* real gems contain the "Icon\r" files of macOS */
            return "the name contains a control character";
    }
    return NULL;
}

/* Returns the length of the first path component of `name`. */
static size_t part_length(const char *name, size_t length) {
    const char *slash = memchr(name, '/', length);
    return slash == NULL ? length : (size_t)(slash - name);
}

static bool is_dot(const char *part, size_t length) {
    return length == 1 && part[0] == '.';
}

static bool is_dot_dot(const char *part, size_t length) {
    return length == 2 && part[0] == '.' && part[1] == '.';
}

spate_status spate_path_clean(const char *name, size_t name_length, char *cleaned, size_t capacity, size_t *length,
                              spate_error *error) {
    size_t end = 0; /* length of cleaned so far */

    *length = 0;
    const char *fault = fault_in_bytes(name, name_length);
    if (fault != NULL) {
        return refuse(error, name, name_length, fault);
    }
    if (name[0] == '/') {
        return refuse(error, name, name_length, "the name is absolute");
    }
    for (size_t at = 0; at < name_length;) {
        const char *part = name + at;
        size_t size = part_length(part, name_length - at);
        at += size + 1;
        if (size == 0 || is_dot(part, size)) {
            continue;
        }
        if (is_dot_dot(part, size)) {
            if (end == 0) {
                return refuse(error, name, name_length, "the name leads out of the package");
            }
            while (end > 0 && cleaned[--end] != '/') {
            }
            continue;
        }
        if (size > PART_MAX) {
            return refuse(error, name, name_length, "a part of the name is longer than 255 bytes");
        }
        if (end + (end > 0) + size + 1 > capacity) {
            return refuse(error, name, name_length, "the name is too long");
        }
        if (end > 0) {
            cleaned[end++] = '/';
        }
        memcpy(cleaned + end, part, size);
        end += size;
    }
    if (capacity > 0) {
        cleaned[end] = '\0';
    }
    *length = end;
    return SPATE_OK;
}

static size_t depth_of_folder(const char *path) {
    size_t depth = 0;
    for (const char *at = path; *at != '\0'; at++) {
        depth += *at == '/';
    }
    return depth;
}

spate_status spate_path_check_link(const char *path, const char *target, spate_error *error) {
    size_t length = strlen(target);
    size_t depth = depth_of_folder(path);
    bool descended = false;

    if (length == 0)
        return spate_fail(error, SPATE_REFUSED, path, "the link has no target");
    if (fault_in_bytes(target, length) != NULL)
        return spate_fail(error, SPATE_REFUSED, path, "the link's target is not a valid path: %.512s", target);
    if (target[0] == '/')
        return spate_fail(error, SPATE_REFUSED, path, "the link's target is absolute: %.512s", target);
    for (size_t at = 0; at < length;) {
        const char *part = target + at;
        size_t size = part_length(part, length - at);
        at += size + 1;
        if (size == 0 || is_dot(part, size))
            continue;
        if (!is_dot_dot(part, size)) {
            descended = true;
            depth++;
            continue;
        }
        /* The component may itself be a link, so the textual parent can be a different directory from its real
         * parent. */
        if (descended)
            return spate_fail(error, SPATE_REFUSED, path, "the link's target goes down and up again: %.512s", target);
        if (depth == 0)
            return spate_fail(error, SPATE_REFUSED, path, "the link leads out of the package: %.512s", target);
        depth--;
    }
    if (depth == 0)
        return spate_fail(error, SPATE_REFUSED, path, "the link leads to the package itself: %.512s", target);
    return SPATE_OK;
}

spate_status spate_path_clean_npm(const char *name, size_t name_length, char *cleaned, size_t capacity,
                                  size_t *length, spate_error *error) {
    char folded[PATH_LENGTH_MAX];

    *length = 0;
    const char *fault = fault_in_bytes(name, name_length);
    if (fault != NULL)
        return refuse(error, name, name_length, fault);
    for (size_t i = 0; i < name_length; i++)
        folded[i] = name[i] == '\\' ? '/' : name[i];
    if (folded[0] == '/')
        return refuse(error, name, name_length, "the name is absolute");
    size_t dropped = part_length(folded, name_length);
    if (is_dot_dot(folded, dropped))
        return refuse(error, name, name_length, "the name leads out of the package");
    while (dropped < name_length && folded[dropped] == '/')
        dropped++;
    if (dropped == name_length) { /* the top-level directory, or a file next to it */
        if (capacity > 0)
            cleaned[0] = '\0';
        return SPATE_OK;
    }
    return spate_path_clean(folded + dropped, name_length - dropped, cleaned, capacity, length, error);
}
