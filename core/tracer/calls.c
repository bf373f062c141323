#include "tracer/calls.h"
#include "tracer/here.h"

#ifdef SPATE_TRACER_HERE

#include <sys/syscall.h>

#define NO SPATE_TRACER_NONE
/* PLAIN: a call without a directory argument. AT: a call with one. HOOKED: a call that the hooks make themselves. TWO:
 * a call with two paths. */
#define PLAIN(call, means, path, flags)                                                                                \
    { #call, SYS_##call, SPATE_TRACER_##means, false, NO, path, flags, NO, NO }
#define AT(call, means, folder, path, flags)                                                                           \
    { #call, SYS_##call, SPATE_TRACER_##means, false, folder, path, flags, NO, NO }
#define HOOKED(call, means, folder, path, flags)                                                                       \
    { #call, SYS_##call, SPATE_TRACER_##means, true, folder, path, flags, NO, NO }
#define TWO(call, means, folder, path, to_folder, to)                                                                  \
    { #call, SYS_##call, SPATE_TRACER_##means, false, folder, path, NO, to_folder, to }
/* For system calls that some headers lack. They have the same number on all architectures. */
#define YOUNG(call, number, means, folder, path, flags)                                                                \
    { #call, number, SPATE_TRACER_##means, false, folder, path, flags, NO, NO }

const spate_tracer_call spate_tracer_calls[] = {
    HOOKED(openat, OPENS, 0, 1, 2),
    HOOKED(newfstatat, LOOKS, 0, 1, 3),
    HOOKED(statx, LOOKS, 0, 1, 2),
    HOOKED(faccessat, LOOKS, 0, 1, NO),
    HOOKED(readlinkat, READS_LINK, 0, 1, NO),
    YOUNG(openat2, 437, OPENS_HOW, 0, 1, 2),
    YOUNG(faccessat2, 439, LOOKS, 0, 1, 3),
    PLAIN(chdir, LOOKS, 0, NO),
    PLAIN(execve, RUNS, 0, NO),
    AT(execveat, RUNS, 0, 1, 4),
    PLAIN(getdents64, LISTS, NO, NO),
    PLAIN(statfs, LOOKS, 0, NO),
    PLAIN(getxattr, LOOKS, 0, NO),
    PLAIN(lgetxattr, LOOKS_AT_IT, 0, NO),
    PLAIN(listxattr, LOOKS, 0, NO),
    PLAIN(llistxattr, LOOKS_AT_IT, 0, NO),
    AT(inotify_add_watch, LOOKS, NO, 1, NO),
    AT(name_to_handle_at, LOOKS, 0, 1, NO),
    YOUNG(listxattrat, 465, LOOKS, 0, 1, 2),
    YOUNG(getxattrat, 464, LOOKS, 0, 1, 2),
    YOUNG(file_getattr, 468, LOOKS, 0, 1, 4),
    AT(mkdirat, MAKES, 0, 1, NO),
    AT(mknodat, MAKES, 0, 1, NO),
    AT(unlinkat, REMOVES, 0, 1, NO),
    TWO(linkat, LINKS, 0, 1, 2, 3),
    TWO(symlinkat, SYMLINKS, NO, 0, 1, 2),
    TWO(renameat2, RENAMES, 0, 1, 2, 3),
    PLAIN(truncate, CHANGES, 0, NO),
    AT(fchmodat, CHANGES, 0, 1, NO),
    YOUNG(fchmodat2, 452, CHANGES, 0, 1, 3),
    AT(fchownat, CHANGES, 0, 1, 4),
    AT(utimensat, CHANGES, 0, 1, 3),
    PLAIN(setxattr, CHANGES, 0, NO),
    PLAIN(lsetxattr, CHANGES, 0, NO),
    PLAIN(removexattr, CHANGES, 0, NO),
    PLAIN(lremovexattr, CHANGES, 0, NO),
    YOUNG(setxattrat, 463, CHANGES, 0, 1, 2),
    YOUNG(removexattrat, 466, CHANGES, 0, 1, 2),
    YOUNG(file_setattr, 469, CHANGES, 0, 1, 4),
    PLAIN(fchmod, CHANGES_OPEN, NO, NO),
    PLAIN(fchown, CHANGES_OPEN, NO, NO),
    PLAIN(fsetxattr, CHANGES_OPEN, NO, NO),
    PLAIN(fremovexattr, CHANGES_OPEN, NO, NO),
    PLAIN(ptrace, CONTROLS, NO, NO),
    PLAIN(process_vm_writev, CONTROLS, NO, NO),
    AT(connect, CONNECTS, NO, 1, 2),
    AT(bind, CONNECTS, NO, 1, 2),
    PLAIN(socket, HAS_SOCKET, NO, NO),
#ifdef SYS_renameat
    TWO(renameat, RENAMES, 0, 1, 2, 3),
#endif
#ifdef SYS_open /* x86_64 has additional, older calls */
    PLAIN(open, OPENS, 0, 1),
    PLAIN(creat, CREATES, 0, NO),
    PLAIN(stat, LOOKS, 0, NO),
    PLAIN(lstat, LOOKS_AT_IT, 0, NO),
    PLAIN(access, LOOKS, 0, NO),
    PLAIN(readlink, READS_LINK, 0, NO),
    PLAIN(getdents, LISTS, NO, NO),
    PLAIN(mkdir, MAKES, 0, NO),
    PLAIN(mknod, MAKES, 0, NO),
    PLAIN(rmdir, REMOVES, 0, NO),
    PLAIN(unlink, REMOVES, 0, NO),
    TWO(link, LINKS, NO, 0, NO, 1),
    TWO(symlink, SYMLINKS, NO, 0, NO, 1),
    TWO(rename, RENAMES, NO, 0, NO, 1),
    PLAIN(chmod, CHANGES, 0, NO),
    PLAIN(chown, CHANGES, 0, NO),
    PLAIN(lchown, CHANGES, 0, NO),
    PLAIN(utime, CHANGES, 0, NO),
    PLAIN(utimes, CHANGES, 0, NO),
    AT(futimesat, CHANGES, 0, 1, NO),
    PLAIN(uselib, TROUBLES, NO, NO),
#endif
    PLAIN(chroot, TROUBLES, NO, NO),
    PLAIN(pivot_root, TROUBLES, NO, NO),
    PLAIN(mount, TROUBLES, NO, NO),
    PLAIN(umount2, TROUBLES, NO, NO),
    PLAIN(unshare, TROUBLES, NO, NO),
    PLAIN(setns, TROUBLES, NO, NO),
    PLAIN(open_by_handle_at, TROUBLES, NO, NO),
    PLAIN(fanotify_init, TROUBLES, NO, NO),
    PLAIN(acct, TROUBLES, NO, NO),
    PLAIN(shmget, TROUBLES, NO, NO),
    PLAIN(msgget, TROUBLES, NO, NO),
    PLAIN(mq_open, TROUBLES, NO, NO),
    PLAIN(swapon, TROUBLES, NO, NO),
    PLAIN(quotactl, TROUBLES, NO, NO),
    YOUNG(open_tree, 428, TROUBLES, NO, NO, NO),
    YOUNG(move_mount, 429, TROUBLES, NO, NO, NO),
    YOUNG(fsopen, 430, TROUBLES, NO, NO, NO),
    YOUNG(fspick, 433, TROUBLES, NO, NO, NO),
    YOUNG(pidfd_getfd, 438, TROUBLES, NO, NO, NO),
    YOUNG(mount_setattr, 442, TROUBLES, NO, NO, NO),
    YOUNG(open_tree_attr, 467, TROUBLES, NO, NO, NO),
};
const size_t spate_tracer_call_count = sizeof(spate_tracer_calls) / sizeof(*spate_tracer_calls);

const spate_tracer_call *spate_tracer_call_of(int number) {
    for (size_t i = 0; i < spate_tracer_call_count; i++)
        if (spate_tracer_calls[i].number == number)
            return &spate_tracer_calls[i];
    return NULL;
}

#endif
