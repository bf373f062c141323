#define _GNU_SOURCE
#include "tracer/supervisor/guard.h"
#include "tracer/here.h"

#ifdef SPATE_TRACER_HERE

#include "tracer/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Missing in older headers. */
#ifndef SECCOMP_FILTER_FLAG_TSYNC_ESRCH
#define SECCOMP_FILTER_FLAG_TSYNC_ESRCH (1UL << 4)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#define IO_URING_SETUP 425
#define CLONE3 435
#define OPENAT2 437

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* ---- the filter ---- */

#define INSTRUCTIONS 512
/* Flags for namespaces in which paths have a different meaning. */
#define APART (CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID)

typedef struct program {
    struct sock_filter code[INSTRUCTIONS];
    unsigned short length;
} program;

static void add(program *p, struct sock_filter instruction) {
    if (p->length < INSTRUCTIONS)
        p->code[p->length++] = instruction;
}

static void load(program *p, size_t offset) {
    add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(program *p, uint32_t value) {
    add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

/* Adds a comparison with the accumulator that skips the next `count` instructions if it is false. */
static void unless(program *p, uint16_t comparison, uint32_t value, uint8_t count) {
    add(p, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | comparison | BPF_K), value, 0, count));
}

static uint32_t low_word(int argument) {
    return (uint32_t)(offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t) +
                      (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0));
}

static void check_architecture(program *p) {
    load(p, offsetof(struct seccomp_data, arch));
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(p, SECCOMP_RET_USER_NOTIF);
    load(p, offsetof(struct seccomp_data, nr));
    unless(p, BPF_JGT, SPATE_TRACER_LAST_KNOWN, 1); /* also rejects x32 */
    answer(p, SECCOMP_RET_USER_NOTIF);
}

/* Whether the listener is asked about these calls only in read-only mode. */
static bool only_read_only(spate_tracer_means means) {
    return means == SPATE_TRACER_CHANGES_OPEN || means == SPATE_TRACER_CONTROLS;
}

/* Rejects ioctls that change a file even if it is open read-only: flags, version, fs-verity. `types` are the ioctl
 * types of file systems. */
static void refuse_ioctls(program *p) {
    static const unsigned char types[] = {'f', 'v', 'X', 0x94};
    unless(p, BPF_JEQ, SYS_ioctl, 2 + 2 * sizeof(types));
    load(p, low_word(1));
    add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, _IOC(_IOC_WRITE, 0xff, 0, 0)));
    for (size_t i = 0; i < sizeof(types); i++) {
        unless(p, BPF_JEQ, _IOC(_IOC_WRITE, types[i], 0, 0), 1);
        answer(p, SECCOMP_RET_ERRNO | EROFS);
    }
    load(p, offsetof(struct seccomp_data, nr));
}

/*
 * Checks calls that change files, including those of the hooks. The flags of openat are in a register. openat2 is
 * rejected because its flags are in memory, which the process could change after they have been checked.
 */
static void check_writes(program *p) {
    unless(p, BPF_JEQ, SYS_openat, 3);
    load(p, low_word(2));
    unless(p, BPF_JSET, SPATE_TRACER_WRITE_FLAGS, 1);
    answer(p, SECCOMP_RET_USER_NOTIF);
    load(p, offsetof(struct seccomp_data, nr));
    unless(p, BPF_JEQ, OPENAT2, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < spate_tracer_call_count; i++)
        if (only_read_only(spate_tracer_calls[i].means)) {
            unless(p, BPF_JEQ, (uint32_t)spate_tracer_calls[i].number, 1);
            answer(p, SECCOMP_RET_USER_NOTIF);
        }
    refuse_ioctls(p);
}

/* Allows the hooks' calls if they come from the hooks' page. Asks the listener about the same calls from other
 * addresses. */
static void check_hooked(program *p) {
    unsigned hooked = 0;
    for (size_t i = 0; i < spate_tracer_call_count; i++)
        hooked += spate_tracer_calls[i].hooked;
    for (size_t i = 0; i < spate_tracer_call_count; i++)
        if (spate_tracer_calls[i].hooked)
            add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)spate_tracer_calls[i].number,
                                                (uint8_t)hooked--, 0));
    size_t address = offsetof(struct seccomp_data, instruction_pointer);
    add(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 8)); /* none of these */
    load(p, address + 4);
    unless(p, BPF_JEQ, (uint32_t)(SPATE_TRACER_PAGE >> 32), 5);
    load(p, address);
    unless(p, BPF_JGE, (uint32_t)SPATE_TRACER_PAGE, 3);
    unless(p, BPF_JGE, (uint32_t)SPATE_TRACER_PAGE + SPATE_TRACER_PAGE_SIZE, 1);
    answer(p, SECCOMP_RET_USER_NOTIF);
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, SECCOMP_RET_USER_NOTIF);
}

static void check_others(program *p) {
    for (size_t i = 0; i < spate_tracer_call_count; i++) {
        const spate_tracer_call *call = &spate_tracer_calls[i];
        if (call->hooked || call->means == SPATE_TRACER_HAS_SOCKET || only_read_only(call->means))
            continue;
        unless(p, BPF_JEQ, (uint32_t)call->number, 1);
        answer(p, SECCOMP_RET_USER_NOTIF);
    }
    unless(p, BPF_JEQ, IO_URING_SETUP, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    unless(p, BPF_JEQ, CLONE3, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

/* Checks calls for which the decision depends on other arguments. */
static void check_arguments(program *p) {
    unless(p, BPF_JEQ, SYS_socket, 7);
    load(p, low_word(0));
    unless(p, BPF_JEQ, AF_UNIX, 4);
    load(p, low_word(1));
    add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf));
    unless(p, BPF_JEQ, SOCK_STREAM, 1); /* sockets of other types can send without connecting */
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, SECCOMP_RET_USER_NOTIF);
    unless(p, BPF_JEQ, SYS_clone, 4);
    load(p, low_word(0));
    unless(p, BPF_JSET, APART, 1);
    answer(p, SECCOMP_RET_USER_NOTIF);
    answer(p, SECCOMP_RET_ALLOW);
    unless(p, BPF_JEQ, SYS_seccomp, 3);
    load(p, low_word(1));
    unless(p, BPF_JSET, SECCOMP_FILTER_FLAG_NEW_LISTENER, 1);
    answer(p, SECCOMP_RET_USER_NOTIF);
    answer(p, SECCOMP_RET_ALLOW);
}

static bool write_filter(program *p, bool read_only) {
    p->length = 0;
    check_architecture(p);
    if (read_only)
        check_writes(p);
    check_hooked(p);
    check_others(p);
    check_arguments(p);
    return p->length < INSTRUCTIONS;
}

/*
 * Returns the errno with which a call fails if there is no listener, or 0 if it is allowed. Opening files for writing
 * is restricted by Landlock instead.
 */
static int plain_error(spate_tracer_means means, bool removals) {
    switch (means) {
    case SPATE_TRACER_CHANGES:
    case SPATE_TRACER_CHANGES_OPEN: return EROFS;
    case SPATE_TRACER_REMOVES:
    case SPATE_TRACER_RENAMES:
    case SPATE_TRACER_LINKS: return removals ? EROFS : 0;
    case SPATE_TRACER_CONTROLS:
    case SPATE_TRACER_TROUBLES: return EPERM;
    case SPATE_TRACER_OPENS_HOW: return ENOSYS;
    default: return 0;
    }
}

static bool write_plain_filter(program *p, bool removals) {
    p->length = 0;
    load(p, offsetof(struct seccomp_data, arch));
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    load(p, offsetof(struct seccomp_data, nr));
    unless(p, BPF_JGT, SPATE_TRACER_LAST_KNOWN, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    unless(p, BPF_JEQ, IO_URING_SETUP, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    refuse_ioctls(p);
    for (size_t i = 0; i < spate_tracer_call_count; i++) {
        int error = plain_error(spate_tracer_calls[i].means, removals);
        if (error == 0)
            continue;
        unless(p, BPF_JEQ, (uint32_t)spate_tracer_calls[i].number, 1);
        answer(p, SECCOMP_RET_ERRNO | (uint32_t)error);
    }
    unless(p, BPF_JEQ, SYS_socket, 3);
    load(p, low_word(0));
    unless(p, BPF_JEQ, AF_UNIX, 1);
    answer(p, SECCOMP_RET_ERRNO | EACCES);
    answer(p, SECCOMP_RET_ALLOW);
    return p->length < INSTRUCTIONS;
}

/* ---- installing ---- */

spate_status spate_tracer_forbid_changes(bool removals, spate_error *error) {
    program p;
    if (!write_plain_filter(&p, removals))
        return spate_fail(error, SPATE_LIMIT, NULL, "the filter is too long");
    struct sock_fprog filter = {.len = p.length, .filter = p.code};
    bool installed =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
    return installed ? SPATE_OK : spate_fail_errno(error, NULL, "seccomp");
}

/*
 * Installs the filter. Returns the listener's descriptor, or -1 with errno set. Kernels before 5.19 reject
 * SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV with EINVAL, so it is optional.
 */
static int install(const program *p, unsigned long flags) {
    struct sock_fprog filter = {.len = p->length, .filter = (struct sock_filter *)(uintptr_t)p->code};
    unsigned long least = flags | SECCOMP_FILTER_FLAG_NEW_LISTENER;
    unsigned long wanted = least | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, wanted, &filter);
    if (listener < 0 && errno == EINVAL)
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, least, &filter);
    return (int)listener;
}

static spate_status fail_install(spate_error *error) {
    return errno == EBUSY ? spate_fail(error, SPATE_SYSTEM, NULL, "seccomp user notification: another listener exists")
                          : spate_fail_errno(error, NULL, "seccomp user notification");
}

static bool take_byte(int socket, char *byte) {
    ssize_t got;
    do
        got = read(socket, byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control;

static bool send_descriptor(int socket, int descriptor) {
    char byte = 1;
    struct iovec part = {&byte, 1};
    control room = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

spate_status spate_tracer_enter(int socket, spate_error *error) {
    program p;
    char byte;
    spate_status status = SPATE_OK;
    if (!take_byte(socket, &byte)) {
        close(socket);
        return spate_fail(error, SPATE_SYSTEM, NULL, "the parent is gone");
    }
    if (!write_filter(&p, byte == SPATE_TRACER_READ_ONLY)) {
        close(socket);
        return spate_fail(error, SPATE_LIMIT, NULL, "the filter is too long");
    }
    int listener = install(&p, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
    if (listener < 0) {
        status = fail_install(error);
    } else {
        /* Makes no calls that take a path from here on, because the listener does not respond yet. */
        bool sent = send_descriptor(socket, listener);
        close(listener); /* otherwise descendants would wait forever for a response from their own process */
        if (!sent || !take_byte(socket, &byte))
            status = spate_fail(error, SPATE_SYSTEM, NULL, "the supervisor ended before it answered");
    }
    close(socket);
    return status;
}

int spate_tracer_take_descriptor(int socket) {
    char byte;
    struct iovec part = {&byte, 1};
    control room = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (got == 0 || !header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
        errno = EPIPE;
        return -1;
    }
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
    return descriptor;
}

/* ---- test whether the kernel supports it ---- */

/* A trial of the filter: installs it for one thread, which makes a harmless call, and responds like a listener. */
typedef struct trial {
    int ends[2]; /* a pipe, to which the thread writes the outcome */
} trial;

typedef struct outcome {
    int listener;
    int error;
} outcome;

static void *trial_thread(void *context) {
    const trial *t = context;
    program p = {0};
    load(&p, offsetof(struct seccomp_data, nr));
    unless(&p, BPF_JEQ, SYS_getppid, 1);
    answer(&p, SECCOMP_RET_USER_NOTIF);
    answer(&p, SECCOMP_RET_ALLOW);
    int listener = install(&p, 0);
    outcome o = {listener, listener < 0 ? errno : 0};
    if (write(t->ends[1], &o, sizeof(o)) == sizeof(o) && listener >= 0)
        syscall(SYS_getppid);
    return NULL;
}

static bool answer_trial(int listener) {
    struct seccomp_notif_sizes sizes;
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return false;
    struct seccomp_notif *asked = calloc(1, sizeof(*asked) + sizes.seccomp_notif); /* the kernel's struct may be
                                                                                    * longer */
    struct seccomp_notif_resp response = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    bool answered = asked && ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, asked) == 0;
    if (answered) {
        response.id = asked->id;
        answered = ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
    }
    free(asked);
    return answered;
}

/* Whether Yama forbids reading the memory of child processes. Mode 1 allows it. */
static bool yama_forbids(void) {
    char level = '0';
    int file = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t got = read(file, &level, 1);
    close(file);
    return got == 1 && level >= '2' && geteuid() != 0;
}

spate_status spate_tracer_try(spate_error *error) {
    trial t;
    pthread_t thread;
    outcome o = {-1, 0};
    if (yama_forbids())
        return spate_fail(error, SPATE_SYSTEM, NULL, "kernel.yama.ptrace_scope forbids inspecting a process");
    if (pipe2(t.ends, O_CLOEXEC) != 0)
        return spate_fail_errno(error, NULL, "pipe");
    int failed = pthread_create(&thread, NULL, trial_thread, &t);
    ssize_t got = 0;
    if (failed == 0)
        do
            got = read(t.ends[0], &o, sizeof(o));
        while (got < 0 && errno == EINTR);
    bool answered = got == sizeof(o) && o.listener >= 0 && answer_trial(o.listener);
    int answer_error = errno;
    if (o.listener >= 0)
        close(o.listener);
    if (failed == 0)
        pthread_join(thread, NULL);
    close(t.ends[0]);
    close(t.ends[1]);
    errno = failed != 0 ? failed : o.error != 0 ? o.error : answer_error;
    return answered ? SPATE_OK : fail_install(error);
}

#else

spate_status spate_tracer_enter(int socket, spate_error *error) {
    (void)socket;
    return spate_fail(error, SPATE_SYSTEM, NULL, "this system has no user notification");
}

spate_status spate_tracer_forbid_changes(bool removals, spate_error *error) {
    (void)removals;
    return spate_fail(error, SPATE_SYSTEM, NULL, "this system has no seccomp");
}

spate_status spate_tracer_try(spate_error *error) {
    return spate_fail(error, SPATE_SYSTEM, NULL, "this system has no user notification");
}

#endif
