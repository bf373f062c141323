#define _GNU_SOURCE
#include "tracer/here.h"
#include "tracer/supervisor/guard.h"

#ifdef SPATE_TRACER_HERE

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From <linux/landlock.h>, which older kernel headers lack. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define VERSION 1U
#define RULE_PATH_BENEATH 1
#define WRITE_FILE (UINT64_C(1) << 1)
#define REMOVE_AND_MAKE (UINT64_C(0x1ff) << 4) /* remove_dir, remove_file, make_char to make_sym */
#define REFER (UINT64_C(1) << 13)
#define TRUNCATE (UINT64_C(1) << 14)
#define VERSION_OF_REFER 2
#define VERSION_OF_TRUNCATE 3

typedef struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) path_beneath;

static uint64_t handled_by(long version) {
    uint64_t handled = WRITE_FILE | REMOVE_AND_MAKE;
    if (version >= VERSION_OF_REFER)
        handled |= REFER;
    if (version >= VERSION_OF_TRUNCATE)
        handled |= TRUNCATE;
    return handled;
}

static bool allow_null_device(int rules, uint64_t handled) {
    path_beneath rule = {handled & (WRITE_FILE | TRUNCATE), open("/dev/null", O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return false;
    bool added = syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return added;
}

spate_status spate_confine(spate_error *error) {
    long version = syscall(CREATE_RULESET, NULL, 0, VERSION);
    if (version < 1)
        return spate_fail_errno(error, NULL, "Landlock");
    uint64_t handled = handled_by(version);
    int rules = (int)syscall(CREATE_RULESET, &handled, sizeof(handled), 0);
    bool confined = rules >= 0 && allow_null_device(rules, handled) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    syscall(RESTRICT_SELF, rules, 0) == 0;
    int number = errno;
    if (rules >= 0)
        close(rules);
    errno = number;
    return confined ? SPATE_OK : spate_fail_errno(error, NULL, "Landlock");
}

#else

spate_status spate_confine(spate_error *error) {
    return spate_fail(error, SPATE_SYSTEM, NULL, "this system has no Landlock");
}

#endif
