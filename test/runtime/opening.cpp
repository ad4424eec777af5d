// Opening a file constructs the view once and checks the payload's rules once, on that view.
#include <array>

#include <gtest/gtest.h>

#include <membrane/runtime/any_view.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"

namespace membrane::test {
namespace {

// The operations of the kind under test, with calls of `construct` and `check_payload` counted.
const kind_ops* plain;
int constructed, checked;

void counting_construct(void* where, const filter_spec& spec, std::byte* payload) {
    ++constructed;
    plain->construct(where, spec, payload);
}
result<void> counting_check(const void* view) {
    ++checked;
    return plain->check_payload(view);
}

// The decoder is handed rules, which can neither construct a view nor check a payload: `over` does both.
struct opener : any_view {
    static any_view open_as(const kind_entry& kind, std::span<const std::byte> file, checksum payload_check) {
        const file_view decoded = value_of(open_view(file, registered_rules(), payload_check));
        EXPECT_EQ(&entry_of(*decoded.kind), find_entry(decoded.spec.kind));
        return value_of(any_view::over(decoded, kind, payload_check));
    }
};

class Opening : public kind_test {};

TEST_P(Opening, ConstructsOneViewAndChecksItsPayloadOnce) {
    for (const named_spec& each : specs(100)) {
        SCOPED_TRACE(each.name);
        const auto hashes = hashes_of(numbered_hasher(1), 0, 100);
        const auto file = file_of(filled(each.spec, hashes));
        plain = &entry().ops_for(each.spec);
        std::array counting{*plain};
        counting[0].construct = counting_construct;
        counting[0].check_payload = counting_check;
        kind_entry counted = entry();
        counted.variants = counting;
        counted.variant_of = [](const filter_spec&) { return std::size_t{0}; };
        for (const checksum payload_check : {checksum::verify, checksum::trust}) {
            constructed = checked = 0;
            const any_view view = opener::open_as(counted, file, payload_check);
            EXPECT_EQ(constructed, 1);
            const bool may_skip = payload_check == checksum::trust && plain->lookups_are_safe_on_any_payload;
            EXPECT_EQ(checked, may_skip ? 0 : 1);
            EXPECT_EQ(false_negatives(view, hashes), 0u);
            // What was skipped is made up for on demand; what was checked is not checked again.
            expect_done(view.check_payload());
            EXPECT_EQ(checked, 1);
        }
    }
}

MEMBRANE_FOR_EVERY_KIND(Opening);

}  // namespace
}  // namespace membrane::test
