/* Calls every hooked function with all kinds of arguments. The output must be the same with and without hooks. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *names[] = {"file",
                              "folder",
                              "link",
                              "dangling",
                              "loop",
                              "none",
                              "none/x",
                              "file/x",
                              "file/",
                              "folder/",
                              "folder/.",
                              "folder/..",
                              "folder/../file",
                              "./file",
                              ".//file",
                              "folder//inner",
                              "link/inner",
                              "link/..",
                              "tofile",
                              "tofile/",
                              "file/.",
                              "file/..",
                              "none/..",
                              "/",
                              "//",
                              "/.",
                              "/..",
                              ".",
                              "..",
                              "",
                              "/etc/../etc/hostname",
                              "/bin/../lib",
                              "/proc/self/exe",
                              "shut",
                              "deep/link",
                              "dangling/",
                              "loop/x",
                              NULL};

static void say(const char *what, const char *name, long result) {
    printf("%s %s %ld %d\n", what, name ? name : "NULL", result, result < 0 ? errno : 0);
    errno = 0;
}

static void say_text(const char *what, const char *name, char *text) {
    printf("%s %s %s %d\n", what, name, text ? text : "NULL", text ? 0 : errno);
    errno = 0;
    free(text);
}

static void say_open(const char *what, const char *name, int file) {
    struct stat info = {0};
    int failed = errno;
    long number = file < 0 ? -1 : fstat(file, &info) == 0 ? (long)info.st_ino : -2;
    printf("%s %s %ld %d %d\n", what, name, number, file < 0 ? failed : 0, file < 0 ? 0 : fcntl(file, F_GETFD));
    errno = 0;
}

static void say_file(const char *what, const char *name, int file) {
    say_open(what, name, file);
    if (file >= 0)
        close(file);
    errno = 0;
}

static void say_stream(const char *name, const char *mode) {
    char line[16] = "";
    FILE *stream = fopen(name, mode);
    int failed = errno;
    char *got = stream ? fgets(line, sizeof(line), stream) : NULL;
    printf("fopen %s %s %d %s %ld\n", name, mode, stream ? 0 : failed, got ? line : "-", stream ? ftell(stream) : -1);
    if (stream)
        fclose(stream);
    errno = 0;
}

static void all(const char *name, int folder) {
    struct stat info = {0};
    struct statx infox = {0};
    char text[PATH_MAX] = "";
    say("stat", name, stat(name, &info) == 0 ? (long)info.st_ino : -1);
    say("lstat", name, lstat(name, &info) == 0 ? (long)info.st_ino : -1);
    say("fstatat", name, fstatat(folder, name, &info, 0) == 0 ? (long)info.st_ino : -1);
    say("fstatat empty", name, fstatat(folder, name, &info, AT_EMPTY_PATH) == 0 ? (long)info.st_ino : -1);
    say("statx", name, statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_INO, &infox) == 0 ? (long)infox.stx_ino : -1);
    for (int mode = 0; mode < 8; mode++)
        say("access", name, access(name, mode));
    say("access odd", name, access(name, 77));
    say("eaccess", name, eaccess(name, R_OK));
    say("faccessat", name, faccessat(folder, name, F_OK, 0));
    say("faccessat nofollow", name, faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW));
    say("faccessat effective", name, faccessat(folder, name, W_OK, AT_EACCESS));
    say("readlink", name, readlink(name, text, sizeof(text)));
    say("readlink short", name, readlink(name, text, 2));
    say("readlinkat", name, readlinkat(folder, name, text, sizeof(text)));
    say_text("realpath", name, realpath(name, NULL));
    say_text("canonicalize", name, canonicalize_file_name(name));
    say_file("open", name, open(name, O_RDONLY));
    say_file("open cloexec", name, open(name, O_RDONLY | O_CLOEXEC));
    say_file("open nofollow", name, open(name, O_RDONLY | O_NOFOLLOW));
    say_file("open folder", name, open(name, O_RDONLY | O_DIRECTORY));
    say_file("open path", name, open(name, O_PATH));
    say_file("openat", name, openat(folder, name, O_RDONLY));
    say_stream(name, "r");
    say_stream(name, "rb");
    say_stream(name, "re");
    say_stream(name, "r+");
    DIR *listed = opendir(name);
    say("opendir", name, listed ? 0 : -1);
    if (listed)
        closedir(listed);
}

static void writes(void) {
    say_file("create", "new", open("new", O_WRONLY | O_CREAT, 0640));
    struct stat info;
    say("mode", "new", stat("new", &info) == 0 ? (long)info.st_mode : -1);
    say_file("exclusive", "new", open("new", O_WRONLY | O_CREAT | O_EXCL, 0640));
    say_file("creat", "new2", creat("new2", 0600));
    say_file("creat", "none/new", creat("none/new", 0600));
    /* The folder stays open, because the next file could get its number. */
    say_open("unnamed", ".", open(".", O_TMPFILE | O_RDWR, 0600));
    say_stream("new3", "w");
    say_stream("new3", "a+");
    say_stream("new3", "rx");
    say_stream("file", "r,ccs=UTF-8");
    say_stream("file", "q");
}

/* Creates, renames and removes files. Makes each call twice, and in invalid folders. */
static void changes(int folder) {
    struct dirent *entry;
    long entries = 0;
    for (int i = 0; i < 2; i++) {
        say("mkdir", "m", mkdir("m", 0750));
        say("mkdirat", "m", mkdirat(folder, "m", 0700));
        say("symlink", "s", symlink("m", "s"));
        say("symlinkat", "s", symlinkat("../m", folder, "s"));
        say("link", "l", link("file", "l"));
        say("linkat", "l", linkat(AT_FDCWD, "s", folder, "l", i ? AT_SYMLINK_FOLLOW : 0));
        say("chmod", "l", chmod("l", 0600 + i));
    }
    DIR *listed = opendir(".");
    errno = 88;
    while ((entry = readdir(listed)))
        entries++;
    say("readdir", ".", entries);
    printf("errno %d\n", errno);
    closedir(listed);
    for (int i = 0; i < 2; i++) {
        say("rename", "l", rename("l", "l2"));
        say("renameat", "m", renameat(folder, "m", AT_FDCWD, "m2"));
        say("unlink", "s", unlink("s"));
        say("unlink", "m", unlink("m"));
        say("unlinkat", "s", unlinkat(folder, "s", 0));
        say("rmdir", "m", rmdir("m"));
        say("rmdir", "folder", rmdir("folder"));
        say("unlinkat", "m2", unlinkat(AT_FDCWD, "m2", AT_REMOVEDIR));
    }
    const char *odd[] = {"none/x", "file/x", "", "loop/x", (char *)8};
    for (int i = 0; i < 5; i++) {
        const char *shown = i < 4 ? odd[i] : NULL;
        say("mkdir", shown, mkdir(odd[i], 0700));
        say("rmdir", shown, rmdir(odd[i]));
        say("unlink", shown, unlink(odd[i]));
        say("rename", shown, rename(odd[i], "y"));
        say("link", shown, link("file", odd[i]));
        say("symlink", shown, symlink("file", odd[i]));
        say("chmod", shown, chmod(odd[i], 0700));
        say("chdir", shown, chdir(odd[i]));
    }
    say("chdir", "file", chdir("file"));
    say("chdir", "deep", chdir("deep") + chdir(".."));
}

int main(int count, char **words) {
    char *name = malloc(5000);
    if (count < 2 || chdir(words[1]) != 0)
        return 1;
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; names[i]; i++)
        all(names[i], folder);
    for (size_t length = 250; length < 5000; length += length < 260 ? 1 : 600) {
        memset(name, 'n', length);
        name[length] = '\0';
        for (size_t i = 200; length > 300 && i < length; i += 200)
            name[i] = '/';
        say("stat", "long", stat(name, &(struct stat){0}));
        say_text("realpath", "long", realpath(name, NULL));
        say_file("open", "long", open(name, O_RDONLY));
    }
    say("stat", NULL, stat((char *)8, &(struct stat){0}));
    say("stat", "into nothing", stat("file", (struct stat *)8));
    say("access", NULL, access((char *)8, 0));
    say("open", NULL, open((char *)8, O_RDONLY));
    say("readlink", NULL, readlink((char *)8, name, 10));
    say("openat", "bad folder", openat(77, "file", O_RDONLY));
    say("openat", "no folder", openat(0, "file", O_RDONLY));
    say("fstat", "bad", fstat(77, &(struct stat){0}));
    say("getenv", "HOME", getenv("HOME") != NULL);
    say("getenv", "HOM", getenv("HOM") != NULL);
    say("getenv", "A=B", getenv("A=B") != NULL);
    say("getenv", "", getenv("") != NULL);
    char resolved[PATH_MAX];
    say("realpath", "into", realpath("link/../file", resolved) == resolved);
    writes();
    changes(folder);
    char *gone = realpath(".", NULL);
    if (mkdir("gone", 0700) == 0 && chdir("gone") == 0 && rmdir("../gone") == 0) {
        say("stat", "gone", stat("x", &(struct stat){0}));
        say("open", "gone", open("x", O_RDONLY | O_CREAT, 0600));
        say_text("realpath", "gone", realpath(".", NULL));
    }
    free(gone);
    return 0;
}
