// Python objects as keys. doc/keys.md has the table: str as UTF-8, bytes as they are, int as 64 bits, tuples as the hash of their parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filter_object.hpp"

namespace membrane_python {

// One key; valid as long as the object that it was read from.
struct single_key {
    enum class form : std::uint8_t { bytes, number, hash };
    form is = form::bytes;
    const char* data = nullptr;
    std::size_t length = 0;
    std::uint64_t number = 0;
    membrane_hash hash{};

    // The key as a batch of one.
    membrane_keys as_batch() const noexcept;
};

// False: an exception is set. The parts of tuples are hashed with the hash key of `filter`. May run Python code, so that another thread
// may have the filter afterwards: ask is_ready_to_read() again.
bool read_key(filter_object& filter, PyObject* object, single_key& key);
// Of a filter that is ready to be read.
membrane_status hash_of(const filter_object& filter, const single_key& key, membrane_hash* hash);

// The keys of an array: of a buffer, an Arrow array, or a pair of Arrow's buffers. Nothing of it belongs to Python once it is read, but
// for the memory that `holder_` and `buffer_` keep.
class key_array {
public:
    key_array() = default;
    key_array(const key_array&) = delete;
    key_array& operator=(const key_array&) = delete;
    ~key_array();

    enum class outcome : std::uint8_t { read, not_an_array, failed };
    outcome read(PyObject* object);

    // After `not_an_array`: what to iterate over. An Arrow column of several chunks, for example, is an array of Python's objects for
    // numpy, while its own iterator gives objects of its library.
    PyObject* objects(PyObject* object) const noexcept { return holder_ ? holder_.get() : object; }

    const membrane_keys& keys() const noexcept { return keys_; }
    // The shape of the answers, as a tuple.
    PyObject* shape() const;

private:
    outcome read_buffer(PyObject* object);
    outcome read_arrow(PyObject* object);
    outcome read_strings(PyObject* offsets, PyObject* data);
    bool read_arrow_array(const void* schema, const void* array);
    bool encode_wide(const char* data, std::size_t characters);

    membrane_keys keys_{};
    std::vector<Py_ssize_t> shape_;
    Py_buffer buffer_{};  // of the exporter, if obj is not null
    reference holder_;    // what keeps Arrow's memory, or what __array__ made
    std::vector<std::int64_t> offsets_;
    std::string copy_;
};

}  // namespace membrane_python
