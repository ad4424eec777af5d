// Statuses of the C library as the exceptions that Python users expect.
#include "python.hpp"

#include <cerrno>
#include <string>

namespace membrane_python {

namespace {

PyObject* format_error = nullptr;
PyObject* full_error = nullptr;

PyObject* exception_for(membrane_status status) {
    switch (status) {
        case MEMBRANE_NOT_A_MEMBRANE_FILE:
        case MEMBRANE_TRUNCATED:
        case MEMBRANE_TRAILING_BYTES:
        case MEMBRANE_BAD_HEADER_CHECKSUM:
        case MEMBRANE_BAD_PAYLOAD_CHECKSUM:
        case MEMBRANE_UNKNOWN_VERSION:
        case MEMBRANE_UNKNOWN_FLAG:
        case MEMBRANE_RESERVED_NOT_ZERO:
        case MEMBRANE_BAD_PAYLOAD: return format_error;
        case MEMBRANE_FULL: return full_error;
        case MEMBRANE_OUT_OF_MEMORY: return PyExc_MemoryError;
        case MEMBRANE_COUNTER_OVERFLOW: return PyExc_OverflowError;
        case MEMBRANE_INTERNAL: return PyExc_SystemError;
        case MEMBRANE_READ_ONLY: return PyExc_TypeError;
        default: return PyExc_ValueError;
    }
}

PyObject* add_exception(PyObject* module, const char* name, const char* meaning) {
    PyObject* const made = PyErr_NewExceptionWithDoc((std::string("membrane.") + name).c_str(), meaning,
                                                     PyExc_ValueError, nullptr);
    if (made == nullptr) return nullptr;
    Py_INCREF(made);  // one reference for this file, one for the module
    if (PyModule_AddObject(module, name, made) == 0) return made;
    Py_DECREF(made);
    Py_DECREF(made);
    return nullptr;
}

}  // namespace

bool add_exceptions(PyObject* module) {
    format_error =
        add_exception(module, "FormatError", "The bytes are not a membrane file, or were changed.");
    full_error = add_exception(
        module, "FullError",
        "A filter that does not grow, or may not grow beyond max_bytes, has no room for another "
        "key.");
    return format_error != nullptr && full_error != nullptr;
}

PyObject* raise_last(membrane_status status, PyObject* path) {
    if (status == MEMBRANE_OUT_OF_MEMORY) return PyErr_NoMemory();
    if (const int number = membrane_last_errno();
        number != 0 && (status == MEMBRANE_IO_ERROR || status == MEMBRANE_ALREADY_EXISTS)) {
        errno = number;
        return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    }
    const std::string text = membrane_last_error();
    if (status == MEMBRANE_SPEC_MISMATCH && text.find(": hash key") != std::string::npos)
        PyErr_SetString(
            PyExc_ValueError,
            "the filters have different hash keys; make one with like=, or both with one hash_key=");
    else if (status == MEMBRANE_NOT_SUPPORTED &&
             (text.find(": erase") != std::string::npos || text.find(": estimate") != std::string::npos))
        PyErr_SetString(PyExc_ValueError, "this filter neither discards nor counts; make it with erase=True");
    else if (status == MEMBRANE_NOT_SUPPORTED && text.find(": intersect") != std::string::npos)
        PyErr_SetString(PyExc_ValueError,
                        "filters of this kind do not intersect; make both with intersect=True");
    else if (status == MEMBRANE_TOO_LARGE && text.find("another key") != std::string::npos)
        PyErr_SetString(full_error, text.c_str());
    else PyErr_SetString(exception_for(status), text.c_str());
    return nullptr;
}

}  // namespace membrane_python
