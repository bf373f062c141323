#include "front/exec/expand_path.h"

#include <stddef.h>
#include <string.h>

/* Appends the components of a path to `expanded`, which has a length of *used bytes. */
static bool append_names(char expanded[PATH_MAX], size_t *used, const char *path) {
    while (*path) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            while (*used > 0 && expanded[--*used] != '/') {}
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (*used + 1 + length >= PATH_MAX)
                return false;
            expanded[(*used)++] = '/';
            memcpy(expanded + *used, path, length);
            *used += length;
        }
        path += length;
    }
    return true;
}

bool spate_expand_path(const char *path, const char *folder, char expanded[PATH_MAX]) {
    size_t used = 0;
    if (*path == '~' || (*path != '/' && *folder != '/'))
        return false;
    if (*path != '/' && !append_names(expanded, &used, folder))
        return false;
    if (!append_names(expanded, &used, path))
        return false;
    if (used == 0)
        expanded[used++] = '/';
    expanded[used] = '\0';
    return true;
}
