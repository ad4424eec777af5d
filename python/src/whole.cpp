// Methods on the filter as a whole: making it, files and bytes, what it is, merging and resizing.
#include <string>

#include "filter_object.hpp"
#include "request.hpp"

namespace membrane_python {

namespace {

// Gives a new filter to an object that has none, or replaces the one that it has.
PyObject* take(PyObject* self, membrane_filter* made) {
    filter_object& filter = filter_of(self);
    owned_filter held(made);
    const char* kind = nullptr;
    if (!succeeded(membrane_kind(made, &kind)) || !filter.access->wait_to_write()) return nullptr;
    const owned_filter old(filter.handle);
    filter.handle = held.release();
    filter.is_counter = std::string_view(kind) == "count_min";
    return none();
}

// Calls make(made), which returns a status, without the GIL.
template <class Make>
PyObject* take_made(PyObject* self, PyObject* path, const Make& make) {
    membrane_filter* made = nullptr;
    membrane_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = make(&made);
    Py_END_ALLOW_THREADS;
    return succeeded(status, path) ? take(self, made) : nullptr;
}

PyObject* create(PyObject* self, PyObject* arguments, PyObject* names) {
    request wanted;
    if (!wanted.read(arguments, names)) return nullptr;
    return take_made(self, nullptr,
                     [&](membrane_filter** made) { return membrane_create_from(&wanted.values, made); });
}

PyObject* create_counter(PyObject* self, PyObject* arguments) {
    membrane_counter_request wanted = MEMBRANE_COUNTER_REQUEST_INIT;
    unsigned long long top = 0, top_key_bytes = 0;
    const char* hash_key = nullptr;
    Py_ssize_t hash_key_bytes = 0;
    if (PyArg_ParseTuple(arguments, "ddKKzz#", &wanted.error, &wanted.failure, &top, &top_key_bytes,
                         &wanted.hash, &hash_key, &hash_key_bytes) == 0)
        return nullptr;
    wanted.top = top;
    wanted.top_key_bytes = top_key_bytes;
    if (!read_hash_key(hash_key, hash_key_bytes, wanted.hash_key)) return nullptr;
    return take_made(self, nullptr,
                     [&](membrane_filter** made) { return membrane_create_counter_from(&wanted, made); });
}

// A filter made of another one, which is read meanwhile.
template <class Make>
PyObject* take_from(PyObject* self, PyObject* object, const Make& make) {
    filter_object* const other = filter_argument(object);
    membrane_filter* made = nullptr;
    if (other == nullptr || !other->read_without_gil([&] { return make(other->handle, &made); }))
        return nullptr;
    return take(self, made);
}

PyObject* copy_of(PyObject* self, PyObject* other) { return take_from(self, other, membrane_copy); }
PyObject* like(PyObject* self, PyObject* other) { return take_from(self, other, membrane_create_like); }

PyObject* open_file(PyObject* self, PyObject* arguments) {
    PyObject* path = nullptr;
    if (PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path) == 0) return nullptr;
    const reference held(path);
    return take_made(self, PyTuple_GET_ITEM(arguments, 0),
                     [&](membrane_filter** made) { return membrane_open(PyBytes_AS_STRING(path), made); });
}

PyObject* map_file(PyObject* self, PyObject* arguments) {
    PyObject* path = nullptr;
    int checks = 1;
    if (PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &checks) == 0) return nullptr;
    const reference held(path);
    return take_made(self, PyTuple_GET_ITEM(arguments, 0), [&](membrane_filter** made) {
        return membrane_map(PyBytes_AS_STRING(path), checks != 0, made);
    });
}

// Bytes of the caller, for a call without the GIL.
struct bytes_argument {
    Py_buffer view{};
    bytes_argument() = default;
    bytes_argument(const bytes_argument&) = delete;
    bytes_argument& operator=(const bytes_argument&) = delete;
    ~bytes_argument() {
        if (view.obj != nullptr) PyBuffer_Release(&view);
    }
    std::size_t length() const { return static_cast<std::size_t>(view.len); }
};

PyObject* from_bytes(PyObject* self, PyObject* arguments) {
    bytes_argument bytes;
    if (PyArg_ParseTuple(arguments, "y*", &bytes.view) == 0) return nullptr;
    return take_made(self, nullptr, [&](membrane_filter** made) {
        return membrane_from_bytes(bytes.view.buf, bytes.length(), made);
    });
}

PyObject* unpack(PyObject* self, PyObject* arguments) {
    bytes_argument bytes;
    unsigned long long max_bytes = 0;
    if (PyArg_ParseTuple(arguments, "y*K", &bytes.view, &max_bytes) == 0) return nullptr;
    return take_made(self, nullptr, [&](membrane_filter** made) {
        return membrane_unpack(bytes.view.buf, bytes.length(), max_bytes, made);
    });
}

PyObject* patched(PyObject* self, PyObject* arguments) {
    bytes_argument bytes;
    PyObject* older = nullptr;
    unsigned long long max_bytes = 0;
    if (PyArg_ParseTuple(arguments, "Oy*K", &older, &bytes.view, &max_bytes) == 0) return nullptr;
    return take_from(self, older, [&](const membrane_filter* from, membrane_filter** made) {
        return membrane_patch(from, bytes.view.buf, bytes.length(), max_bytes, made);
    });
}

// ---- out

PyObject* save(PyObject* self, PyObject* arguments) {
    PyObject* path = nullptr;
    int replaces = 1;
    if (PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &replaces) == 0) return nullptr;
    const reference held(path);
    filter_object& filter = filter_of(self);
    const auto work = [&] { return membrane_save(filter.handle, PyBytes_AS_STRING(path), replaces != 0); };
    return filter.read_without_gil(work, PyTuple_GET_ITEM(arguments, 0)) ? none() : nullptr;
}

template <class Make>
PyObject* bytes_made(filter_object& filter, const Make& make) {
    void* bytes = nullptr;
    std::size_t length = 0;
    if (!filter.read_without_gil([&] { return make(filter.handle, &bytes, &length); })) return nullptr;
    const from_library<void> held(bytes);
    return PyBytes_FromStringAndSize(static_cast<const char*>(bytes), static_cast<Py_ssize_t>(length));
}

PyObject* to_bytes(PyObject* self, PyObject*) { return bytes_made(filter_of(self), membrane_to_bytes); }
PyObject* pack(PyObject* self, PyObject*) { return bytes_made(filter_of(self), membrane_pack); }

PyObject* diff(PyObject* self, PyObject* object) {
    filter_object& newer = filter_of(self);
    filter_object* const older = filter_argument(object);
    void* bytes = nullptr;
    std::size_t length = 0;
    if (older == nullptr || !newer.read_both_without_gil(*older, [&] {
            return membrane_diff(older->handle, newer.handle, &bytes, &length);
        }))
        return nullptr;
    const from_library<void> held(bytes);
    return PyBytes_FromStringAndSize(static_cast<const char*>(bytes), static_cast<Py_ssize_t>(length));
}

PyObject* is_equal(PyObject* self, PyObject* object) {
    filter_object& filter = filter_of(self);
    filter_object* const other = filter_argument(object);
    bool answer = false;
    if (other == nullptr || !filter.read_both_without_gil(*other, [&] {
            return membrane_is_equal(filter.handle, other->handle, &answer);
        }))
        return nullptr;
    return truth(answer);
}

PyObject* info(PyObject* self, PyObject* arguments) {
    int shows_key = 0;
    filter_object& filter = filter_of(self);
    char* text = nullptr;
    if (PyArg_ParseTuple(arguments, "p", &shows_key) == 0 || !filter.is_ready_to_read() ||
        !succeeded(membrane_info(filter.handle, shows_key != 0, &text)))
        return nullptr;
    const from_library<char> held(text);
    return PyUnicode_FromString(text);
}

PyObject* top(PyObject* self, PyObject* arguments) {
    unsigned long long most = 0;
    filter_object& filter = filter_of(self);
    membrane_counted_key* keys = nullptr;
    std::size_t count = 0;
    if (PyArg_ParseTuple(arguments, "K", &most) == 0 || !filter.is_ready_to_read() ||
        !succeeded(membrane_top(filter.handle, most, &keys, &count)))
        return nullptr;
    const from_library<membrane_counted_key> held(keys);
    reference list(PyList_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t i = 0; list && i < count; ++i) {
        PyObject* const entry = Py_BuildValue("y#K", keys[i].key, static_cast<Py_ssize_t>(keys[i].length),
                                              static_cast<unsigned long long>(keys[i].count));
        if (entry == nullptr) return nullptr;
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), entry);
    }
    return list.release();
}

PyObject* close(PyObject* self, PyObject*) {
    filter_object& filter = filter_of(self);
    if (!filter.access->wait_to_write()) return nullptr;
    const owned_filter held(filter.handle);
    filter.handle = nullptr;
    return none();
}

// ---- properties

template <auto Ask, class Value>
bool ask(PyObject* self, Value& value) {
    filter_object& filter = filter_of(self);
    return filter.is_ready_to_read() && succeeded(Ask(filter.handle, &value));
}

PyObject* get_kind(PyObject* self, void*) {
    const char* name = nullptr;
    return ask<membrane_kind>(self, name) ? PyUnicode_FromString(name) : nullptr;
}
PyObject* get_insertions(PyObject* self, void*) {
    std::uint64_t number = 0;
    return ask<membrane_insertions>(self, number) ? PyLong_FromUnsignedLongLong(number) : nullptr;
}
PyObject* get_bytes(PyObject* self, void*) {
    std::uint64_t number = 0;
    return ask<membrane_size_bytes>(self, number) ? PyLong_FromUnsignedLongLong(number) : nullptr;
}
PyObject* get_length(PyObject* self, void*) {
    double number = 0;
    return ask<membrane_estimated_keys>(self, number) ? PyFloat_FromDouble(number) : nullptr;
}
PyObject* get_rate(PyObject* self, void*) {
    double number = 0;
    return ask<membrane_estimated_fpr>(self, number) ? PyFloat_FromDouble(number) : nullptr;
}
PyObject* get_abilities(PyObject* self, void*) {
    std::uint64_t number = 0;
    return ask<membrane_abilities>(self, number) ? PyLong_FromUnsignedLongLong(number) : nullptr;
}
PyObject* get_closed(PyObject* self, void*) { return truth(filter_of(self).handle == nullptr); }

// ---- changes of the whole filter

PyObject* clear(PyObject* self, PyObject*) {
    filter_object& filter = filter_of(self);
    return filter.write_without_gil([&] { return membrane_clear(filter.handle); }) ? none() : nullptr;
}

template <class Work>
PyObject* change_by(PyObject* self, PyObject* object, const Work& work) {
    filter_object& filter = filter_of(self);
    filter_object* const other = filter_argument(object);
    if (other == nullptr) return nullptr;
    return filter.write_and_read_without_gil(*other, [&] { return work(filter.handle, other->handle); })
               ? none()
               : nullptr;
}

PyObject* merge(PyObject* self, PyObject* other) { return change_by(self, other, membrane_merge); }
PyObject* intersect(PyObject* self, PyObject* other) { return change_by(self, other, membrane_intersect); }

PyObject* reserve(PyObject* self, PyObject* arguments) {
    unsigned long long keys = 0;
    filter_object& filter = filter_of(self);
    if (PyArg_ParseTuple(arguments, "K", &keys) == 0) return nullptr;
    return filter.write_without_gil([&] { return membrane_grow(filter.handle, keys); }) ? none() : nullptr;
}

PyObject* shrink(PyObject* self, PyObject*) {
    filter_object& filter = filter_of(self);
    return filter.write_without_gil([&] { return membrane_shrink(filter.handle); }) ? none() : nullptr;
}

PyObject* lower_rate(PyObject* self, PyObject* arguments) {
    double fpr = 0;
    std::uint64_t steps = 0;
    filter_object& filter = filter_of(self);
    if (PyArg_ParseTuple(arguments, "d", &fpr) == 0 ||
        !filter.write_without_gil([&] { return membrane_lower_rate(filter.handle, fpr, &steps); }))
        return nullptr;
    return PyLong_FromUnsignedLongLong(steps);
}

}  // namespace

PyMethodDef reader_methods[] = {
    {"_copy_of", copy_of, METH_O, nullptr},
    {"_open", open_file, METH_VARARGS, nullptr},
    {"_map", map_file, METH_VARARGS, nullptr},
    {"_from_bytes", from_bytes, METH_VARARGS, nullptr},
    {"_save", save, METH_VARARGS, nullptr},
    {"__bytes__", to_bytes, METH_NOARGS, "__bytes__()\n--\n\nThe bytes of the file."},
    {"pack", pack, METH_NOARGS,
     "pack()\n--\n\nA shorter form to send, of kinds that have one. Filter.unpack makes the filter again."},
    {"diff", diff, METH_O,
     "diff(older, /)\n--\n\nA patch with which older.patched(patch) becomes this filter. Of filters that "
     "grow."},
    {"_is_equal", is_equal, METH_O, nullptr},
    {"_info", info, METH_VARARGS, nullptr},
    {"_top", top, METH_VARARGS, nullptr},
    {"close", close, METH_NOARGS, "close()\n--\n\nGive the memory or the mapped file back."},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef writer_methods[] = {
    {"_create", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(create)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_create_counter", create_counter, METH_VARARGS, nullptr},
    {"_like", like, METH_O, nullptr},
    {"_unpack", unpack, METH_VARARGS, nullptr},
    {"_patched", patched, METH_VARARGS, nullptr},
    {"clear", clear, METH_NOARGS, "clear()\n--\n\nTake all keys out."},
    {"merge", merge, METH_O,
     "merge(other, /)\n--\n\nAfterwards every key of either filter may be contained. Both have one hash key: "
     "make one with like=..."},
    {"intersect", intersect, METH_O,
     "intersect(other, /)\n--\n\nAfterwards every key that was in both may be contained. Of kinds that can."},
    {"_reserve", reserve, METH_VARARGS, nullptr},
    {"shrink", shrink, METH_NOARGS,
     "shrink()\n--\n\nThe layout for the keys that are there. Of filters that grow."},
    {"_lower_rate", lower_rate, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef reader_properties[] = {
    {"kind", get_kind, nullptr, "The name of the kind, such as 'balanced_rank'.", nullptr},
    {"insertions", get_insertions, nullptr, "Keys added less keys discarded; repeated ones count each time.",
     nullptr},
    {"nbytes", get_bytes, nullptr, "Bytes of the filter, without the header of its file.", nullptr},
    {"approx_len", get_length, nullptr, "Estimate of the number of different keys.", nullptr},
    {"rate_now", get_rate, nullptr, "Estimate of the false positive rate with the present keys.", nullptr},
    {"_abilities", get_abilities, nullptr, nullptr, nullptr},
    {"closed", get_closed, nullptr, "Whether close() was called.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace membrane_python
