// Methods that add and discard keys.
#include "object_batches.hpp"

namespace membrane_python {

namespace {

membrane_status insert_key(filter_object& filter, const single_key& key) {
    switch (key.is) {
        case single_key::form::bytes: return membrane_insert(filter.handle, key.data, key.length);
        case single_key::form::number: return membrane_insert_u64(filter.handle, key.number);
        case single_key::form::hash: break;
    }
    const membrane_keys batch = key.as_batch();
    return membrane_insert_many(filter.handle, &batch, nullptr);
}

PyObject* add(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    if (!read_key(filter, object, key) || !filter.is_ready_to_write() || !succeeded(insert_key(filter, key)))
        return nullptr;
    return none();
}

PyObject* add_if_absent(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    if (!read_key(filter, object, key) || !filter.is_ready_to_write()) return nullptr;
    bool is_new = false;
    membrane_status status = MEMBRANE_OK;
    switch (key.is) {
        case single_key::form::bytes:
            status = membrane_insert_if_absent(filter.handle, key.data, key.length, &is_new);
            break;
        case single_key::form::number:
            status = membrane_insert_if_absent_u64(filter.handle, key.number, &is_new);
            break;
        case single_key::form::hash: {
            const membrane_keys batch = key.as_batch();
            status = membrane_insert_many_if_absent(filter.handle, &batch, &is_new, nullptr);
            break;
        }
    }
    return succeeded(status) ? truth(is_new) : nullptr;
}

PyObject* discard(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    single_key key;
    if (!read_key(filter, object, key) || !filter.is_ready_to_write() ||
        !succeeded(hash_of(filter, key, &key.hash)))
        return nullptr;
    const membrane_keys batch = key.as_batch();
    std::uint64_t erased = 0;
    if (!succeeded(membrane_erase_many(filter.handle, &batch, &erased))) return nullptr;
    return truth(erased != 0);
}

// add(key, n): of counters.
PyObject* add_weight(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 1 || count > 2) {
        PyErr_SetString(PyExc_TypeError, "add() takes a key and how often it came");
        return nullptr;
    }
    filter_object& filter = filter_of(self);
    std::uint64_t weight = 1;
    if (count == 2) {
        const reference number(PyNumber_Index(arguments[1]));
        if (!number) return nullptr;
        weight = PyLong_AsUnsignedLongLong(number.get());
        if (PyErr_Occurred() != nullptr) return nullptr;
    }
    single_key key;
    if (!read_key(filter, arguments[0], key) || !filter.is_ready_to_write()) return nullptr;
    membrane_status status = MEMBRANE_OK;
    switch (key.is) {
        case single_key::form::bytes:
            status = membrane_add(filter.handle, key.data, key.length, weight);
            break;
        case single_key::form::number: status = membrane_add_u64(filter.handle, key.number, weight); break;
        case single_key::form::hash:
            PyErr_SetString(PyExc_TypeError, "a counter takes no tuples: it remembers the bytes of its keys");
            return nullptr;
    }
    return succeeded(status) ? none() : nullptr;
}

bool insert_objects(filter_object& filter, PyObject* keys) {
    if (filter.is_counter) {
        return for_objects(keys, [&](PyObject* object) {
            single_key key;
            return read_key(filter, object, key) && filter.is_ready_to_write() &&
                   succeeded(insert_key(filter, key));
        });
    }
    return for_hashes(filter, keys, [&](const membrane_keys& batch) {
        return filter.is_ready_to_write() && succeeded(membrane_insert_many(filter.handle, &batch, nullptr));
    });
}

// Work on an array: with the GIL if it is short.
template <class Work>
bool change_by_array(filter_object& filter, const key_array& array, const Work& work) {
    if (array.keys().count < least_keys_without_gil) return filter.is_ready_to_write() && succeeded(work());
    return filter.write_without_gil(work);
}

PyObject* update(PyObject* self, PyObject* keys) {
    filter_object& filter = filter_of(self);
    key_array array;
    switch (array.read(keys)) {
        case key_array::outcome::failed: return nullptr;
        case key_array::outcome::read:
            return change_by_array(
                       filter, array,
                       [&] { return membrane_insert_many(filter.handle, &array.keys(), nullptr); })
                       ? none()
                       : nullptr;
        case key_array::outcome::not_an_array: break;
    }
    return insert_objects(filter, array.objects(keys)) ? none() : nullptr;
}

PyObject* update_if_absent(PyObject* self, PyObject* keys) {
    filter_object& filter = filter_of(self);
    key_array array;
    const auto outcome = array.read(keys);
    if (outcome == key_array::outcome::failed) return nullptr;
    if (outcome == key_array::outcome::read) {
        reference answers(
            PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(array.keys().count)));
        if (!answers) return nullptr;
        auto* const to = reinterpret_cast<bool*>(PyByteArray_AS_STRING(answers.get()));
        if (!change_by_array(filter, array, [&] {
                return membrane_insert_many_if_absent(filter.handle, &array.keys(), to, nullptr);
            }))
            return nullptr;
        return Py_BuildValue("NN", answers.release(), array.shape());
    }
    reference answers(PyList_New(0));
    if (!answers) return nullptr;
    const bool is_fine = for_objects(array.objects(keys), [&](PyObject* object) {
        const reference is_new(add_if_absent(self, object));
        return is_new && PyList_Append(answers.get(), is_new.get()) == 0;
    });
    return is_fine ? answers.release() : nullptr;
}

PyObject* discard_many(PyObject* self, PyObject* keys) {
    filter_object& filter = filter_of(self);
    key_array array;
    const auto outcome = array.read(keys);
    if (outcome == key_array::outcome::failed) return nullptr;
    std::uint64_t erased = 0;
    bool is_fine = false;
    if (outcome == key_array::outcome::read) {
        is_fine = change_by_array(filter, array,
                                  [&] { return membrane_erase_many(filter.handle, &array.keys(), &erased); });
    } else {
        is_fine = for_hashes(filter, array.objects(keys), [&](const membrane_keys& batch) {
            std::uint64_t now = 0;
            if (!filter.is_ready_to_write() || !succeeded(membrane_erase_many(filter.handle, &batch, &now)))
                return false;
            erased += now;
            return true;
        });
    }
    return is_fine ? PyLong_FromUnsignedLongLong(erased) : nullptr;
}

}  // namespace

PyMethodDef change_methods[] = {
    {"add", add, METH_O, "add(key, /)\n--\n\nAdd a key."},
    {"add_if_absent", add_if_absent, METH_O,
     "add_if_absent(key, /)\n--\n\nAdd the key if it looks absent. True if it did: then it was certainly not "
     "there before."},
    {"discard", discard, METH_O,
     "discard(key, /)\n--\n\nTake out one occurrence of a key that was added. False, and nothing changed: it "
     "is certainly absent. "
     "Of filters made with erase=True."},
    {"add_weight", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(add_weight)), METH_FASTCALL,
     "add(key, n=1, /)\n--\n\nCount the key n times."},
    {"_update", update, METH_O, nullptr},
    {"_update_if_absent", update_if_absent, METH_O, nullptr},
    {"_discard_many", discard_many, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace membrane_python
