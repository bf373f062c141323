/* Writes to a file in a signal handler, whose stack is only a little larger than the system requires. */
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define LEAST 2048
#define OWN 6144
#define GUARD 65536

static const char *name;

static void write_into(int signal) {
    (void)signal;
    int file = open(name, O_WRONLY | O_APPEND);
    if (file < 0 || write(file, "new\n", 4) != 4)
        _exit(1);
}

int main(int count, char **words) {
    size_t least = getauxval(AT_MINSIGSTKSZ);
    size_t size = (least > LEAST ? least : LEAST) + OWN;
    char *memory = mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory + GUARD, .ss_size = size};
    struct sigaction action = {.sa_handler = write_into, .sa_flags = SA_ONSTACK};
    name = words[count - 1];
    if (mprotect(memory, GUARD, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0)
        return 1;
    sigaction(SIGUSR1, &action, NULL);
    return raise(SIGUSR1);
}
