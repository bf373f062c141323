#include "front/exec/environment_block.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(const char *entry, const char *name, size_t length) {
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

const char *spate_variable(char *const *environment, const char *name) {
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (is_named(*environment, name, length))
            return *environment + length + 1;
    return NULL;
}

bool spate_environment_copy(spate_environment *copy, char *const *environment, size_t more) {
    size_t count = 0;
    while (environment[count])
        count++;
    copy->entries = malloc((count + more + 1) * sizeof(*copy->entries));
    if (!copy->entries)
        return false;
    memcpy(copy->entries, environment, (count + 1) * sizeof(*copy->entries));
    copy->count = count;
    copy->room = count + more;
    return true;
}

void spate_environment_unset(spate_environment *copy, const char *name) {
    size_t length = strlen(name);
    size_t kept = 0;
    for (size_t at = 0; at < copy->count; at++)
        if (!is_named(copy->entries[at], name, length))
            copy->entries[kept++] = copy->entries[at];
    copy->entries[kept] = NULL;
    copy->count = kept;
}

bool spate_environment_set(spate_environment *copy, const char *name, const char *value) {
    size_t length = strlen(name);
    size_t bytes = strlen(value);
    spate_environment_unset(copy, name);
    if (copy->count == copy->room)
        return false;
    char *entry = malloc(length + bytes + 2);
    if (!entry)
        return false;
    memcpy(entry, name, length);
    entry[length] = '=';
    memcpy(entry + length + 1, value, bytes + 1);
    copy->entries[copy->count++] = entry;
    copy->entries[copy->count] = NULL;
    return true;
}
