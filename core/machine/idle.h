/* Idle priority, for background work. */
#ifndef SPATE_IDLE_H
#define SPATE_IDLE_H

/*
 * This thread, and whatever it starts from now on, gets processors and disks only while nobody else wants them: nice 19,
 * and on Linux SCHED_IDLE and the idle class of I/O. What the system refuses is left as it is: it saves others time only.
 */
void spate_become_idle(void);

#endif
