/* Forwards a client's signals to its child. */
#ifndef SPATE_FRONT_WARM_SIGNALS_H
#define SPATE_FRONT_WARM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct spate_warm_signals {
    int descriptor;   /* from signalfd */
    sigset_t before;  /* the signal mask that spate_warm_return_signals restores */
    uint64_t ignored; /* as in spate_warm_command. SIGINT is never ignored: see spate_exec */
    uint64_t blocked;
} spate_warm_signals;

/* Blocks the signals to be forwarded and opens the descriptor. If it returns false, nothing has changed. */
bool spate_warm_take_signals(spate_warm_signals *signals);
void spate_warm_return_signals(spate_warm_signals *signals);

/* Forwards pending signals to the child. Signals from a terminal are sent to the child's process group. */
void spate_warm_forward(const spate_warm_signals *signals, pid_t child);

/* Stops this process with the signal. When it is continued, continues the child. */
void spate_warm_stop(int signal, pid_t child);

/* Ends this process with the signal, without a core dump. Returns the exit status if the process survives the
 * signal. */
int spate_warm_end_by(int signal);

#endif
