#define _GNU_SOURCE
#include "machine/mount.h"

#include "digest/siphash.h"
#include "machine/boot_id.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__) && defined(SYS_statx)
/* Offsets into struct statx, which has 256 bytes. Older headers lack some of its fields and flags. */
#define STATX_WORDS 32
#define WORD_OF_MASK 0   /* stx_mask, 4 bytes */
#define WORD_OF_MOUNT 18 /* stx_mnt_id */
#define BIRTH 0x800u     /* STATX_BTIME */
#define UNIQUE 0x4000u   /* STATX_MNT_ID_UNIQUE */

/* Returns the unique ID of the mount, or 0 if unknown. Unlike the older mount ID, it is not reused after an unmount. */
static uint64_t unique_id(int descriptor, const char *path, bool link) {
    uint64_t words[STATX_WORDS] = {0};
    uint32_t mask;
    int flags = descriptor >= 0 ? AT_EMPTY_PATH : link ? AT_SYMLINK_NOFOLLOW : 0;
    int folder = descriptor >= 0 ? descriptor : AT_FDCWD;
    if (syscall(SYS_statx, folder, descriptor >= 0 ? "" : path, flags, BIRTH | UNIQUE, words) != 0)
        return 0;
    memcpy(&mask, &words[WORD_OF_MASK], sizeof(mask));
    return (mask & BIRTH) != 0 && (mask & UNIQUE) != 0 ? words[WORD_OF_MOUNT] : 0;
}
#else
static uint64_t unique_id(int descriptor, const char *path, bool link) {
    (void)descriptor, (void)path, (void)link;
    return 0;
}
#endif

uint64_t spate_mount_number(int descriptor, const char *path, const struct stat *info) {
    uint8_t digest[SPATE_SIPHASH_BYTES];
    uint64_t facts[2] = {unique_id(descriptor, path, S_ISLNK(info->st_mode)), (uint64_t)info->st_dev};
    const uint8_t *boot = facts[0] == 0 ? NULL : spate_boot_id();
    uint64_t number;
    spate_siphash hash;
    if (!boot)
        return 0;
    spate_siphash_begin(&hash);
    spate_siphash_add(&hash, boot, SPATE_BOOT_BYTES);
    spate_siphash_add(&hash, facts, sizeof(facts));
    spate_siphash_end(&hash, digest);
    memcpy(&number, digest, sizeof(number));
    return number;
}
