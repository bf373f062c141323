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

/* The callers check for interrupts, because they know what to clean up. */
static void without_gvl(void *(*work)(void *), void *context, rb_unblock_function_t *unblock, void *unblocked) {
    rb_nogvl(work, context, unblock, unblocked, RB_NOGVL_INTR_FAIL | RB_NOGVL_UBF_ASYNC_SAFE | OFFLOAD);
}

/* ---- Work in steps ----------------------------------------------------------------------------------------------- */

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

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

/* All running jobs are in a list, through which the GC marks the Strings that they use. */
typedef struct job {
    spate_job is;
    struct job *next;
    pthread_cond_t changed;
    bool done;
    bool interrupted;
    bool abandoned; /* the Ruby thread no longer waits */
} job;

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list and the jobs in it */
static job *jobs;
static VALUE jobs_root;
static unsigned forks; /* number of forks between the first process and this one */

static void unlink_job(job *ended) {
    for (job **link = &jobs; *link != NULL; link = &(*link)->next) {
        if (*link == ended) {
            *link = ended->next;
            return;
        }
    }
}

static void free_job(job *ended) {
    pthread_cond_destroy(&ended->changed);
    free(ended);
}

static void *run_job(void *argument) {
    job *running = argument;
    running->is.work(running->is.context);
    pthread_mutex_lock(&jobs_lock);
    running->done = true;
    bool abandoned = running->abandoned;
    if (abandoned)
        unlink_job(running);
    else
        pthread_cond_signal(&running->changed);
    pthread_mutex_unlock(&jobs_lock);
    if (abandoned) {
        running->is.finish(running->is.context);
        free_job(running);
    }
    return NULL;
}

static void *wait_for_job(void *argument) {
    job *running = argument;
    pthread_mutex_lock(&jobs_lock);
    while (!running->done && !running->interrupted)
        pthread_cond_wait(&running->changed, &jobs_lock);
    running->interrupted = false;
    pthread_mutex_unlock(&jobs_lock);
    return NULL;
}

static void interrupt_job(void *argument) {
    job *running = argument;
    pthread_mutex_lock(&jobs_lock);
    running->interrupted = true;
    pthread_cond_signal(&running->changed);
    pthread_mutex_unlock(&jobs_lock);
}

static VALUE check_interrupts(VALUE unused) {
    rb_thread_check_ints();
    return Qnil;
}

static bool start(job *running) {
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
        started = pthread_create(&thread, &attributes, run_job, running) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

static bool is_done(job *running) {
    pthread_mutex_lock(&jobs_lock);
    bool done = running->done;
    if (done)
        unlink_job(running);
    pthread_mutex_unlock(&jobs_lock);
    return done;
}

/* Returns true if the job's thread owns the job from now on, false if the job was done and belongs to the caller. */
static bool abandon(job *running) {
    pthread_mutex_lock(&jobs_lock);
    bool done = running->done;
    running->abandoned = true;
    if (done)
        unlink_job(running);
    pthread_mutex_unlock(&jobs_lock);
    return !done;
}

bool spate_release_job(const spate_job *given) {
    job *running = calloc(1, sizeof *running);
    if (running == NULL || pthread_cond_init(&running->changed, NULL) != 0) {
        free(running);
        given->work(given->context); /* out of memory: run it here */
        return true;
    }
    running->is = *given;
    unsigned before = forks;
    pthread_mutex_lock(&jobs_lock);
    running->next = jobs;
    jobs = running;
    pthread_mutex_unlock(&jobs_lock);
    if (!start(running)) { /* cannot create a thread: run it here */
        pthread_mutex_lock(&jobs_lock);
        unlink_job(running);
        pthread_mutex_unlock(&jobs_lock);
        free_job(running);
        given->work(given->context);
        return true;
    }
    while (!is_done(running)) {
        int raised = 0;
        rb_nogvl(wait_for_job, running, interrupt_job, running, RB_NOGVL_INTR_FAIL | OFFLOAD);
        rb_protect(check_interrupts, Qnil, &raised);
        if (before != forks) {
            if (raised != 0)
                rb_jump_tag(raised);
            return false;
        }
        if (raised != 0) {
            if (!abandon(running)) {
                running->is.finish(running->is.context);
                free_job(running);
            }
            rb_jump_tag(raised);
        }
    }
    free_job(running);
    return true;
}

/* ---- Short work -------------------------------------------------------------------------------------------------- */

typedef struct brief {
    void (*work)(void *context);
    void *context;
    bool done;
} brief;

static void *run_brief(void *argument) {
    brief *running = argument;
    running->work(running->context);
    running->done = true;
    return NULL;
}

void spate_release_briefly(void (*work)(void *context), void *context) {
    brief running = {.work = work, .context = context};
    for (;;) {
        without_gvl(run_brief, &running, NULL, NULL);
        if (running.done)
            return;
        rb_thread_check_ints(); /* a pending interrupt prevented the call */
    }
}

void spate_release_job_in_place(const spate_job *job) {
    brief running = {.work = job->work, .context = job->context};
    for (;;) {
        int raised = 0;
        without_gvl(run_brief, &running, NULL, NULL);
        if (running.done)
            return;
        rb_protect(check_interrupts, Qnil, &raised);
        if (raised != 0) {
            job->finish(job->context);
            rb_jump_tag(raised);
        }
    }
}

/* ---- Marking ----------------------------------------------------------------------------------------------------- */

static void mark_jobs(void *unused) {
    pthread_mutex_lock(&jobs_lock);
    for (job *running = jobs; running != NULL; running = running->next) {
        rb_gc_mark(running->is.keep[0]);
        rb_gc_mark(running->is.keep[1]);
    }
    pthread_mutex_unlock(&jobs_lock);
}

/* Not WB-protected, so that every collection marks it again. */
static const rb_data_type_t jobs_type = {
    .wrap_struct_name = "Spate::Zlib jobs",
    .function = {.dmark = mark_jobs},
};

static void forget_jobs(void) {
    jobs = NULL; /* the threads do not exist in the child */
    forks++;
    pthread_mutex_init(&jobs_lock, NULL);
}

void spate_init_release(VALUE zlib) {
    rb_gc_register_address(&jobs_root);
    jobs_root = TypedData_Wrap_Struct(0, &jobs_type, &jobs);
    pthread_atfork(NULL, NULL, forget_jobs);
}
