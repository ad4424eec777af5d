// Python's own interface, and what the files of this folder share. The extension knows membrane through membrane.h alone.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include <membrane/membrane.h>

namespace membrane_python {

// A reference that is given back.
struct unreference {
    void operator()(PyObject* object) const noexcept { Py_XDECREF(object); }
};
using reference = std::unique_ptr<PyObject, unreference>;

// Memory that the C library returned.
struct give_back {
    void operator()(void* memory) const noexcept { membrane_free(memory); }
};
template <class T>
using from_library = std::unique_ptr<T, give_back>;

struct close_filter {
    void operator()(membrane_filter* filter) const noexcept { membrane_close(filter); }
};
using owned_filter = std::unique_ptr<membrane_filter, close_filter>;

// ---- errors.cpp

// The exceptions that the module adds; made when it is loaded.
bool add_exceptions(PyObject* module);
// Sets the exception for a call that failed, and returns nullptr. `path`: of the file that it was about.
PyObject* raise_last(membrane_status status, PyObject* path = nullptr);
// True if the call succeeded; otherwise the exception is set.
inline bool succeeded(membrane_status status, PyObject* path = nullptr) {
    if (status == MEMBRANE_OK) return true;
    raise_last(status, path);
    return false;
}

inline PyObject* none() noexcept {
    Py_INCREF(Py_None);
    return Py_None;
}
inline PyObject* truth(bool value) noexcept {
    PyObject* const answer = value ? Py_True : Py_False;
    Py_INCREF(answer);
    return answer;
}

}  // namespace membrane_python
