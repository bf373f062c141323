/*
 * Runs a command without some system calls: "forbid seccomp COMMAND ..." as in some containers, "forbid landlock
 * COMMAND ..." as in such a container on a kernel without Landlock, "forbid addfd COMMAND ..." as before Linux 5.9,
 * "forbid new COMMAND ..." as on a kernel that has none of them.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LANDLOCK_CREATE_RULESET 444
/* SECCOMP_IOCTL_NOTIF_ADDFD, missing in old headers. */
#define ADDFD 0x40182103

static const unsigned new_calls[] = {
    SYS_seccomp,
    LANDLOCK_CREATE_RULESET,
    SYS_memfd_create,
    SYS_renameat2,
    SYS_copy_file_range,
    SYS_preadv2,
    SYS_statx,
    SYS_rseq,
    424 /* pidfd_send_signal */,
    425 /* io_uring_setup */,
    434 /* pidfd_open */,
    435 /* clone3 */,
    436 /* close_range */,
    437 /* openat2 */,
    438 /* pidfd_getfd */,
    439 /* faccessat2 */,
};

int main(int count, char **words) {
    struct sock_filter code[64] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 1;
    int landlock = count > 2 && strcmp(words[1], "landlock") == 0;
    int only_seccomp = landlock || (count > 2 && strcmp(words[1], "seccomp") == 0);
    size_t calls = landlock ? 2 : only_seccomp ? 1 : sizeof(new_calls) / sizeof(*new_calls);
    if (count > 2 && strcmp(words[1], "addfd") == 0) {
        calls = 0;
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]));
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ADDFD, 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL);
    }
    for (size_t i = 0; i < calls; i++) {
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, new_calls[i], 0, 1);
        code[length++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (only_seccomp ? EPERM : ENOSYS));
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {length, code};
    if (count < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, 2, &filter) != 0)
        return 1;
    execvp(words[2], words + 2);
    return 1;
}
