/* Idle priority, for background work. */
#ifndef SPATE_IDLE_H
#define SPATE_IDLE_H

/*
 * This thread, and everything it starts from now on, gets processors and disks only while they are idle: nice 19, and
 * on Linux SCHED_IDLE and the idle class of I/O. Failures are ignored: only other programs' speed depends on it.
 */
void spate_become_idle(void);

#endif
