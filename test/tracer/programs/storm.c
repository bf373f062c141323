/* Makes nonblocking calls without a filter, under a timer whose handler does not restart calls. Prints the interrupted
 * ones. argv[1]: a folder to write to. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static int rang;

static void ring(int signal) {
    (void)signal;
    rang++;
}

static void told(const char *name, int failed) {
    if (failed)
        printf("%s: %s\n", name, strerror(errno));
}

static int list(DIR *folder) {
    errno = 0;
    while (folder && readdir(folder))
        ;
    int failed = !folder || errno != 0;
    return (folder && closedir(folder) != 0) || failed;
}

static int load(void) {
    void *library = dlopen("/lib/x86_64-linux-gnu/libbz2.so.1.0", RTLD_NOW);
    if (library)
        return dlclose(library);
    return strstr(dlerror(), strerror(EINTR)) != NULL;
}

static void all(void) {
    int file = open("file", O_CREAT | O_RDWR, 0644), end;
    told("open", file < 0);
    close(file);
    FILE *stream = fopen("file", "r");
    told("fopen", !stream);
    if (stream)
        fclose(stream);
    told("opendir", list(opendir(".")));
    told("fdopendir", list(fdopendir(open(".", O_RDONLY | O_DIRECTORY))));
    told("mkdir", mkdir("folder", 0755));
    told("rmdir", rmdir("folder"));
    told("rename", rename("file", "other"));
    told("link", link("other", "file"));
    told("unlink", unlink("other"));
    told("symlink", symlink("file", "other"));
    told("unlink", unlink("other"));
    told("chmod", chmod("file", 0600));
    told("chown", chown("file", geteuid(), getegid()));
    told("truncate", truncate("file", 3));
    told("utime", utime("file", NULL));
    told("utimes", utimes("file", NULL));
    told("utimensat", utimensat(AT_FDCWD, "file", NULL, 0));
    told("mkfifo", mkfifo("fifo", 0600));
    told("unlink", unlink("fifo"));
    told("chdir", chdir("."));
    end = socket(AF_UNIX, SOCK_STREAM, 0);
    told("socket", end < 0);
    close(end);
    told("dlopen", load());
    char *real = realpath("file", NULL);
    told("realpath", !real);
    free(real);
}

int main(int count, char **words) {
    struct sigaction action = {.sa_handler = ring};
    struct itimerval often = {{0, 200}, {0, 200}};
    if (count < 2 || chdir(words[1]) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
        return 2;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 1500; i++)
        all();
    return rang > 100 ? 0 : 3;
}
