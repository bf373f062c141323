#include "inputs/plan.h"

#include <string.h>

const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name) {
    for (size_t i = 0; i < place->root_count; i++)
        if (strcmp(place->roots[i].name, name) == 0)
            return place->roots[i].path;
    return NULL;
}

static bool climbs(const char *path) {
    for (const char *at = path; (at = strstr(at, "/..")) != NULL; at += 3)
        if (at[3] == '/' || at[3] == '\0')
            return true;
    return false;
}

uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest) {
    uint32_t found = 0;
    size_t longest = 0;
    *rest = path;
    if (climbs(path))
        return 0;
    for (size_t i = 0; i < place->root_count; i++) {
        size_t length = strlen(place->roots[i].path);
        bool below = strncmp(path, place->roots[i].path, length) == 0 && (path[length] == '/' || path[length] == '\0');
        if (!below || length <= longest)
            continue;
        found = (uint32_t)i + 1;
        longest = length;
        *rest = path + length + (path[length] == '/');
    }
    return found;
}

bool spate_inputs_is_below(const char *path, const char *root, const char *rest) {
    if (!root)
        return strcmp(path, rest) == 0;
    size_t length = strlen(root);
    if (strncmp(path, root, length) != 0)
        return false;
    return path[length] == '/' ? strcmp(path + length + 1, rest) == 0 : path[length] == '\0' && *rest == '\0';
}

bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]) {
    size_t used = 0;
    if (path[0] != '/')
        return false;
    for (const char *part = path; *part != '\0';) {
        part += strspn(part, "/");
        size_t length = strcspn(part, "/");
        bool counts = length > 0 && !(length == 1 && part[0] == '.');
        if (counts && used + 1 + length >= SPATE_INPUTS_PATH_MAX)
            return false;
        if (counts) {
            clean[used] = '/';
            memcpy(clean + used + 1, part, length);
            used += 1 + length;
        }
        part += length;
    }
    if (used == 0)
        clean[used++] = '/';
    clean[used] = '\0';
    return true;
}

size_t spate_inputs_split(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash + 1;
    return slash == path ? 1 : (size_t)(slash - path);
}

const char *spate_inputs_value(const spate_inputs_place *place, const char *name) {
    size_t length = strlen(name);
    for (const char *const *at = place->environment; at && *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}
