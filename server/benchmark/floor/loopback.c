/*
 * loopback tcp|frames FILE MEGABYTES: sends MEGABYTES over a TCP connection of the loopback interface to a child
 * process that discards them. tcp: writes the same 16 KiB of memory repeatedly. frames: reads the file into frames of
 * 16 KiB with headers of nine bytes and sends 240 KiB at once, which is the minimum work of an HTTP/2 server. Prints
 * the sender's CPU seconds per GB, and GB per second.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME 16384
#define FRAMES 15
#define HEADER 9

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) fail("clock_gettime");
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) fail("getrusage");
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The child process: reads until the end. */
static void drain(const struct sockaddr_in *address) {
    static char buffer[1 << 18];
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (const struct sockaddr *)address, sizeof *address) != 0) fail("connect");
    ssize_t count;
    while ((count = read(connection, buffer, sizeof buffer)) > 0) continue;
    _exit(count == 0 ? 0 : 1);
}

static void send_all(int connection, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(connection, bytes, length, MSG_NOSIGNAL);
        if (count < 0) fail("send");
        bytes += count;
        length -= (size_t)count;
    }
}

/* Reads the file from `offset` into FRAMES frames. Returns the bytes read. */
static size_t fill(char *buffer, int file, off_t *offset, off_t size) {
    struct iovec parts[FRAMES];
    for (int index = 0; index < FRAMES; index++) {
        char *header = buffer + (size_t)index * (HEADER + FRAME);
        memcpy(header, "\x00\x40\x00\x00\x00\x00\x00\x00\x01", HEADER);
        parts[index] = (struct iovec){.iov_base = header + HEADER, .iov_len = FRAME};
    }
    ssize_t count = preadv(file, parts, FRAMES, *offset);
    if (count < 0) fail("preadv");
    *offset += count;
    if (*offset >= size) *offset = 0;
    return (size_t)count;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    size_t left = (size_t)atol(words[3]) << 20, all = left;
    int file = open(words[2], O_RDONLY);
    if (file < 0) fail(words[2]);
    off_t size = lseek(file, 0, SEEK_END), offset = 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        fail("listen");
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) drain(&address);
    int connection = accept(listener, NULL, NULL);
    if (connection < 0) fail("accept");
    static char buffer[FRAMES * (HEADER + FRAME)];
    double began = now(), taken = cpu();
    while (left > 0) {
        size_t part = FRAME;
        if (strcmp(words[1], "frames") == 0) {
            part = fill(buffer, file, &offset, size);
            send_all(connection, buffer, part + (part + FRAME - 1) / FRAME * HEADER);
        } else {
            send_all(connection, buffer, part);
        }
        left -= part < left ? part : left;
    }
    double gigabytes = (double)all / (1 << 30);
    taken = cpu() - taken;
    if (close(connection) != 0) fail("close");
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
    printf("%.4f %.4f\n", taken / gigabytes, gigabytes / (now() - began));
    return 0;
}
