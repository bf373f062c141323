/*
 * look FOLDER
 *
 * Calls fstatat(2) once for every file and folder below FOLDER, each by its name in an open folder. Listing FOLDER is
 * not timed. Prints wall seconds, CPU seconds and the count of calls.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    struct entry *next;
    char *name;
    struct entry *entries; /* of a folder */
    int folder;
};

static size_t calls;

static struct entry *list(const char *path) {
    DIR *names = opendir(path);
    if (!names)
        fail(path);
    struct entry *first = NULL;
    for (struct dirent *found; (found = readdir(names));) {
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
            continue;
        struct entry *entry = calloc(1, sizeof(*entry));
        char *below;
        if (!entry || asprintf(&below, "%s/%s", path, found->d_name) < 0)
            fail("memory");
        *entry = (struct entry){first, strdup(found->d_name), NULL, found->d_type == DT_DIR};
        entry->entries = entry->folder ? list(below) : NULL;
        free(below);
        first = entry;
    }
    closedir(names);
    return first;
}

static void look(const struct entry *entry, int folder) {
    for (; entry; entry = entry->next) {
        struct stat state;
        calls++;
        if (fstatat(folder, entry->name, &state, AT_SYMLINK_NOFOLLOW) != 0)
            fail(entry->name);
        if (!entry->folder)
            continue;
        int below = openat(folder, entry->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (below < 0)
            fail(entry->name);
        look(entry->entries, below);
        close(below);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: look FOLDER\n");
        return 2;
    }
    const struct entry *entries = list(argv[1]);
    double begin = seconds(), cpu = cpu_seconds();
    int folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        fail(argv[1]);
    look(entries, folder);
    printf("%.6f %.6f %zu\n", seconds() - begin, cpu_seconds() - cpu, calls);
    return 0;
}
