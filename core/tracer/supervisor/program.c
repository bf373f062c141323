#define _GNU_SOURCE
#include "tracer/here.h"
#include "tracer/supervisor/notice.h"

#ifdef SPATE_TRACER_HERE

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NESTED 5 /* the kernel's limit */

/* Reads the first bytes of the file. Returns -1 on failure. */
static ssize_t take_head(const spate_tracer_path *path, char *head, size_t capacity) {
    int file = open(path->text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        if (errno != EACCES && errno != ENOENT)
            spate_tracer_table_trouble(path->table, "a program could not be inspected: ", path->text);
        return -1;
    }
    ssize_t got = read(file, head, capacity);
    close(file);
    return got;
}

/* Returns the interpreter of a line like "#! /bin/sh -e", terminated in place, or NULL. */
static char *interpreter_of(char *head) {
    char *name = head + 2 + strspn(head + 2, " \t");
    name[strcspn(name, " \t\n")] = '\0';
    return *name ? name : NULL;
}

static const char *loader_of(const char *head, size_t length) {
    Elf64_Ehdr header;
    if (length < sizeof(header) || memcmp(head, ELFMAG, SELFMAG) != 0 || head[EI_CLASS] != ELFCLASS64)
        return NULL;
    memcpy(&header, head, sizeof(header));
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr part;
        if (header.e_phoff > length || length - header.e_phoff < (i + 1) * sizeof(part))
            return NULL;
        memcpy(&part, head + header.e_phoff + i * sizeof(part), sizeof(part));
        if (part.p_type == PT_INTERP)
            return part.p_offset < length && memchr(head + part.p_offset, '\0', length - part.p_offset)
                       ? head + part.p_offset
                       : NULL;
    }
    return NULL;
}

static void record_program(const spate_tracer_path *path, const char *folder, int depth) {
    struct stat info;
    char head[4096 + 1];
    char joined[SPATE_TRACER_JOINED_MAX];
    long result = stat(path->text, &info) == 0 ? 0 : -errno;
    bool runs = result == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111) != 0;
    spate_tracer_recorded(path, runs ? SPATE_TRACER_RUN : SPATE_TRACER_LOOKED, result);
    ssize_t got = runs ? take_head(path, head, sizeof(head) - 1) : -1;
    if (got < 2)
        return;
    head[got] = '\0';
    bool script = head[0] == '#' && head[1] == '!';
    const char *name = script ? interpreter_of(head) : loader_of(head, (size_t)got);
    if (!name || depth == NESTED)
        return;
    size_t length = spate_tracer_join(joined, sizeof(joined), name[0] == '/' ? "" : folder, name);
    spate_tracer_path next = {path->table, joined, length, path->own};
    if (script)
        record_program(&next, folder, depth + 1);
    else
        spate_tracer_recorded(&next, SPATE_TRACER_READ, access(joined, F_OK) == 0 ? 0 : -errno);
}

void spate_tracer_program(const spate_tracer_path *path, const char *folder) {
    record_program(path, folder, 0);
}

#endif
