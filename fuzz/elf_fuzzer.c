/* Fuzzes ELF files: a shared library is either read or rejected, without leaving its memory, and twice with the same
 * result. */
#include <stdlib.h>
#include <string.h>

#include "elf/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    uint8_t first[SPATE_SHA256_LENGTH];
    uint8_t second[SPATE_SHA256_LENGTH];
    uint8_t none = 0;
    spate_elf_source source = {.bytes = length > 0 ? input : &none, .length = length};
    spate_status status = spate_elf_promise(&source, first);
    if (status != SPATE_OK && status != SPATE_CORRUPT)
        abort();
    if (spate_elf_promise(&source, second) != status ||
        (status == SPATE_OK && memcmp(first, second, sizeof first) != 0))
        abort();
    return 0;
}
