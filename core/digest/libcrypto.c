#include "digest/libcrypto.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static spate_libcrypto library;

#if defined(SPATE_LIBCRYPTO_LATER) && defined(OPENSSL_SHLIB_VERSION)
#include <dlfcn.h>
#define TEXT_OF(number) #number
#define NAME_OF(number) "libcrypto.so." TEXT_OF(number)
/* The version of the headers: other versions may have different types. */
#define LIBRARY NAME_OF(OPENSSL_SHLIB_VERSION)

static bool find(void *handle, const char *name, void *function) {
    void *found = dlsym(handle, name);
    *(void **)function = found;
    return found != NULL;
}

/* The library is never unloaded, because threads own contexts until they end. */
static void load(void) {
    static EVP_MD *(*fetch)(OSSL_LIB_CTX *, const char *, const char *);
    static const char *const names[SPATE_DIGEST_KINDS] = {"SHA1", "SHA2-256", "SHA2-512"};
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return;
    loaded = find(handle, "EVP_MD_fetch", &fetch) && find(handle, "EVP_MD_CTX_new", &library.context_new) &&
             find(handle, "EVP_MD_CTX_free", &library.context_free) &&
             find(handle, "EVP_DigestInit_ex", &library.begin) && find(handle, "EVP_DigestUpdate", &library.update) &&
             find(handle, "EVP_DigestFinal_ex", &library.finish);
    for (int kind = 0; loaded && kind < SPATE_DIGEST_KINDS; kind++)
        library.algorithms[kind] = fetch(NULL, names[kind], NULL);
}
#else
/* Fetches each algorithm once: an implicit fetch at each EVP_DigestInit takes longer than hashing a small file. */
static const EVP_MD *fetch(const char *name, const EVP_MD *implicit) {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
    (void)implicit;
    return EVP_MD_fetch(NULL, name, NULL);
#else
    (void)name;
    return implicit;
#endif
}

static void load(void) {
    library = (spate_libcrypto){
        .context_new = EVP_MD_CTX_new,
        .context_free = EVP_MD_CTX_free,
        .begin = EVP_DigestInit_ex,
        .update = EVP_DigestUpdate,
        .finish = EVP_DigestFinal_ex,
        .algorithms = {fetch("SHA1", EVP_sha1()), fetch("SHA2-256", EVP_sha256()), fetch("SHA2-512", EVP_sha512())},
    };
    loaded = true;
}
#endif

const spate_libcrypto *spate_libcrypto_load(void) {
    return pthread_once(&once, load) == 0 && loaded ? &library : NULL;
}
