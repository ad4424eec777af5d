// The module membrane._core: two types, the planner, the exceptions.
#include <cstring>
#include <new>

#include "filter_object.hpp"
#include "request.hpp"

namespace membrane_python {

namespace {

PyTypeObject* reader_type = nullptr;

PyObject* make_object(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* const self = type->tp_alloc(type, 0);
    if (self == nullptr) return nullptr;
    filter_object& filter = filter_of(self);
    filter.access = new (std::nothrow) gate;
    if (filter.access != nullptr) return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

void destroy_object(PyObject* self) {
    filter_object& filter = filter_of(self);
    membrane_close(filter.handle);
    delete filter.access;
    PyTypeObject* const type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// Slots that hold functions and data alike.
template <class T>
void* slot(T value) {
    return reinterpret_cast<void*>(value);
}

PyTypeObject* make_type(PyObject* module, const char* name, PyType_Slot* slots, PyObject* bases) {
    PyType_Spec spec{name, sizeof(filter_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    auto* const made = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases));
    if (made == nullptr) return nullptr;
    Py_INCREF(made);
    if (PyModule_AddObject(module, std::strrchr(name, '.') + 1, reinterpret_cast<PyObject*>(made)) == 0)
        return made;
    Py_DECREF(made);
    Py_DECREF(made);
    return nullptr;
}

// Methods of several files in one table, which lives as long as the type.
template <std::size_t Count>
void join(PyMethodDef (&to)[Count], const PyMethodDef* first, const PyMethodDef* second) {
    std::size_t at = 0;
    for (; first->ml_name != nullptr; ++first) to[at++] = *first;
    for (; second->ml_name != nullptr; ++second) to[at++] = *second;
}

bool add_types(PyObject* module) {
    static PyMethodDef all_reader_methods[32]{}, all_writer_methods[32]{};
    join(all_reader_methods, lookup_methods, reader_methods);
    join(all_writer_methods, change_methods, writer_methods);
    PyType_Slot reader_slots[] = {
        {Py_tp_new, slot(make_object)},          {Py_tp_dealloc, slot(destroy_object)},
        {Py_sq_contains, slot(contains)},        {Py_tp_methods, slot(all_reader_methods)},
        {Py_tp_getset, slot(reader_properties)}, {0, nullptr}};
    reader_type = make_type(module, "membrane._core.Reader", reader_slots, nullptr);
    if (reader_type == nullptr) return false;
    const reference bases(PyTuple_Pack(1, reader_type));
    PyType_Slot writer_slots[] = {{Py_tp_methods, slot(all_writer_methods)}, {0, nullptr}};
    return bases && make_type(module, "membrane._core.Writer", writer_slots, bases.get()) != nullptr;
}

PyObject* plan(PyObject*, PyObject* arguments, PyObject* names) {
    request wanted;
    if (!wanted.read(arguments, names)) return nullptr;
    char* text = nullptr;
    membrane_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = membrane_plan(&wanted.values, &text);
    Py_END_ALLOW_THREADS;
    if (!succeeded(status)) return nullptr;
    const from_library<char> held(text);
    return PyUnicode_FromString(text);
}

PyMethodDef functions[] = {{"plan", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(plan)),
                            METH_VARARGS | METH_KEYWORDS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition{PyModuleDef_HEAD_INIT,
                       "membrane._core",
                       "The compiled part of membrane.",
                       -1,
                       functions,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

filter_object* filter_argument(PyObject* object) {
    if (PyObject_TypeCheck(object, reader_type)) return &filter_of(object);
    PyErr_Format(PyExc_TypeError, "a filter is expected, not %.100s", Py_TYPE(object)->tp_name);
    return nullptr;
}

}  // namespace membrane_python

PyMODINIT_FUNC PyInit__core() {
    using namespace membrane_python;
    PyObject* const module = PyModule_Create(&definition);
    if (module == nullptr) return nullptr;
    if (add_exceptions(module) && add_types(module) &&
        PyModule_AddStringConstant(module, "version", membrane_version()) == 0)
        return module;
    Py_DECREF(module);
    return nullptr;
}
