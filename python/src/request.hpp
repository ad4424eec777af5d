// The arguments of membrane.Filter and membrane.plan as a request of the C library.
#pragma once

#include <cstdint>

#include "python.hpp"

namespace membrane_python {

// False: an exception is set. The bytes may be missing.
inline bool read_hash_key(const char* bytes, Py_ssize_t length, const std::uint8_t*& hash_key) {
    if (bytes != nullptr && length != 16) {
        PyErr_SetString(PyExc_ValueError, "hash_key has 16 bytes");
        return false;
    }
    hash_key = reinterpret_cast<const std::uint8_t*>(bytes);
    return true;
}

struct request {
    membrane_request values = MEMBRANE_REQUEST_INIT;

    // The texts belong to the arguments. False: an exception is set.
    bool read(PyObject* arguments, PyObject* names) {
        static const char* const keywords[] = {"keys",  "fpr",         "bits_per_key", "max_bytes",
                                               "reads", "worst_reads", "grow_to",      "needs",
                                               "kind",  "hash",        "hash_key",     nullptr};
        unsigned long long keys = 0, max_bytes = 0, grow_to = 0, needs = 0;
        const char* hash_key = nullptr;
        Py_ssize_t hash_key_bytes = 0;
        if (PyArg_ParseTupleAndKeywords(arguments, names, "|KddKddKKzzz#", const_cast<char**>(keywords),
                                        &keys, &values.fpr, &values.bits_per_key, &max_bytes, &values.reads,
                                        &values.worst_reads, &grow_to, &needs, &values.kind, &values.hash,
                                        &hash_key, &hash_key_bytes) == 0)
            return false;
        if (!read_hash_key(hash_key, hash_key_bytes, values.hash_key)) return false;
        values.keys = keys;
        values.max_bytes = max_bytes;
        values.grow_to = grow_to;
        values.needs = needs;
        return true;
    }
};

}  // namespace membrane_python
