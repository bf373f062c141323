#include "base/release.h"

#include <pthread.h>
#include <ruby/thread.h>
#include <signal.h>
#include <stdlib.h>

#ifdef RB_NOGVL_OFFLOAD_SAFE
#define OFFLOAD RB_NOGVL_OFFLOAD_SAFE
#else
#define OFFLOAD 0
#endif

/* Interrupts are checked by the callers, which know what to clean up. */
static void without_gvl(void *(*work)(void *), void *context, rb_unblock_function_t *unblock, void *unblocked) {
    rb_nogvl(work, context, unblock, unblocked, RB_NOGVL_INTR_FAIL | RB_NOGVL_UBF_ASYNC_SAFE | OFFLOAD);
}

/* ---- Work in steps ------------------------------------------------------------------------------------------------ */

typedef struct stepwise {
    spate_stepwise work;
    void *context;
    spate_interrupt interrupt;
    bool done;
} stepwise;

static void *run_steps(void *argument) {
    stepwise *running = argument;
    running->done = running->work(running->context, &running->interrupt);
    return NULL;
}

static void interrupt_steps(void *argument) {
    stepwise *running = argument;
    running->interrupt.requested = 1;
}

void spate_release_stepwise(spate_stepwise work, void *context) {
    stepwise running = {.work = work, .context = context};
    for (;;) {
        running.interrupt.requested = 0;
        without_gvl(run_steps, &running, interrupt_steps, &running);
        if (running.done)
            return;
        rb_thread_check_ints();
    }
}

/* ---- Work in one piece -------------------------------------------------------------------------------------------- */

/* In the list of all pieces from its start to its end; the GC asks the list for the Strings they use. */
typedef struct piece {
    spate_piece is;
    struct piece *next;
    pthread_cond_t changed;
    bool done;
    bool interrupted;
    bool left; /* by the Ruby thread that waited */
} piece;

static pthread_mutex_t pieces_lock = PTHREAD_MUTEX_INITIALIZER; /* of the list and of all pieces in it */
static piece *pieces;
static VALUE pieces_root;
static unsigned forks; /* that led to this process */

static void strike(piece *ended) {
    for (piece **link = &pieces; *link != NULL; link = &(*link)->next) {
        if (*link == ended) {
            *link = ended->next;
            return;
        }
    }
}

static void free_piece(piece *ended) {
    pthread_cond_destroy(&ended->changed);
    free(ended);
}

static void *run_piece(void *argument) {
    piece *running = argument;
    running->is.work(running->is.context);
    pthread_mutex_lock(&pieces_lock);
    running->done = true;
    bool left = running->left;
    if (left)
        strike(running);
    else
        pthread_cond_signal(&running->changed);
    pthread_mutex_unlock(&pieces_lock);
    if (left) {
        running->is.finish(running->is.context);
        free_piece(running);
    }
    return NULL;
}

static void *wait_for_piece(void *argument) {
    piece *running = argument;
    pthread_mutex_lock(&pieces_lock);
    while (!running->done && !running->interrupted)
        pthread_cond_wait(&running->changed, &pieces_lock);
    running->interrupted = false;
    pthread_mutex_unlock(&pieces_lock);
    return NULL;
}

static void interrupt_piece(void *argument) {
    piece *running = argument;
    pthread_mutex_lock(&pieces_lock);
    running->interrupted = true;
    pthread_cond_signal(&running->changed);
    pthread_mutex_unlock(&pieces_lock);
}

static VALUE check_interrupts(VALUE unused) {
    rb_thread_check_ints();
    return Qnil;
}

static bool start(piece *running) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started = false;
    if (pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
        pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        started = pthread_create(&thread, &attributes, run_piece, running) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

static bool is_done(piece *running) {
    pthread_mutex_lock(&pieces_lock);
    bool done = running->done;
    if (done)
        strike(running);
    pthread_mutex_unlock(&pieces_lock);
    return done;
}

/* True if the thread has it now; otherwise it was done, and is the caller's. */
static bool leave(piece *running) {
    pthread_mutex_lock(&pieces_lock);
    bool done = running->done;
    running->left = true;
    if (done)
        strike(running);
    pthread_mutex_unlock(&pieces_lock);
    return !done;
}

bool spate_release_piece(const spate_piece *given) {
    piece *running = calloc(1, sizeof *running);
    if (running == NULL || pthread_cond_init(&running->changed, NULL) != 0) {
        free(running);
        given->work(given->context); /* no memory to be had: then here */
        return true;
    }
    running->is = *given;
    unsigned before = forks;
    pthread_mutex_lock(&pieces_lock);
    running->next = pieces;
    pieces = running;
    pthread_mutex_unlock(&pieces_lock);
    if (!start(running)) { /* no thread to be had: then here */
        pthread_mutex_lock(&pieces_lock);
        strike(running);
        pthread_mutex_unlock(&pieces_lock);
        free_piece(running);
        given->work(given->context);
        return true;
    }
    while (!is_done(running)) {
        int raised = 0;
        rb_nogvl(wait_for_piece, running, interrupt_piece, running, RB_NOGVL_INTR_FAIL | OFFLOAD);
        rb_protect(check_interrupts, Qnil, &raised);
        if (before != forks) {
            if (raised != 0)
                rb_jump_tag(raised);
            return false;
        }
        if (raised != 0) {
            if (!leave(running)) {
                running->is.finish(running->is.context);
                free_piece(running);
            }
            rb_jump_tag(raised);
        }
    }
    free_piece(running);
    return true;
}

/* ---- A moment ----------------------------------------------------------------------------------------------------- */

typedef struct moment {
    void (*work)(void *context);
    void *context;
    bool done;
} moment;

static void *run_moment(void *argument) {
    moment *running = argument;
    running->work(running->context);
    running->done = true;
    return NULL;
}

void spate_release_briefly(void (*work)(void *context), void *context) {
    moment running = {.work = work, .context = context};
    for (;;) {
        without_gvl(run_moment, &running, NULL, NULL);
        if (running.done)
            return;
        rb_thread_check_ints(); /* an interrupt was pending, and the work did not begin */
    }
}

void spate_release_moment(const spate_piece *piece) {
    moment running = {.work = piece->work, .context = piece->context};
    for (;;) {
        int raised = 0;
        without_gvl(run_moment, &running, NULL, NULL);
        if (running.done)
            return;
        rb_protect(check_interrupts, Qnil, &raised);
        if (raised != 0) {
            piece->finish(piece->context);
            rb_jump_tag(raised);
        }
    }
}

/* ---- What the GC sees --------------------------------------------------------------------------------------------- */

static void mark_pieces(void *unused) {
    pthread_mutex_lock(&pieces_lock);
    for (piece *running = pieces; running != NULL; running = running->next) {
        rb_gc_mark(running->is.keep[0]);
        rb_gc_mark(running->is.keep[1]);
    }
    pthread_mutex_unlock(&pieces_lock);
}

/* Without write barriers, so that it is marked again in every collection. */
static const rb_data_type_t pieces_type = {
    .wrap_struct_name = "Spate::Zlib pieces",
    .function = {.dmark = mark_pieces},
};

static void forget_pieces(void) {
    pieces = NULL; /* the child has none of these threads */
    forks++;
    pthread_mutex_init(&pieces_lock, NULL);
}

void spate_init_release(VALUE zlib) {
    rb_gc_register_address(&pieces_root);
    pieces_root = TypedData_Wrap_Struct(0, &pieces_type, &pieces);
    pthread_atfork(NULL, NULL, forget_pieces);
}
