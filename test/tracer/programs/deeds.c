/* Makes single calls by name: `deeds openat2 /path vfork /path ...`. Prints each result and errno. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static long raw(long number, long a, long b, long c, long d, long e) {
    return syscall(number, a, b, c, d, e);
}

static long in_child(char *path, int how) {
    int status = 0;
    pid_t child = how == 'v' ? vfork() : fork();
    if (child == 0) {
        if (how == 's' && (setsid() < 0 || fork() != 0))
            _exit(0);
        if (how == 's')
            usleep(300000);
        raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0);
        _exit(3);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static long connect_to(char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    return connect(file, (struct sockaddr *)&address, sizeof(address));
}

static long connect_inet(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&address, sizeof(address));
}

static long set_version(char *path) {
    long version = 77;
    return ioctl(open(path, O_RDONLY), FS_IOC_SETVERSION, &version);
}

static long list(char *path, int flags) {
    char buffer[4096];
    long file = raw(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0);
    return raw(SYS_getdents64, file, (long)buffer, sizeof(buffer), 0, 0) > 0;
}

static long no_descriptors(char *path) {
    struct rlimit limit = {3, 3};
    setrlimit(RLIMIT_NOFILE, &limit);
    return open(path, O_RDONLY);
}

static long deep(char *name) {
    char part[201];
    memset(part, 'd', 200);
    part[200] = '\0';
    for (int i = 0; i < 25; i++)
        if ((mkdir(part, 0700) != 0 && errno != EEXIST) || chdir(part) != 0)
            return -1;
    return raw(SYS_openat, AT_FDCWD, (long)name, O_RDONLY, 0, 0);
}

static long long_name(void) {
    char *name = malloc(6000);
    memset(name, 'n', 5999);
    name[0] = '/';
    name[5999] = '\0';
    return open(name, O_RDONLY);
}

static long int80(char *path) {
#ifdef __x86_64__
    long result = 0;
    static char low[4096];
    strncpy(low, path, sizeof(low) - 1);
    if ((uintptr_t)low > UINT32_MAX)
        return -2;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "0"(5), "b"(low), "c"(0), "d"(0)
                     : "memory", "r8", "r9", "r10", "r11");
    return result > 0;
#else
    (void)path;
    return -2;
#endif
}

static void ignore_signal(int number) {
    (void)number;
}

/* Counts calls that a signal interrupts. It arrives every 200 us, and its handler does not restart calls. */
static long interrupted(char *path) {
    struct sigaction action = {.sa_handler = ignore_signal};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    char other[4096], target[4096];
    snprintf(other, sizeof(other), "%s2", path);
    long count = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3000; i++) {
        struct stat info;
        count += (mkdir(path, 0700) != 0 && errno == EINTR) + (rename(path, other) != 0 && errno == EINTR);
        DIR *listed = opendir(other);
        errno = listed ? 0 : errno;
        while (listed && readdir(listed)) {}
        count += errno == EINTR;
        if (listed)
            closedir(listed);
        count += (chmod(other, 0755) != 0 && errno == EINTR) + (symlink("x", path) != 0 && errno == EINTR);
        count += (readlink(path, target, sizeof(target)) < 0 && errno == EINTR);
        count += (lstat(path, &info) != 0 && errno == EINTR) + (unlink(path) != 0 && errno == EINTR);
        count += (chdir(".") != 0 && errno == EINTR) + (rmdir(other) != 0 && errno == EINTR);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    return count;
}

static long deed(const char *name, char *path) {
    uint64_t how[3] = {O_RDONLY, 0, 0};
    struct stat info;
    char buffer[4096];
    char *words[] = {path, NULL};
#define IS(text) (strcmp(name, text) == 0)
    if (IS("open"))
        return open(path, O_RDONLY);
    if (IS("create"))
        return open(path, O_RDWR | O_CREAT, 0600);
    if (IS("append"))
        return open(path, O_WRONLY | O_APPEND);
    if (IS("truncate"))
        return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (IS("exclusive"))
        return open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (IS("rawopen"))
        return raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0);
    if (IS("openat2"))
        return raw(437, AT_FDCWD, (long)path, (long)how, sizeof(how), 0);
    how[2] = 0x10; /* RESOLVE_IN_ROOT */
    if (IS("rooted"))
        return raw(437, AT_FDCWD, (long)path, (long)how, sizeof(how), 0);
    if (IS("stat"))
        return stat(path, &info);
    if (IS("lstat"))
        return lstat(path, &info);
    if (IS("access"))
        return access(path, R_OK);
    if (IS("readlink"))
        return readlink(path, buffer, sizeof(buffer));
    if (IS("opendir"))
        return opendir(path) != NULL;
    if (IS("list"))
        return list(path, O_RDONLY | O_DIRECTORY);
    if (IS("listplain"))
        return list(path, O_RDONLY);
    if (IS("chdir"))
        return chdir(path);
    if (IS("mkdir"))
        return mkdir(path, 0700);
    if (IS("unlink"))
        return unlink(path);
    if (IS("rmdir"))
        return rmdir(path);
    if (IS("chmod"))
        return chmod(path, 0600);
    if (IS("setversion"))
        return set_version(path);
    if (IS("trace"))
        return ptrace(PTRACE_SEIZE, atoi(path), 0, 0);
    if (IS("poke"))
        return process_vm_writev(atoi(path), NULL, 0, NULL, 0, 0);
    if (IS("vfork"))
        return in_child(path, 'v');
    if (IS("fork"))
        return in_child(path, 'f');
    if (IS("setsid"))
        return in_child(path, 's');
    if (IS("exec"))
        return execve(path, words, words + 1);
    if (IS("execfd"))
        return raw(SYS_execveat, open(path, O_PATH), (long)"", (long)words, (long)(words + 1), AT_EMPTY_PATH);
    if (IS("below"))
        return openat(9, path, O_RDONLY);
    if (IS("folder9"))
        return dup2(open(path, O_RDONLY | O_DIRECTORY), 9);
    if (IS("io_uring"))
        return raw(425, 1, (long)buffer, 0, 0, 0);
    if (IS("clone3"))
        return raw(435, 0, 0, 0, 0, 0);
    if (IS("chroot"))
        return chroot(path);
    if (IS("unshare"))
        return unshare(CLONE_NEWNS);
    if (IS("cloneuser"))
        return raw(SYS_clone, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0);
    if (IS("mount"))
        return raw(SYS_mount, 0, (long)path, 0, 0, 0);
    if (IS("connect"))
        return connect_to(path);
    if (IS("inet"))
        return connect_inet();
    if (IS("datagram"))
        return socket(AF_UNIX, SOCK_DGRAM, 0);
    if (IS("shared"))
        return raw(SYS_shmget, 0, 4096, 0600, 0, 0);
    if (IS("removed"))
        return mkdir("gone", 0755) || chdir("gone") || rmdir("../gone") ? -1 : open("../plain", O_RDONLY);
    if (IS("x32"))
        return raw(0x40000000 | 2, (long)path, 0, 0, 0, 0);
    if (IS("int80"))
        return int80(path);
    if (IS("unknown"))
        return raw(9999, (long)path, 0, 0, 0, 0);
    if (IS("nofiles"))
        return no_descriptors(path);
    if (IS("deep"))
        return deep(path);
    if (IS("longname"))
        return long_name();
    if (IS("badaddress"))
        return raw(SYS_openat, AT_FDCWD, 8, O_RDONLY, 0, 0) + open((char *)8, O_RDONLY);
    if (IS("getenv"))
        return getenv(path) != NULL;
    if (IS("secure_getenv"))
        return secure_getenv(path) != NULL;
    if (IS("interrupted"))
        return interrupted(path);
    if (IS("sleep"))
        return usleep((unsigned)atoi(path) * 1000);
    if (IS("die"))
        return kill(getpid(), SIGKILL);
    return -99;
}

int main(int count, char **words) {
    for (int i = 1; i + 1 < count; i += 2) {
        errno = 0;
        long result = deed(words[i], words[i + 1]);
        printf("%s %ld %d\n", words[i], result, result < 0 ? errno : 0);
        fflush(stdout);
    }
    return 0;
}
