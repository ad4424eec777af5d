// Batches of Python objects: lists and everything that can be iterated over.
#pragma once

#include <vector>

#include "keys.hpp"

namespace membrane_python {

inline constexpr std::size_t hashes_at_once = 4096;

// Calls use(object), with a borrowed reference, for every key; both may run Python code, which may change a list. False: an exception is set.
template <class Use>
bool for_objects(PyObject* keys, const Use& use) {
    if (PyList_CheckExact(keys) || PyTuple_CheckExact(keys)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(keys); ++i) {
            PyObject* const object = PySequence_Fast_GET_ITEM(keys, i);
            Py_INCREF(object);
            const reference held(object);
            if (!use(object)) return false;
        }
        return true;
    }
    const reference iterator(PyObject_GetIter(keys));
    if (!iterator) return false;
    while (const reference object{PyIter_Next(iterator.get())})
        if (!use(object.get())) return false;
    return PyErr_Occurred() == nullptr;
}

// Calls use(batch) for the hashes of at most `hashes_at_once` keys.
template <class Use>
bool for_hashes(filter_object& filter, PyObject* keys, const Use& use) {
    std::vector<membrane_hash> hashes;
    hashes.reserve(hashes_at_once);
    const auto use_them = [&] {
        const membrane_keys batch{MEMBRANE_HASHES, 0, hashes.size(), hashes.data(), nullptr};
        const bool is_fine = hashes.empty() || use(batch);
        hashes.clear();
        return is_fine;
    };
    const bool is_fine = for_objects(keys, [&](PyObject* object) {
        single_key key;
        membrane_hash hash;
        if (!read_key(filter, object, key) || !filter.is_ready_to_read() ||
            !succeeded(hash_of(filter, key, &hash)))
            return false;
        hashes.push_back(hash);
        return hashes.size() < hashes_at_once || use_them();
    });
    // As set.update: the keys before one that is refused are in.
    if (is_fine) return use_them();
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (use_them()) {
        PyErr_Restore(type, value, trace);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return false;
}

}  // namespace membrane_python
