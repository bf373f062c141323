/* Any bytes as a boot image: what is taken can be read to its last blob inside the bytes, and found by path. */
#include <stdlib.h>
#include <string.h>

#include "image/format.h"
#include "image/image.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

static uint64_t sum_of(const void *bytes, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += ((const uint8_t *)bytes)[i];
    return sum;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Without the right length, key and checksum nothing else would ever be looked at: seven in eight are sealed again. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    disk_header header;
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < sizeof header || seed % 8 == 0)
        return length;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, IMAGE_MAGIC, sizeof header.magic);
    memset(header.key, 0, sizeof header.key);
    header.version = SPATE_IMAGE_VERSION;
    header.endian = IMAGE_ENDIAN;
    header.header_length = sizeof header;
    header.length = length;
    if (header.tables_length < sizeof header || header.tables_length > length)
        header.tables_length = length;
    memcpy(bytes, &header, sizeof header);
    header.checksum = spate_image_checksum(bytes, (size_t)header.tables_length);
    memcpy(bytes, &header, sizeof header);
    return length;
}

static uint64_t read_all(spate_image *image) {
    uint64_t sum = 0;
    size_t index;
    for (size_t i = 0; i < spate_image_count(image); i++) {
        spate_image_file file = spate_image_file_at(image, i);
        require(strlen(file.path) == file.path_length && file.path_length > 0);
        require((const uint8_t *)file.blob != NULL);
        /* Two entries may claim one path, in a table made by hand; what is found has it. */
        if (spate_image_find(image, spate_image_hash(file.path, file.path_length), file.path, file.path_length,
                             &index)) {
            require(index < spate_image_count(image));
            require(strcmp(spate_image_file_at(image, index).path, file.path) == 0);
        }
        sum += sum_of(file.path, file.path_length) + sum_of(file.blob, file.blob_length);
        sum += spate_image_check_blob(image, i);
    }
    for (size_t i = 0; i < spate_image_data_count(image); i++) {
        spate_image_data data = spate_image_data_at(image, i);
        require(spate_image_find_data(image, data.name, data.name_length, &index) && index <= i);
        sum += sum_of(data.bytes, data.length) + spate_image_check_data(image, i);
    }
    require(!spate_image_find(image, 1, "no such path", 12, &index));
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static const uint8_t key[SPATE_IMAGE_KEY_BYTES];
    spate_image *image;
    spate_image_fault fault;
    spate_error error = {0};
    volatile uint64_t sum = 0; /* read, so that reading the bytes is not optimized away */
    uint8_t *bytes = malloc(length == 0 ? 1 : length); /* aligned, and its end is watched */

    require(bytes != NULL);
    memcpy(bytes, input, length);
    spate_status status = spate_image_parse(&image, bytes, length, key, &fault, &error);
    require((status == SPATE_OK) == (image != NULL));
    require((status == SPATE_OK) == (fault == SPATE_IMAGE_FINE));
    if (status == SPATE_OK) {
        sum += read_all(image);
        spate_image_close(image);
    }
    free(bytes);
    (void)sum;
    return 0;
}
