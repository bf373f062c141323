/*
 * link NEAR FAR DELAY RATE QUEUE
 *
 * Connects two network namespaces, given as files created by `ip netns add`. Each has a TUN device named "line".
 * Packets are sent at RATE bits per second and arrive DELAY microseconds after their last bit was sent. A packet is
 * dropped if more than QUEUE bytes are waiting. The kernel passes up to 64 KiB of a TCP connection at once, as with a
 * network card that supports segmentation offload. This saves CPU time for the measured processes.
 *
 * Prints "ready" when both devices exist. Exits when its standard input is closed, which removes the devices.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* The virtio-net header (struct virtio_net_hdr) and the longest IP packet. */
#define LARGEST (10 + 65535)
#define SECOND 1000000000LL

struct packet {
    struct packet *next;
    int64_t due;
    size_t size;
    char bytes[];
};

/* One direction. idle: when the last bit of all accepted packets has been sent, in nanoseconds. */
struct lane {
    int from, to;
    int64_t idle;
    struct packet *first, **last;
};

static int64_t delay, rate, queue;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static int device(const char *namespace) {
    int there = open(namespace, O_RDONLY | O_CLOEXEC);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0)
        fail(namespace);
    close(there);
    int made = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq asked = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
    strcpy(asked.ifr_name, "line");
    if (made < 0 || ioctl(made, TUNSETIFF, &asked) != 0)
        fail("/dev/net/tun");
    if (ioctl(made, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0)
        fail("TUNSETOFFLOAD");
    return made;
}

static int64_t duration(size_t size) {
    return (int64_t)size * 8 * SECOND / rate;
}

static void accept_packet(struct lane *lane, const char *bytes, size_t size) {
    int64_t time = now(), start = lane->idle > time ? lane->idle : time;
    if (start - time > duration((size_t)queue))
        return;
    struct packet *packet = malloc(sizeof(*packet) + size);
    if (!packet)
        fail("memory");
    lane->idle = start + duration(size);
    *packet = (struct packet){.due = lane->idle + delay, .size = size};
    memcpy(packet->bytes, bytes, size);
    *lane->last = packet;
    lane->last = &packet->next;
}

static void take(struct lane *lane) {
    static char bytes[LARGEST];
    for (ssize_t size; (size = read(lane->from, bytes, sizeof(bytes))) > 0;)
        accept_packet(lane, bytes, (size_t)size);
}

/* Sends all packets that are due. Returns when the next one is due, but at most `later`. */
static int64_t deliver(struct lane *lane, int64_t later) {
    int64_t time = now();
    for (struct packet *packet; (packet = lane->first) && packet->due <= time;) {
        if (write(lane->to, packet->bytes, packet->size) < 0 && errno == EAGAIN)
            return time + SECOND / 10000;
        lane->first = packet->next;
        if (!lane->first)
            lane->last = &lane->first;
        free(packet);
    }
    return lane->first && lane->first->due < later ? lane->first->due : later;
}

static int wait_for(struct pollfd *watched, int64_t until) {
    int64_t left = until - now();
    if (left < 0)
        left = 0;
    struct timespec time = {.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
    return ppoll(watched, 3, &time, NULL);
}

int main(int count, char **words) {
    if (count != 6) {
        fprintf(stderr, "usage: link NEAR FAR MICROSECONDS BITS-A-SECOND BYTES\n");
        return 2;
    }
    delay = atoll(words[3]) * 1000;
    rate = atoll(words[4]);
    queue = atoll(words[5]);
    int near = device(words[1]), far = device(words[2]);
    struct lane there = {near, far, 0, NULL, &there.first}, back = {far, near, 0, NULL, &back.first};
    struct pollfd watched[] = {{near, POLLIN, 0}, {far, POLLIN, 0}, {STDIN_FILENO, 0, 0}};
    puts("ready");
    fflush(stdout);
    while (!watched[2].revents) {
        int64_t next = deliver(&back, deliver(&there, now() + SECOND));
        if (wait_for(watched, next) < 0 && errno != EINTR)
            fail("ppoll");
        take(&there);
        take(&back);
    }
    return 0;
}
