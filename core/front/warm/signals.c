#include "front/warm/signals.h"

#ifdef __linux__

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_MAX 64
/* Like a shell: 128 plus the signal. */
#define ENDED_BY 128

static const int FORWARDED[] = {SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGTSTP};

static uint64_t bit(int signal) {
    return (uint64_t)1 << (signal - 1);
}

/* Signals that the C library reserves for itself are in neither mask. */
static void read_masks(spate_warm_signals *signals) {
    signals->ignored = signals->blocked = 0;
    for (int signal = 1; signal <= SIGNAL_MAX; signal++) {
        struct sigaction action;
        if (signal != SIGINT && sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            signals->ignored |= bit(signal);
        if (sigismember(&signals->before, signal) == 1)
            signals->blocked |= bit(signal);
    }
}

bool spate_warm_take_signals(spate_warm_signals *signals) {
    sigset_t taken;
    if (sigprocmask(SIG_BLOCK, NULL, &signals->before) != 0)
        return false;
    read_masks(signals);
    (void)sigemptyset(&taken);
    /* SIGCONT continues a process even if it is ignored. A signal that is both blocked and read by signalfd still
     * arrives. */
    for (size_t at = 0; at < sizeof(FORWARDED) / sizeof(*FORWARDED); at++)
        if (FORWARDED[at] == SIGCONT || !(signals->ignored & bit(FORWARDED[at])))
            (void)sigaddset(&taken, FORWARDED[at]);
    signals->descriptor = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->descriptor < 0)
        return false;
    if (sigprocmask(SIG_BLOCK, &taken, NULL) == 0)
        return true;
    (void)close(signals->descriptor);
    return false;
}

void spate_warm_return_signals(spate_warm_signals *signals) {
    (void)close(signals->descriptor);
    (void)sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/* Whether a terminal sent the signal. It signals the foreground process group, which contains this process but not the
 * child. */
static bool is_from_terminal(const struct signalfd_siginfo *info) {
    return info->ssi_code > 0 && info->ssi_signo != SIGALRM;
}

void spate_warm_forward(const spate_warm_signals *signals, pid_t child) {
    struct signalfd_siginfo info;
    while (read(signals->descriptor, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        bool group = is_from_terminal(&info) || info.ssi_signo == SIGCONT;
        (void)kill(group ? -child : child, (int)info.ssi_signo);
    }
}

/* Raises the signal with its default action. */
static void raise_signal(int signal) {
    struct sigaction ordinary = {.sa_handler = SIG_DFL};
    sigset_t one, before;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, signal);
    (void)sigaction(signal, &ordinary, NULL);
    (void)raise(signal);
    (void)sigprocmask(SIG_UNBLOCK, &one, &before);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void spate_warm_stop(int signal, pid_t child) {
    static const struct timespec now;
    sigset_t continued;
    raise_signal(signal);
    /* Discards the SIGCONT that continued this process, because forwarding it would continue the child twice. */
    (void)sigemptyset(&continued);
    (void)sigaddset(&continued, SIGCONT);
    (void)sigtimedwait(&continued, NULL, &now);
    (void)kill(-child, SIGCONT);
}

int spate_warm_end_by(int signal) {
    (void)prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
    raise_signal(signal);
    return ENDED_BY + signal;
}

#endif
