/*
 * link THREADS SOURCE DESTINATION...
 *
 * Copies the folder SOURCE to each DESTINATION with only mkdir, open (of folders) and link. All names are relative to
 * an open folder, and one thread copies a whole small tree. The time to list SOURCE is not included. Prints wall
 * seconds, CPU seconds, files and folders.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with at most this many entries below it is copied by one thread. */
#define TREE 48
#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

struct folder {
    char *name;
    char **files;
    size_t count, capacity, below;
    struct folder *children, *next;
};

/* A thread's work item: a whole tree, or only the files of an existing folder. */
struct part {
    struct folder *folder;
    char *from, *to;
    int whole;
};

static struct part *parts;
static size_t part_count, part_capacity, file_count, folder_count;

static struct folder *list(const char *path, const char *name) {
    struct folder *made = calloc(1, sizeof(*made));
    DIR *entries = opendir(path);
    if (!made || !entries)
        fail(path);
    made->name = strdup(name);
    folder_count++;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (entry->d_type == DT_DIR) {
            char *deeper;
            if (asprintf(&deeper, "%s/%s", path, entry->d_name) < 0)
                fail("memory");
            struct folder *child = list(deeper, entry->d_name);
            free(deeper);
            child->next = made->children;
            made->children = child;
            made->below += 1 + child->below;
        } else if (entry->d_type == DT_REG) {
            if (made->count == made->capacity) {
                made->capacity = made->capacity ? 2 * made->capacity : 16;
                made->files = realloc(made->files, made->capacity * sizeof(*made->files));
            }
            made->files[made->count++] = strdup(entry->d_name);
            file_count++;
        }
    }
    closedir(entries);
    return made;
}

static void add(struct folder *folder, const char *from, const char *to, int whole) {
    if (part_count == part_capacity) {
        part_capacity = part_capacity ? 2 * part_capacity : 1024;
        parts = realloc(parts, part_capacity * sizeof(*parts));
    }
    parts[part_count++] = (struct part){folder, strdup(from), strdup(to), whole};
}

static void divide(struct folder *folder, const char *from, const char *to) {
    add(folder, from, to, folder->below <= TREE);
    for (struct folder *child = folder->below > TREE ? folder->children : NULL; child; child = child->next) {
        char *deeper_from, *deeper_to;
        if (asprintf(&deeper_from, "%s/%s", from, child->name) < 0 ||
            asprintf(&deeper_to, "%s/%s", to, child->name) < 0)
            fail("memory");
        divide(child, deeper_from, deeper_to);
    }
}

static void link_files(const struct folder *folder, int from, int to) {
    for (size_t i = 0; i < folder->count; i++)
        if (linkat(from, folder->files[i], to, folder->files[i], 0) != 0)
            fail(folder->files[i]);
}

static void make_tree(const struct folder *folder, int from, int to) {
    link_files(folder, from, to);
    for (const struct folder *child = folder->children; child; child = child->next) {
        if (mkdirat(to, child->name, 0777) != 0)
            fail(child->name);
        int child_from = openat(from, child->name, FOLDER), child_to = openat(to, child->name, FOLDER);
        if (child_from < 0 || child_to < 0)
            fail(child->name);
        make_tree(child, child_from, child_to);
        close(child_from);
        close(child_to);
    }
}

static void make_part(size_t index) {
    const struct part *part = &parts[index];
    if (part->whole && mkdir(part->to, 0777) != 0)
        fail(part->to);
    int from = open(part->from, FOLDER), to = open(part->to, FOLDER);
    if (from < 0 || to < 0)
        fail(part->from);
    if (part->whole)
        make_tree(part->folder, from, to);
    else
        link_files(part->folder, from, to);
    close(from);
    close(to);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: link THREADS SOURCE DESTINATION...\n");
        return 2;
    }
    struct folder *source = list(argv[2], "");
    size_t copies = (size_t)(argc - 3);
    for (int i = 3; i < argc; i++)
        divide(source, argv[2], argv[i]);
    double begin = seconds(), cpu = cpu_seconds();
    for (size_t i = 0; i < part_count; i++)
        if (!parts[i].whole && mkdir(parts[i].to, 0777) != 0)
            fail(parts[i].to);
    run((unsigned)atoi(argv[1]), part_count, 2, make_part);
    printf("%.6f %.6f %zu %zu\n", seconds() - begin, cpu_seconds() - cpu, file_count * copies, folder_count * copies);
    return 0;
}
