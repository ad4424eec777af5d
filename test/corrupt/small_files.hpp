// A small valid file of every variant of every registered kind, to be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

#include "../../fuzz/exercise.hpp"
#include "../../fuzz/repair.hpp"
#include "../../fuzz/spec_pool.hpp"

namespace membrane::corrupt {

using file_bytes = std::vector<std::byte>;

struct small_file {
    std::string name;
    file_bytes bytes;
};

inline file_bytes file_of(const filter_spec& spec, std::uint64_t keys) {
    auto filter = any_filter::create(spec, {hash_id::siphash13, {1, 2}});
    if (!filter) throw std::runtime_error(describe(filter.error()));
    std::vector<counted_key> top;
    for (std::uint64_t key = 0; key < keys; ++key) {
        static_cast<void>(filter->insert(key));  // the least filters are full before
        if (const auto estimate = filter->estimate(key); estimate && top.empty())
            top.push_back({filter->hash()(key), *estimate, 8, "key"});
    }
    filter->set_top(top);
    return file_bytes_of(*filter);
}

// A kind's variants that differ in code, each once, at most a kibibyte long, with so many keys.
inline std::vector<small_file> small_files_of(const kind_entry& kind, std::uint64_t keys) {
    std::vector<small_file> files;
    std::vector<bool> seen(kind.variants.size(), false);
    for (const filter_spec& spec : small_specs(kind, 768)) {
        const std::size_t variant = kind.variant_of(spec);
        if (seen[variant]) continue;
        seen[variant] = true;
        files.push_back(
            {std::string(kind.rules.name) + " variant " + std::to_string(variant), file_of(spec, keys)});
    }
    if (std::count(seen.begin(), seen.end(), false) != 0)
        throw std::runtime_error("a variant has no small file: " + std::string(kind.rules.name));
    return files;
}
inline std::vector<small_file> small_files(std::uint64_t keys = 3) {
    std::vector<small_file> files;
    for (const kind_entry& kind : registry())
        for (small_file& file : small_files_of(kind, keys)) files.push_back(std::move(file));
    return files;
}

}  // namespace membrane::corrupt
