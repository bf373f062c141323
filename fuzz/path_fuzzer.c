/* Fuzzes names and link targets: what the core accepts is checked again in a different way. */
#include <stdlib.h>
#include <string.h>

#include "archive/path.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

/* The path must be relative, without empty, "." or ".." components and without control bytes except CR. */
static void require_clean(const char *path, size_t length) {
    require(strlen(path) == length && length <= 4096);
    if (length == 0)
        return;
    require(path[0] != '/' && path[length - 1] != '/');
    require(strstr(path, "//") == NULL);
    char framed[4096 + 3];
    framed[0] = '/';
    memcpy(framed + 1, path, length);
    memcpy(framed + 1 + length, "/", 2);
    require(strstr(framed, "/./") == NULL && strstr(framed, "/../") == NULL);
    for (size_t i = 0; i < length; i++)
        require(((unsigned char)path[i] >= 0x20 || path[i] == '\r') && path[i] != 0x7f);
}

typedef spate_status cleaner(const char *, size_t, char *, size_t, size_t *, spate_error *);

static bool clean(cleaner *cleaner, const char *name, size_t name_length, char *cleaned, size_t capacity,
                  size_t *length) {
    spate_error error = {0};
    spate_status status = cleaner(name, name_length, cleaned, capacity, length, &error);
    require(status == error.status);
    if (status == SPATE_OK) {
        require(*length < capacity);
        require_clean(cleaned, *length);
        return true;
    }
    require(status == SPATE_REFUSED && *length == 0 && error.message[0] != '\0');
    return false;
}

/* Walks the target from the link's directory, like a kernel if no component is a symlink. */
static void require_inside(const char *path, const char *target) {
    long depth = 0;
    for (const char *at = path; *at != '\0'; at++)
        depth += *at == '/';
    require(target[0] != '/');
    for (const char *at = target; *at != '\0';) {
        size_t size = strcspn(at, "/");
        if (size == 2 && memcmp(at, "..", 2) == 0)
            depth--;
        else if (size > 0 && !(size == 1 && at[0] == '.'))
            depth++;
        require(depth >= 0);
        at += size + (at[size] == '/');
    }
    require(depth > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    char path[4097], again[4097], small[8];
    size_t path_length, again_length;
    char *name = malloc(length + 1); /* exact size, so that AddressSanitizer detects reads beyond its end */
    require(name != NULL);
    memcpy(name, input, length);

    if (clean(spate_path_clean, name, length, path, sizeof path, &path_length) && path_length > 0) {
        require(clean(spate_path_clean, path, path_length, again, sizeof again, &again_length));
        require(strcmp(path, again) == 0);
    }
    (void)clean(spate_path_clean, name, length, small, sizeof small, &again_length);
    if (clean(spate_path_clean_npm, name, length, path, sizeof path, &path_length))
        require(strchr(path, '\\') == NULL);
    const char *split = length == 0 ? NULL : memchr(name, '|', length); /* PATH|TARGET */
    if (split != NULL && clean(spate_path_clean, name, (size_t)(split - name), path, sizeof path, &path_length)) {
        name[length] = '\0';
        if (path_length > 0 && spate_path_check_link(path, split + 1, NULL) == SPATE_OK)
            require_inside(path, split + 1);
    }
    free(name);
    return 0;
}
