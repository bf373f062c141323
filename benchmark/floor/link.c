/*
 * link THREADS SOURCE DESTINATION...
 *
 * Makes each DESTINATION a copy of the folder SOURCE by mkdir and link alone. Listing SOURCE is not timed.
 * Prints wall seconds, CPU seconds, files and folders.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct name {
    char *from;
    char *to;
    int level;
};

static struct name *files, *folders;
static size_t file_count, folder_count, file_capacity, folder_capacity, level_begin;
static const char *source, *destination;

static void add(struct name **list, size_t *count, size_t *capacity, const char *path, int level) {
    if (*count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        *list = realloc(*list, *capacity * sizeof(**list));
    }
    char *to;
    if (!*list || asprintf(&to, "%s%s", destination, path + strlen(source)) < 0)
        fail("memory");
    (*list)[(*count)++] = (struct name){strdup(path), to, level};
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    if (kind == FTW_D)
        add(&folders, &folder_count, &folder_capacity, path, place->level);
    else if (kind == FTW_F)
        add(&files, &file_count, &file_capacity, path, place->level);
    return 0;
}

static void make_folder(size_t index) {
    if (mkdir(folders[level_begin + index].to, 0777) != 0)
        fail(folders[level_begin + index].to);
}

static void make_link(size_t index) {
    if (link(files[index].from, files[index].to) != 0)
        fail(files[index].to);
}

static int by_level(const void *left, const void *right) {
    const struct name *a = left, *b = right;
    return a->level != b->level ? a->level - b->level : strcmp(a->from, b->from);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: link THREADS SOURCE DESTINATION...\n");
        return 2;
    }
    unsigned threads = (unsigned)atoi(argv[1]);
    source = argv[2];
    for (int i = 3; i < argc; i++) {
        destination = argv[i];
        if (nftw(source, visit, 32, FTW_PHYS) != 0)
            fail(source);
    }
    qsort(folders, folder_count, sizeof(*folders), by_level);

    double begin = seconds(), cpu = cpu_seconds();
    for (size_t end; level_begin < folder_count; level_begin = end) {
        for (end = level_begin; end < folder_count && folders[end].level == folders[level_begin].level;)
            end++;
        run(threads, end - level_begin, 4, make_folder);
    }
    run(threads, file_count, 16, make_link);
    printf("%.6f %.6f %zu %zu\n", seconds() - begin, cpu_seconds() - cpu, file_count, folder_count);
    return 0;
}
