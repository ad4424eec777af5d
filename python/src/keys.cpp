#include "keys.hpp"

#include <string_view>

namespace membrane_python {

namespace {

bool is_numpy_bool(PyObject* object) {
    const std::string_view name = Py_TYPE(object)->tp_name;
    return name == "numpy.bool_" || name == "numpy.bool";
}

bool refuse(PyObject* object) {
    const char* const hint = PyBool_Check(object) || is_numpy_bool(object) ? "; write int(key) or str(key)"
                             : PyFloat_Check(object) ? "; write int(key), or pack its bytes"
                                                     : "";
    PyErr_Format(PyExc_TypeError,
                 "a key is a str, bytes, bytearray, memoryview, int or a tuple of them, not %.100s%s",
                 Py_TYPE(object)->tp_name, hint);
    return false;
}

bool read_integer(PyObject* integer, single_key& key) {
    key.is = single_key::form::number;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow == 0) {
        key.number = static_cast<std::uint64_t>(value);
        return value != -1 || PyErr_Occurred() == nullptr;
    }
    if (overflow > 0) {
        key.number = PyLong_AsUnsignedLongLong(integer);
        if (PyErr_Occurred() == nullptr) return true;
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) return false;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_OverflowError,
                    "an int key lies between -2**63 and 2**64 - 1; take its bytes or its str");
    return false;
}

bool read_view(PyObject* object, single_key& key) {
    const Py_buffer& view = *PyMemoryView_GET_BUFFER(object);
    const bool are_bytes =
        view.format == nullptr || ((view.format[0] == 'B' || view.format[0] == 'c') && view.format[1] == 0);
    if (!are_bytes || view.ndim != 1 || PyBuffer_IsContiguous(&view, 'C') == 0) {
        PyErr_SetString(PyExc_TypeError,
                        "a memoryview as a key has contiguous bytes; use contains() and update() for arrays");
        return false;
    }
    key.data = static_cast<const char*>(view.buf);
    key.length = static_cast<std::size_t>(view.len);
    return true;
}

bool read_tuple(filter_object& filter, PyObject* tuple, single_key& key) {
    if (Py_EnterRecursiveCall(" while reading a key") != 0) return false;
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
    std::vector<membrane_hash> parts(count);
    bool is_fine = true;
    for (std::size_t i = 0; is_fine && i < count; ++i) {
        single_key part;
        is_fine = read_key(filter, PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)), part) &&
                  filter.is_ready_to_read() && succeeded(hash_of(filter, part, &parts[i]));
    }
    Py_LeaveRecursiveCall();
    if (!is_fine) return false;
    key.is = single_key::form::hash;
    return filter.is_ready_to_read() &&
           succeeded(membrane_hash_of_parts(filter.handle, parts.data(), count, &key.hash));
}

}  // namespace

bool read_key(filter_object& filter, PyObject* object, single_key& key) {
    if (PyUnicode_Check(object)) {
        if (PyUnicode_IS_COMPACT_ASCII(object)) {
            key.data = static_cast<const char*>(PyUnicode_DATA(object));
            key.length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(object));
            return true;
        }
        Py_ssize_t length = 0;
        key.data = PyUnicode_AsUTF8AndSize(object, &length);
        key.length = static_cast<std::size_t>(length);
        return key.data != nullptr;
    }
    if (PyBytes_Check(object)) {
        key.data = PyBytes_AS_STRING(object);
        key.length = static_cast<std::size_t>(PyBytes_GET_SIZE(object));
        return true;
    }
    if (PyLong_Check(object)) return PyBool_Check(object) ? refuse(object) : read_integer(object, key);
    if (PyTuple_Check(object)) return read_tuple(filter, object, key);
    if (PyByteArray_Check(object)) {
        key.data = PyByteArray_AS_STRING(object);
        key.length = static_cast<std::size_t>(PyByteArray_GET_SIZE(object));
        return true;
    }
    if (PyMemoryView_Check(object)) return read_view(object, key);
    // numpy's integers. Arrays have __index__ too, but only those of one element use it; numpy's bool has it until numpy 2.
    if (PyIndex_Check(object) && !PyFloat_Check(object) && !is_numpy_bool(object)) {
        const reference integer(PyNumber_Index(object));
        if (integer) return read_integer(integer.get(), key);
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%.100s is no single key: use contains() and update() for arrays",
                     Py_TYPE(object)->tp_name);
        return false;
    }
    return refuse(object);
}

membrane_status hash_of(const filter_object& filter, const single_key& key, membrane_hash* hash) {
    switch (key.is) {
        case single_key::form::number: return membrane_hash_of_u64(filter.handle, key.number, hash);
        case single_key::form::hash: *hash = key.hash; return MEMBRANE_OK;
        case single_key::form::bytes: break;
    }
    return membrane_hash_of(filter.handle, key.data, key.length, hash);
}

membrane_keys single_key::as_batch() const noexcept { return {MEMBRANE_HASHES, 0, 1, &hash, nullptr}; }

}  // namespace membrane_python
