/* ask_c FILE: answers 0 or 1 for every line of the input, "b HEX" for bytes and "i NUMBER" for an integer; one by one, and compares with a
 * batch. */
#include <inttypes.h>
#include <membrane/membrane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t from_hex(const char* text, unsigned char* bytes) {
    size_t length = 0;
    unsigned byte = 0;
    for (; sscanf(text + 2 * length, "%2x", &byte) == 1; ++length) bytes[length] = (unsigned char)byte;
    return length;
}

static int ask(const membrane_filter* filter, const char* line, bool* answer) {
    static unsigned char bytes[4096];
    bool again = false;
    uint64_t number = 0;
    membrane_status status = MEMBRANE_OK;
    membrane_keys batch = {MEMBRANE_UNSIGNED, 8, 1, &number, NULL};
    if (line[0] == 'i') {
        number = line[2] == '-' ? (uint64_t)strtoll(line + 2, NULL, 10) : strtoull(line + 2, NULL, 10);
        status = membrane_may_contain_u64(filter, number, answer);
    } else {
        const size_t length = from_hex(line + 2, bytes);
        status = membrane_may_contain(filter, bytes, length, answer);
        batch.form = MEMBRANE_BYTES;
        batch.width = (uint32_t)length;
        batch.data = bytes;
    }
    if (status != MEMBRANE_OK || membrane_may_contain_many(filter, &batch, &again, NULL) != MEMBRANE_OK) {
        fprintf(stderr, "%s\n", membrane_last_error());
        return 1;
    }
    return again == *answer ? 0 : 1;
}

int main(int count, char** arguments) {
    static char line[10000];
    membrane_filter* filter = NULL;
    if (count != 2 || membrane_map(arguments[1], true, &filter) != MEMBRANE_OK) {
        fprintf(stderr, "%s\n", membrane_last_error());
        return 2;
    }
    int code = 0;
    while (code == 0 && fgets(line, sizeof line, stdin) != NULL) {
        bool answer = false;
        code = ask(filter, line, &answer);
        puts(answer ? "1" : "0");
    }
    membrane_close(filter);
    return code;
}
