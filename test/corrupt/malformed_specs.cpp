// Specs and payloads that contradict themselves, with the right checksums.
#include "malformed.hpp"

namespace membrane::corrupt {
namespace {

TEST(malformed, specs_with_right_checksums) {
    const filter_spec bloom = bloom_of(192, 4);
    filter_spec partitioned = bloom_of(192, 4);
    partitioned[flat_field::probes] = probes::partitioned;
    partitioned[flat_field::sub_array] = 47;
    const filter_spec blocked = blocked_of(3);
    const filter_spec sketch = count_min_of(7, 3, 2, 5);
    expect_all_said({
        {"no probes: everything would be present", bloom, set(field_at(flat_field::k), std::uint64_t{0}),
         "value out of range: k (found 0, expected 1 to 64), at byte 112"},
        {"more probes than streams", bloom, set(field_at(flat_field::k), std::uint64_t{65}),
         "value out of range: k (found 65, expected 1 to 64), at byte 112"},
        {"array of nothing", bloom, set(field_at(flat_field::size), std::uint64_t{0}),
         "value out of range: size_bits (found 0, expected 1 to 72057594037927936), at byte 104"},
        {"size whose rounding up wraps", bloom, set(field_at(flat_field::size), UINT64_MAX - 62),
         "value out of range: size_bits (found 18446744073709551553, expected 1 to 72057594037927936), at "
         "byte 104"},
        {"largest size that is allowed, in a small file", bloom,
         set(field_at(flat_field::size), max_size_bits),
         "value out of range: payload length (found 24, expected 9007199254740992), at byte 80"},
        {"size that ends inside a word", bloom, set(field_at(flat_field::size), std::uint64_t{190}),
         "value out of range: size_bits (found 190), at byte 104; with strides=coprime it must be a multiple "
         "of 64"},
        {"probe scheme that does not exist", bloom, set(field_at(flat_field::probes), std::uint64_t{4}),
         "value out of range: probes (found 4, expected 0 to 3), at byte 120"},
        {"fold by more than a shift can", bloom, set(field_at(flat_field::fold_log2), std::uint64_t{64}),
         "value out of range: fold_log2 (found 64, expected 0 to 48), at byte 152"},
        {"fold by nearly 2^64", bloom, set(field_at(flat_field::fold_log2), UINT64_MAX),
         "value out of range: fold_log2 (found 18446744073709551615, expected 0 to 48), at byte 152"},
        {"fold past a single word", bloom, set(field_at(flat_field::fold_log2), std::uint64_t{2}),
         "value out of range: fold_log2 (found 2), at byte 152; the array has fewer words than that many "
         "halvings"},
        {"sub-arrays without partitions", bloom, set(field_at(flat_field::sub_array), std::uint64_t{48}),
         "value out of range: sub_array_bits (found 48, expected 0), at byte 144; only probes=partitioned "
         "has sub-arrays"},
        {"sub-arrays that reach behind the array", partitioned,
         set(field_at(flat_field::sub_array), std::uint64_t{49}),
         "value out of range: sub_array_bits (found 49, expected 1 to 48), at byte 144; k sub-arrays must "
         "fit into the array"},
        {"sub-arrays whose sum wraps", partitioned,
         set(field_at(flat_field::sub_array), std::uint64_t{1} << 56),
         "value out of range: sub_array_bits (found 72057594037927936, expected 1 to 48), at byte 144; k "
         "sub-arrays must fit into the array"},
        {"sub-arrays of nothing", partitioned, set(field_at(flat_field::sub_array), std::uint64_t{0}),
         "value out of range: sub_array_bits (found 0, expected 1 to 48), at byte 144; k sub-arrays must fit "
         "into the array"},
        {"block of 300 bits", blocked, set(field_at(blocked_field::block_bits), std::uint64_t{300}),
         "value out of range: block_bits (found 300), at byte 112; a block has 256 or 512 bits"},
        {"more blocks than there is room for", blocked,
         set(field_at(blocked_field::blocks), std::uint64_t{1} << 60),
         "value out of range: blocks (found 1152921504606846976, expected 1 to 140737488355328), at byte "
         "104"},
        {"fold past a single block", blocked, set(field_at(blocked_field::fold_log2), std::uint64_t{48}),
         "value out of range: fold_log2 (found 48), at byte 128; there are fewer blocks than that many "
         "halvings"},
        {"width that is not prime", sketch, set(field_at(count_min_field::width), std::uint64_t{8}),
         "value out of range: width (found 8), at byte 112; rows=two_hash needs a prime width"},
        {"widest sketch, in a small file", sketch,
         set(field_at(count_min_field::width), (std::uint64_t{1} << 40) - 87),
         "value out of range: payload length (found 336, expected 26388279064720), at byte 80"},
        {"width beyond the widest", sketch, set(field_at(count_min_field::width), UINT64_MAX),
         "value out of range: width (found 18446744073709551615, expected 1 to 1099511627776), at byte 112"},
        {"most copies, in a small file", sketch, set(field_at(count_min_field::copies), std::uint64_t{64}),
         "value out of range: payload length (found 336, expected 10896), at byte 80"},
        {"more rows than the streams have room for", sketch,
         [](file_bytes& file) {
             store_le(file.data() + field_at(count_min_field::depth), std::uint64_t{5});
             store_le(file.data() + field_at(count_min_field::copies), std::uint64_t{64});
         },
         "value out of range: copies (found 64), at byte 128; depth times copies is at most 256"},
        {"counters of 48 bits", sketch, set(field_at(count_min_field::cell_bits), std::uint64_t{48}),
         "value out of range: cell_bits (found 48), at byte 136; a counter has 32 or 64 bits"},
        {"most slots, in a small file", sketch,
         set(field_at(count_min_field::top_slots), std::uint64_t{1} << 20),
         "value out of range: payload length (found 336, expected 41943296), at byte 80"},
        {"slots times bytes that wrap", sketch,
         set(field_at(count_min_field::top_slots), UINT64_MAX / 40 + 1),
         "value out of range: top_slots (found 461168601842738791, expected 0 to 1048576), at byte 152"},
        {"longest names, in a small file", sketch,
         set(field_at(count_min_field::top_key_bytes), std::uint64_t{65536}),
         "value out of range: payload length (found 336, expected 131392), at byte 80"},
    });
}

TEST(malformed, payloads_with_right_checksums) {
    filter_spec odd = bloom_of(190, 4);
    odd[flat_field::probes] = probes::independent;
    const filter_spec sketch = count_min_of(7, 3, 2, 5);
    const std::size_t cells = 192 + 21 * 8;  // end of the counters
    const std::size_t top = 192 + 192;       // the section of the most counted keys
    expect_all_said({
        {"a bit behind the end of the array", odd, [](file_bytes& file) { file.back() |= std::byte{0x80}; },
         "payload contradicts its header: a cell behind the end of the array is in use (found 191), at byte "
         "192"},
        {"something behind the counters", sketch, set(cells, std::uint64_t{1}),
         "reserved bytes are not zero: padding behind the counters, at byte 192"},
        {"more slots in use than there are", sketch, set(top, std::uint64_t{3}),
         "payload contradicts its header: used slots of the most counted keys (found 3, expected 0 to 2), at "
         "byte 192"},
        {"far more slots in use than there are", sketch, set(top, UINT64_MAX),
         "payload contradicts its header: used slots of the most counted keys (found 18446744073709551615, "
         "expected 0 to 2), at byte 192"},
        {"something in the head of the section", sketch, set(top + 8, std::uint64_t{1}),
         "reserved bytes are not zero: head of the most counted keys, at byte 192"},
        {"a slot in use that the count leaves out", sketch, set(top, std::uint64_t{0}),
         "reserved bytes are not zero: unused slots of the most counted keys, at byte 192"},
        {"slots out of order", sketch,
         [=](file_bytes& file) {
             store_le(file.data() + top, std::uint64_t{2});
             store_le(file.data() + top + 64 + 40 + 16, UINT64_MAX);
         },
         "payload contradicts its header: order of the most counted keys (found 1), at byte 192"},
        {"letters behind the end of a key", sketch, set(top + 64 + 24, std::uint64_t{2}),
         "reserved bytes are not zero: bytes behind a most counted key (found 0), at byte 192"},
    });
}

}  // namespace
}  // namespace membrane::corrupt
