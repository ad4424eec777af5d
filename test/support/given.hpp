// Fields that a test fixes before a kind is planned.
#pragma once

#include <cstddef>
#include <cstdint>

#include <membrane/plan/requirement.hpp>

namespace membrane::test {

inline plan::given_fields giving(plan::given_fields fields, std::size_t field, std::uint64_t value) {
    fields.spec[field] = value;
    fields.is_given.set(field);
    return fields;
}

inline plan::given_fields giving(kind_id kind, std::size_t field, std::uint64_t value) {
    plan::given_fields fields;
    fields.spec.kind = kind;
    return giving(fields, field, value);
}

}  // namespace membrane::test
