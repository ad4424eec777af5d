// The object behind membrane.MappedFilter, membrane.Filter and membrane.CountMin: a handle of the C library and a gate.
#pragma once

#include "gate.hpp"
#include "python.hpp"

namespace membrane_python {

struct filter_object {
    PyObject_HEAD;
    membrane_filter* handle;  // nullptr before it is made, and after close()
    gate* access;
    bool is_counter;

    bool is_open() const {
        if (handle != nullptr) return true;
        PyErr_SetString(PyExc_ValueError, "I/O operation on closed filter");
        return false;
    }
    // Before a call that keeps the GIL: waits for batches of other threads. False: an exception is set.
    bool is_ready_to_read() { return access->wait_to_read() && is_open(); }
    bool is_ready_to_write() {
        return (access->is_open_for_writing() || access->wait_to_write()) && is_open();
    }

    // Calls work(), which returns a status, without the GIL, and keeps writers or everybody else away meanwhile. False: an exception is set.
    template <class Work>
    bool read_without_gil(const Work& work, PyObject* path = nullptr) {
        if (!access->begin_reading()) return false;
        const bool is_fine = is_open() && succeeded(without_gil(work), path);
        access->end_reading();
        return is_fine;
    }
    template <class Work>
    bool write_without_gil(const Work& work) {
        if (!access->begin_writing()) return false;
        const bool is_fine = is_open() && succeeded(without_gil(work));
        access->end_writing();
        return is_fine;
    }

    // Changes this filter by another one, or by itself. Both are taken in one step, so that two threads cannot wait for each other.
    template <class Work>
    bool write_and_read_without_gil(filter_object& other, const Work& work) {
        if (&other == this) return write_without_gil(work);
        do {
            if (!is_ready_to_write() || !other.is_ready_to_read()) return false;
        } while (!access->is_open_for_writing());
        access->take_for_writing();
        other.access->take_for_reading();
        const bool is_fine = is_open() && succeeded(without_gil(work));
        other.access->end_reading();
        access->end_writing();
        return is_fine;
    }
    // Reads this filter and another one, or itself.
    template <class Work>
    bool read_both_without_gil(filter_object& other, const Work& work) {
        do {
            if (!is_ready_to_read() || !other.is_ready_to_read()) return false;
        } while (!access->is_open_for_reading());
        access->take_for_reading();
        other.access->take_for_reading();
        const bool is_fine = is_open() && succeeded(without_gil(work));
        other.access->end_reading();
        access->end_reading();
        return is_fine;
    }

private:
    template <class Work>
    static membrane_status without_gil(const Work& work) {
        membrane_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = work();
        Py_END_ALLOW_THREADS;
        return status;
    }
};

// Batches of fewer keys keep the GIL: to give it up and to get it back takes longer.
inline constexpr std::uint64_t least_keys_without_gil = 1024;

// ---- lookups.cpp, changes.cpp, whole.cpp: the methods

extern PyMethodDef lookup_methods[];
extern PyMethodDef change_methods[];
extern PyMethodDef reader_methods[];
extern PyMethodDef writer_methods[];
extern PyGetSetDef reader_properties[];
int contains(PyObject* self, PyObject* key);

inline filter_object& filter_of(PyObject* self) { return *reinterpret_cast<filter_object*>(self); }

// The filter of an argument; nullptr: an exception is set.
filter_object* filter_argument(PyObject* object);

}  // namespace membrane_python
