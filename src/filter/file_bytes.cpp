#include <membrane/filter/file_bytes.hpp>

#include <new>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/any_view.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

namespace {

file_view as_file(const payload_file& filter) {
    file_view file;
    file.kind = &find_entry(filter.spec.kind)->rules;
    file.spec = filter.spec;
    file.hash = filter.hash;
    file.keys = filter.keys;
    file.payload = filter.payload;
    return file;
}

}  // namespace

result<std::vector<std::byte>> file_bytes(const payload_file& filter) {
    try {
        return encode_file(as_file(filter));
    } catch (const std::bad_alloc&) {
        return make_error(errc::out_of_memory, "bytes of the file");
    }
}

result<void> save_file(const payload_file& filter, const std::string& path, existing what_is_there) {
    return save(as_file(filter), path, what_is_there);
}

result<payload_file> open_file_bytes(std::span<const std::byte> bytes) {
    const auto view = any_view::open(bytes);
    if (!view) return view.error();
    return payload_file{view->spec(), view->hash(), view->keys(), view->payload()};
}

}  // namespace membrane
