#include "native.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ruby/thread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NANOSECONDS INT64_C(1000000000)

/*
 * An entry of a directory. `names` contains the zero-terminated names of all entries, one after another. Entries and
 * `names` are allocated by malloc.
 */
typedef struct entry {
    size_t name; /* offset in `names` */
    char kind;   /* f, d, l(ink), o(ther) */
    int64_t size, mtime;
} entry;

typedef struct listing {
    VALUE found;
    int fd;
    size_t max;
    char *names;
    size_t names_used, names_room;
    entry *entries;
    size_t count, room;
    bool more;
    int error;
} listing;

static bool add(listing *l, const char *name, const struct stat *status) {
    size_t length = strlen(name) + 1;
    if (l->names_room - l->names_used < length) {
        size_t room = (l->names_room + length) * 2;
        char *names = realloc(l->names, room);
        if (!names)
            return false;
        l->names = names;
        l->names_room = room;
    }
    if (l->count == l->room) {
        size_t room = l->room ? l->room * 2 : 64;
        entry *entries = realloc(l->entries, room * sizeof *entries);
        if (!entries)
            return false;
        l->entries = entries;
        l->room = room;
    }
    spate_place place;
    spate_place_read(status, &place);
    l->entries[l->count++] = (entry){.name = l->names_used,
                                     .kind = S_ISLNK(status->st_mode)        ? 'l'
                                             : place.kind == SPATE_REGULAR   ? 'f'
                                             : place.kind == SPATE_DIRECTORY ? 'd'
                                                                             : 'o',
                                     .size = status->st_size,
                                     .mtime = place.mtime / NANOSECONDS};
    memcpy(l->names + l->names_used, name, length);
    l->names_used += length;
    return true;
}

static void *read_folder(void *argument) {
    listing *l = argument;
    int fd = openat(l->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        l->error = errno;
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    while (!l->error) {
        struct stat status;
        errno = 0;
        const struct dirent *item = readdir(folder);
        if (!item) {
            l->error = errno;
            break;
        }
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        l->more = l->count == l->max;
        if (l->more)
            break;
        if (fstatat(fd, item->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* deleted since readdir returned the name */
        if (!add(l, item->d_name, &status))
            l->error = ENOMEM;
    }
    if (closedir(folder) < 0 && !l->error)
        l->error = errno;
    return NULL;
}

static VALUE entries_to_ruby(VALUE argument) {
    listing *l = (listing *)argument;
    rb_nogvl(read_folder, l, RUBY_UBF_IO, NULL, 0); /* raises if interrupted */
    if (l->error)
        rb_syserr_fail_str(l->error, spate_found_path(l->found));
    VALUE all = rb_ary_new_capa((long)l->count);
    for (size_t i = 0; i < l->count; i++) {
        const entry *e = &l->entries[i];
        VALUE kind = ID2SYM(rb_intern(e->kind == 'f'   ? "file"
                                      : e->kind == 'd' ? "directory"
                                      : e->kind == 'l' ? "link"
                                                       : "other"));
        rb_ary_push(all, rb_ary_new_from_args(4, rb_utf8_str_new_cstr(l->names + e->name), kind, LL2NUM(e->size),
                                              LL2NUM(e->mtime)));
    }
    return rb_ary_new_from_args(2, all, RBOOL(l->more));
}

static VALUE free_listing(VALUE argument) {
    listing *l = (listing *)argument;
    free(l->names);
    free(l->entries);
    return Qnil;
}

/*
 * entries(max): returns [[[name, :file | :directory | :link | :other, bytes, seconds since 1970], ...], more], at most
 * `max` entries, unordered; `more` is true if the directory has more entries. Releases the GVL. Raises SystemCallError.
 */
static VALUE found_entries(VALUE self, VALUE max) {
    listing l = {.found = self, .fd = spate_found_descriptor(self), .max = NUM2SIZET(max)};
    return rb_ensure(entries_to_ruby, (VALUE)&l, free_listing, (VALUE)&l);
}

void spate_init_found_listing(VALUE found) {
    rb_define_method(found, "entries", found_entries, 1);
}
