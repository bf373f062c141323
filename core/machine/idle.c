#define _GNU_SOURCE
#include "machine/idle.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOWEST 19
/* ioprio_set(2): of one thread, here the calling one; the class is above the 13 bits of its level. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_IDLE 3
#define IOPRIO_CLASS_SHIFT 13

void spate_become_idle(void) {
    (void)setpriority(PRIO_PROCESS, 0, LOWEST);
#ifdef __linux__
    struct sched_param none = {0};
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
    (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
#endif
}
