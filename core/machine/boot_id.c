#define _GNU_SOURCE
#include "machine/boot_id.h"

#include "base/file.h"
#include "digest/hex.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#define TEXT_LENGTH 36

static uint8_t identity[SPATE_BOOT_BYTES];
static bool known;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Reads a text like "54b86f48-d518-4dfc-80b6-0af2b8c4cf78". Linux and macOS use the same form. */
static bool read_text(char text[TEXT_LENGTH + 1]) {
#ifdef __APPLE__
    size_t length = TEXT_LENGTH + 1;
    return sysctlbyname("kern.bootsessionuuid", text, &length, NULL, 0) == 0 && length >= TEXT_LENGTH;
#else
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    int64_t got = spate_read_full(descriptor, text, TEXT_LENGTH);
    close(descriptor);
    return got == TEXT_LENGTH;
#endif
}

static void find(void) {
    char text[TEXT_LENGTH + 1];
    char digits[2 * SPATE_BOOT_BYTES];
    size_t used = 0;
    if (!read_text(text))
        return;
    for (size_t i = 0; i < TEXT_LENGTH && used < sizeof(digits); i++)
        if (text[i] != '-')
            digits[used++] = text[i];
    known = used == sizeof(digits) && spate_unhex(digits, used, identity, sizeof(identity));
}

const uint8_t *spate_boot_id(void) {
    pthread_once(&once, find);
    return known ? identity : NULL;
}
