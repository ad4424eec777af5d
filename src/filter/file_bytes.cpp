#include <membrane/filter/file_bytes.hpp>

#include <new>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/number_files.hpp>
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

// Of a filter in memory, whose bytes are right.
result<any_view> view_of(const payload_file& filter) {
    return any_view::over(as_file(filter), *find_entry(filter.spec.kind), checksum::trust);
}

result<std::vector<std::byte>> bytes_of(const result<any_filter>& made) {
    if (!made) return made.error();
    return file_bytes({made->spec(), made->hash(), made->keys(), made->payload()});
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

result<comparison> compare_payloads(const payload_file& a, const payload_file& b) {
    const auto left = view_of(a), right = view_of(b);
    if (!left) return left.error();
    return right ? compare(*left, *right) : right.error();
}

result<std::vector<std::byte>> diff_payloads(const payload_file& older, const payload_file& newer) {
    const auto from = view_of(older), to = view_of(newer);
    if (!from) return from.error();
    return to ? diff(*from, *to) : to.error();
}

result<std::vector<std::byte>> patched_bytes(const payload_file& older, std::span<const std::byte> patch) {
    const auto from = view_of(older);
    return from ? bytes_of(patched(*from, patch)) : from.error();
}

result<std::vector<std::byte>> packed_payload(const payload_file& filter) {
    const auto view = view_of(filter);
    return view ? view->pack() : view.error();
}

result<std::vector<std::byte>> unpacked_bytes(std::span<const std::byte> packed) {
    return bytes_of(any_filter::unpack(packed));
}

}  // namespace membrane
