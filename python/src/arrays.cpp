// Arrays of keys: buffers (numpy, array.array), Arrow arrays by their C interface, pairs of Arrow's buffers.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "keys.hpp"

namespace membrane_python {

namespace {

// https://arrow.apache.org/docs/format/CDataInterface.html
struct arrow_schema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    arrow_schema** children;
    arrow_schema* dictionary;
    void (*release)(arrow_schema*);
    void* private_data;
};
struct arrow_array {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    arrow_array** children;
    arrow_array* dictionary;
    void (*release)(arrow_array*);
    void* private_data;
};

constexpr char taken[] =
    "arrays of keys have integers, fixed-width bytes (numpy's S and V) or text (numpy's U), or are Arrow "
    "arrays of text, bytes or "
    "integers";

key_array::outcome refuse(const char* found) {
    PyErr_Format(PyExc_TypeError, "%s; not '%.50s'", taken, found);
    return key_array::outcome::failed;
}

bool is_signed(char code) { return std::strchr("bhilqn", code) != nullptr; }
bool is_unsigned(char code) { return std::strchr("BHILQN", code) != nullptr; }

// The code of a buffer's elements in the machine's byte order without what stands before it; empty for another byte order.
std::string_view code_of(const Py_buffer& buffer) {
    std::string_view format = buffer.format == nullptr ? "B" : buffer.format;
    if (format.starts_with('@') || format.starts_with('=') || format.starts_with('<'))
        format.remove_prefix(1);
    return format;
}

void append_utf8(std::string& to, std::uint32_t character) {
    const auto put = [&to](std::uint32_t byte) { to += static_cast<char>(byte); };
    if (character < 0x80) {
        put(character);
    } else if (character < 0x800) {
        put(0xc0 | (character >> 6));
        put(0x80 | (character & 0x3f));
    } else if (character < 0x10000) {
        put(0xe0 | (character >> 12));
        put(0x80 | ((character >> 6) & 0x3f));
        put(0x80 | (character & 0x3f));
    } else {
        put(0xf0 | (character >> 18));
        put(0x80 | ((character >> 12) & 0x3f));
        put(0x80 | ((character >> 6) & 0x3f));
        put(0x80 | (character & 0x3f));
    }
}

bool has_nulls(const arrow_array& array) {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
    const auto* const valid = static_cast<const unsigned char*>(array.buffers[0]);
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
        if (((valid[i / 8] >> (i % 8)) & 1) == 0) return true;
    return false;
}

}  // namespace

key_array::~key_array() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

PyObject* key_array::shape() const {
    PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(shape_.size()));
    for (std::size_t i = 0; tuple != nullptr && i < shape_.size(); ++i)
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromSsize_t(shape_[i]));
    return tuple;
}

key_array::outcome key_array::read(PyObject* object) {
    if (PyList_Check(object) || PyTuple_Check(object)) return outcome::not_an_array;
    const bool is_one_key = PyLong_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object) ||
                            PyByteArray_Check(object) ||
                            (PyMemoryView_Check(object) && code_of(*PyMemoryView_GET_BUFFER(object)) == "B");
    if (is_one_key) {
        PyErr_Format(
            PyExc_TypeError,
            "this takes many keys, and %.100s is one: write `key in f`, f.add(key), or pass a list or an "
            "array",
            Py_TYPE(object)->tp_name);
        return outcome::failed;
    }
    // membrane.Strings: a pair of Arrow's buffers.
    if (PyObject_HasAttrString(object, "__membrane_strings__") != 0) {
        const reference pair(PyObject_CallMethod(object, "__membrane_strings__", nullptr));
        PyObject *offsets = nullptr, *data = nullptr;
        if (!pair || PyArg_ParseTuple(pair.get(), "OO", &offsets, &data) == 0) return outcome::failed;
        return read_strings(offsets, data);
    }
    if (PyObject_HasAttrString(object, "__arrow_c_array__") != 0) return read_arrow(object);
    if (PyObject_CheckBuffer(object) != 0) return read_buffer(object);
    // pandas
    if (PyObject_HasAttrString(object, "__array__") != 0) {
        holder_.reset(PyObject_CallMethod(object, "__array__", nullptr));
        if (!holder_) return outcome::failed;
        return PyObject_CheckBuffer(holder_.get()) != 0 ? read_buffer(holder_.get()) : outcome::not_an_array;
    }
    return outcome::not_an_array;
}

key_array::outcome key_array::read_buffer(PyObject* object) {
    if (PyObject_GetBuffer(object, &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        buffer_.obj = nullptr;
        PyErr_Format(PyExc_TypeError, "%s; this %.100s has no buffer of them", taken,
                     Py_TYPE(object)->tp_name);
        return outcome::failed;
    }
    const std::string_view code = code_of(buffer_);
    if (code == "O") return outcome::not_an_array;
    const char kind = code.empty() ? '?' : code.back();
    const bool has_number = std::all_of(code.begin(), code.end() - (code.empty() ? 0 : 1),
                                        [](char digit) { return digit >= '0' && digit <= '9'; });
    const bool is_plain = code.size() == 1;
    if (!has_number ||
        !((is_plain && (is_signed(kind) || is_unsigned(kind))) || kind == 's' || kind == 'x' || kind == 'w'))
        return refuse(buffer_.format == nullptr ? "?" : buffer_.format);
    shape_.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
    const auto width = static_cast<std::size_t>(buffer_.itemsize);
    const char* data = static_cast<const char*>(buffer_.buf);
    if (PyBuffer_IsContiguous(&buffer_, 'C') == 0) {
        copy_.resize(static_cast<std::size_t>(buffer_.len));
        if (PyBuffer_ToContiguous(copy_.data(), &buffer_, buffer_.len, 'C') != 0) return outcome::failed;
        data = copy_.data();
    }
    keys_.width = static_cast<std::uint32_t>(width);
    keys_.count = 1;
    for (const Py_ssize_t side : shape_) keys_.count *= static_cast<std::uint64_t>(side);
    keys_.data = data;
    if (kind == 's') keys_.form = MEMBRANE_PADDED;
    else if (kind == 'x') keys_.form = MEMBRANE_BYTES;
    else if (kind == 'w') return encode_wide(data, width / 4) ? outcome::read : outcome::failed;
    else keys_.form = is_signed(kind) ? MEMBRANE_SIGNED : MEMBRANE_UNSIGNED;
    return outcome::read;
}

// numpy's U: 32 bits for each character, zeros at the end of each text.
bool key_array::encode_wide(const char* data, std::size_t characters) {
    std::string text;
    offsets_.reserve(keys_.count + 1);
    offsets_.push_back(0);
    for (std::uint64_t i = 0; i < keys_.count; ++i) {
        const char* const first = data + i * characters * 4;
        const auto at = [first](std::size_t place) {
            std::uint32_t character = 0;
            std::memcpy(&character, first + 4 * place, 4);
            return character;
        };
        std::size_t length = characters;
        while (length != 0 && at(length - 1) == 0) --length;
        for (std::size_t place = 0; place < length; ++place) {
            const std::uint32_t character = at(place);
            if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) {
                PyErr_SetString(PyExc_ValueError, "text with a lone surrogate has no UTF-8");
                return false;
            }
            append_utf8(text, character);
        }
        offsets_.push_back(static_cast<std::int64_t>(text.size()));
    }
    copy_ = std::move(text);
    keys_ = {MEMBRANE_OFFSETS64, 0, keys_.count, copy_.data(), offsets_.data()};
    return true;
}

key_array::outcome key_array::read_strings(PyObject* offsets, PyObject* data) {
    Py_buffer places{};
    if (PyObject_GetBuffer(offsets, &places, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) return outcome::failed;
    const std::string_view code = code_of(places);
    const bool is_fine = places.ndim == 1 && code.size() == 1 && is_signed(code[0]) && places.shape[0] >= 1 &&
                         (places.itemsize == 4 || places.itemsize == 8);
    if (is_fine) {
        // Copied: whoever has the array could change it during the batch.
        const auto count = static_cast<std::size_t>(places.shape[0]);
        offsets_.resize(count);
        if (places.itemsize == 8) std::memcpy(offsets_.data(), places.buf, 8 * count);
        else std::copy_n(static_cast<const std::int32_t*>(places.buf), count, offsets_.begin());
    }
    PyBuffer_Release(&places);
    if (!is_fine) {
        PyErr_SetString(PyExc_TypeError,
                        "offsets are an array of int32 or int64, one more than there are keys");
        return outcome::failed;
    }
    if (PyObject_GetBuffer(data, &buffer_, PyBUF_SIMPLE) != 0) {
        buffer_.obj = nullptr;
        return outcome::failed;
    }
    if (!std::is_sorted(offsets_.begin(), offsets_.end()) || offsets_.front() < 0 ||
        offsets_.back() > buffer_.len) {
        PyErr_SetString(PyExc_ValueError, "offsets ascend from 0 or more to at most the number of bytes");
        return outcome::failed;
    }
    shape_.assign(1, static_cast<Py_ssize_t>(offsets_.size()) - 1);
    keys_ = {MEMBRANE_OFFSETS64, 0, offsets_.size() - 1, buffer_.buf, offsets_.data()};
    return outcome::read;
}

key_array::outcome key_array::read_arrow(PyObject* object) {
    holder_.reset(PyObject_CallMethod(object, "__arrow_c_array__", nullptr));
    PyObject *schema = nullptr, *array = nullptr;
    if (!holder_ || PyArg_ParseTuple(holder_.get(), "OO", &schema, &array) == 0) return outcome::failed;
    const void* const schema_at = PyCapsule_GetPointer(schema, "arrow_schema");
    if (schema_at == nullptr) return outcome::failed;
    const void* const array_at = PyCapsule_GetPointer(array, "arrow_array");
    if (array_at == nullptr) return outcome::failed;
    return read_arrow_array(schema_at, array_at) ? outcome::read : outcome::failed;
}

bool key_array::read_arrow_array(const void* schema_at, const void* array_at) {
    const auto& schema = *static_cast<const arrow_schema*>(schema_at);
    const auto& array = *static_cast<const arrow_array*>(array_at);
    const std::string_view format = schema.format;
    constexpr std::string_view integers = "cCsSiIlL";
    const auto integer = format.size() == 1 ? integers.find(format[0]) : std::string_view::npos;
    const bool is_text = format == "u" || format == "z", is_large = format == "U" || format == "Z";
    const bool is_fixed = format.starts_with("w:");
    if (schema.dictionary != nullptr ||
        (integer == std::string_view::npos && !is_text && !is_large && !is_fixed)) {
        refuse(schema.dictionary != nullptr ? "dictionary" : schema.format);
        return false;
    }
    if (has_nulls(array)) {
        PyErr_SetString(PyExc_ValueError, "the array has nulls, which are no keys: drop them first");
        return false;
    }
    const auto first = static_cast<std::uint64_t>(array.offset);
    keys_.count = static_cast<std::uint64_t>(array.length);
    shape_.assign(1, static_cast<Py_ssize_t>(array.length));
    const auto at = [&](std::size_t width) {
        return static_cast<const char*>(array.buffers[1]) + first * width;
    };
    if (is_text || is_large) {
        keys_.form = is_text ? MEMBRANE_OFFSETS32 : MEMBRANE_OFFSETS64;
        keys_.data = array.buffers[2];
        // An array without keys may come without buffers.
        keys_.places = array.length == 0 ? nullptr : at(is_text ? 4 : 8);
        return true;
    }
    if (is_fixed) {
        keys_.form = MEMBRANE_BYTES;
        keys_.width = static_cast<std::uint32_t>(std::strtoul(schema.format + 2, nullptr, 10));
    } else {
        keys_.form = integer % 2 == 0 ? MEMBRANE_SIGNED : MEMBRANE_UNSIGNED;
        keys_.width = 1U << (integer / 2);
    }
    keys_.data = array.length == 0 ? nullptr : at(keys_.width);
    return true;
}

}  // namespace membrane_python
