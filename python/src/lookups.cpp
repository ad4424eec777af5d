// Methods that look keys up, one by one and in batches.
#include "object_batches.hpp"

namespace membrane_python {

int contains(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    if (!read_key(filter, object, key) || !filter.is_ready_to_read()) return -1;
    bool answer = false;
    membrane_status status = MEMBRANE_OK;
    switch (key.is) {
        case single_key::form::bytes:
            status = membrane_may_contain(filter.handle, key.data, key.length, &answer);
            break;
        case single_key::form::number:
            status = membrane_may_contain_u64(filter.handle, key.number, &answer);
            break;
        case single_key::form::hash: {
            const membrane_keys batch = key.as_batch();
            status = membrane_may_contain_many(filter.handle, &batch, &answer, nullptr);
            break;
        }
    }
    if (!succeeded(status)) return -1;
    return answer ? 1 : 0;
}

namespace {

PyObject* contains_array(filter_object& filter, const key_array& array) {
    reference answers(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(array.keys().count)));
    if (!answers) return nullptr;
    auto* const to = reinterpret_cast<bool*>(PyByteArray_AS_STRING(answers.get()));
    const auto work = [&] { return membrane_may_contain_many(filter.handle, &array.keys(), to, nullptr); };
    const bool is_fine = array.keys().count < least_keys_without_gil
                             ? filter.is_ready_to_read() && succeeded(work())
                             : filter.read_without_gil(work);
    if (!is_fine) return nullptr;
    return Py_BuildValue("NN", answers.release(), array.shape());
}

PyObject* contains_objects(filter_object& filter, PyObject* keys) {
    reference answers(PyList_New(0));
    if (!answers) return nullptr;
    std::vector<char> found(hashes_at_once);
    const bool is_fine = for_hashes(filter, keys, [&](const membrane_keys& batch) {
        auto* const to = reinterpret_cast<bool*>(found.data());
        if (!filter.is_ready_to_read() ||
            !succeeded(membrane_may_contain_many(filter.handle, &batch, to, nullptr)))
            return false;
        for (std::uint64_t i = 0; i < batch.count; ++i)
            if (PyList_Append(answers.get(), found[i] != 0 ? Py_True : Py_False) != 0) return false;
        return true;
    });
    return is_fine ? answers.release() : nullptr;
}

PyObject* contains_many(PyObject* self, PyObject* keys) {
    filter_object& filter = filter_of(self);
    key_array array;
    switch (array.read(keys)) {
        case key_array::outcome::failed: return nullptr;
        case key_array::outcome::read: return contains_array(filter, array);
        case key_array::outcome::not_an_array: break;
    }
    return contains_objects(filter, array.objects(keys));
}

PyObject* count(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    if (!read_key(filter, object, key) || !filter.is_ready_to_read()) return nullptr;
    std::uint64_t found = 0;
    membrane_status status = hash_of(filter, key, &key.hash);
    const membrane_keys batch = key.as_batch();
    if (status == MEMBRANE_OK) status = membrane_count_many(filter.handle, &batch, &found);
    return succeeded(status) ? PyLong_FromUnsignedLongLong(found) : nullptr;
}

PyObject* count_array(filter_object& filter, const key_array& array) {
    reference counts(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(8 * array.keys().count)));
    if (!counts) return nullptr;
    auto* const to = reinterpret_cast<std::uint64_t*>(PyByteArray_AS_STRING(counts.get()));
    if (!filter.read_without_gil([&] { return membrane_count_many(filter.handle, &array.keys(), to); }))
        return nullptr;
    return Py_BuildValue("NN", counts.release(), array.shape());
}

PyObject* count_objects(filter_object& filter, PyObject* keys) {
    reference counts(PyList_New(0));
    if (!counts) return nullptr;
    std::vector<std::uint64_t> found(hashes_at_once);
    const bool is_fine = for_hashes(filter, keys, [&](const membrane_keys& batch) {
        if (!filter.is_ready_to_read() ||
            !succeeded(membrane_count_many(filter.handle, &batch, found.data())))
            return false;
        for (std::uint64_t i = 0; i < batch.count; ++i) {
            const reference number(PyLong_FromUnsignedLongLong(found[i]));
            if (!number || PyList_Append(counts.get(), number.get()) != 0) return false;
        }
        return true;
    });
    return is_fine ? counts.release() : nullptr;
}

PyObject* count_many(PyObject* self, PyObject* keys) {
    filter_object& filter = filter_of(self);
    key_array array;
    switch (array.read(keys)) {
        case key_array::outcome::failed: return nullptr;
        case key_array::outcome::read: return count_array(filter, array);
        case key_array::outcome::not_an_array: break;
    }
    return count_objects(filter, array.objects(keys));
}

// The 128 bits that stand for the key, as the bytes of a file of hashes.
PyObject* hash_key_of(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    membrane_hash hash{};
    if (!read_key(filter, object, key) || !filter.is_ready_to_read() ||
        !succeeded(hash_of(filter, key, &hash)))
        return nullptr;
    unsigned char bytes[16];
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<unsigned char>(hash.low >> (8 * i));
        bytes[8 + i] = static_cast<unsigned char>(hash.high >> (8 * i));
    }
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

}  // namespace

PyMethodDef lookup_methods[] = {{"_contains", contains_many, METH_O, nullptr},
                                {"count", count, METH_O,
                                 "count(key, /)\n--\n\nAt least how often the key was added and not "
                                 "discarded. Of filters made with erase=True or count=True."},
                                {"_count_many", count_many, METH_O, nullptr},
                                {"key_hash", hash_key_of, METH_O,
                                 "key_hash(key, /)\n--\n\nThe 16 bytes of the key's hash in this filter: "
                                 "what keys of all languages are compared by."},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace membrane_python
