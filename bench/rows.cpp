#include "rows.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <membrane/kind/blocked_bloom/spec.hpp>
#include <membrane/kind/choice_bloom/spec.hpp>
#include <membrane/part/flat_spec.hpp>
#include <membrane/runtime/registry.hpp>

#include "inlined/rows.hpp"
#include "libbloom_subject.hpp"
#include "rocksdb_subject.hpp"
#include "timing/filter_subject.hpp"

namespace bench {
namespace {

using membrane::plan::given_fields;
using membrane::plan::requirement;

class subject_collector {
public:
    subject_collector(std::uint64_t keys, double fpr, const membrane::hasher& hash, const std::string& only)
        : wanted_{.keys = keys, .fpr = fpr}, hash_(hash), only_(only) {}

    bool is_wanted(const std::string& name) const {
        for (std::size_t begin = 0; begin <= only_.size();) {
            const std::size_t end = std::min(only_.find(',', begin), only_.size());
            const std::string part = only_.substr(begin, end - begin);
            if (part.starts_with('=') ? name == part.substr(1) : name.find(part) != std::string::npos)
                return true;
            begin = end + 1;
        }
        return false;
    }

    void add(std::unique_ptr<subject> what) {
        if (is_wanted(what->name())) subjects_.push_back(std::move(what));
    }
    void add_filter(const std::string& name, const membrane::result<membrane::filter_spec>& spec,
                    const membrane::hasher& hash, asked_with how) {
        if (!is_wanted(name)) return;
        auto filter = spec ? membrane::any_filter::create(*spec, hash)
                           : membrane::result<membrane::any_filter>(spec.error());
        if (filter) add(std::make_unique<filter_subject>(name, std::move(*filter), wanted_.keys, how));
        else std::fprintf(stderr, "%s: %s\n", name.c_str(), membrane::describe(filter.error()).c_str());
    }
    void add_kind(const membrane::kind_entry& kind) {
        const std::string name(kind.rules.name);
        const auto spec = kind.plan.size(wanted_, {});
        add_filter(name, spec, hash_, asked_with::hashes);
        const bool has_erasable_form =
            membrane::capabilities_of(kind).erase && spec && !membrane::capabilities_of(*spec).erase;
        if (!has_erasable_form) return;
        requirement erasable = wanted_;
        erasable.needs.erase = true;
        add_filter(name + " erasable", kind.plan.size(erasable, {}), hash_, asked_with::hashes);
    }
    void add_bloom_forms() {
        const membrane::kind_entry& bloom = *membrane::find_entry("bloom");
        for (const std::uint64_t probes : {membrane::probes::independent, membrane::probes::enhanced}) {
            given_fields given;
            given.spec[membrane::flat_field::probes] = probes;
            given.is_given.set(membrane::flat_field::probes);
            add_filter("bloom " + std::string(membrane::probes_names[probes]),
                       bloom.plan.size(wanted_, given), hash_, asked_with::hashes);
        }
        const auto spec = bloom.plan.size(wanted_, {});
        if (!spec) return;
        add_inlined("bloom double, xxh3, inlined (keys)", *spec, &inlined_bloom_of_keys);
        for (const membrane::hash_id id : {membrane::hash_id::siphash13, membrane::hash_id::xxh3})
            add_filter("bloom double, " + std::string(name_of(id)) + " (keys)", spec, {id, hash_.key},
                       asked_with::keys);
    }
    // The type is fixed at compile time: 512-bit blocks in lanes of 64 bits, the planner's choice at most rates.
    void add_inlined_blocked_bloom() {
        given_fields given;
        given.spec[membrane::blocked_field::block_bits] = 512;
        given.spec[membrane::blocked_field::lanes] = membrane::block_lanes::of_64_bits;
        given.is_given.set(membrane::blocked_field::block_bits).set(membrane::blocked_field::lanes);
        const auto spec = membrane::find_entry("blocked_bloom")->plan.size(wanted_, given);
        if (spec) add_inlined("blocked_bloom, inlined", *spec, &inlined_blocked_bloom);
    }
    void add_inlined_balanced_rank() {
        for (const bool erases : {false, true}) {
            requirement asked = wanted_;
            asked.needs.erase = erases;
            const auto spec = membrane::find_entry("balanced_rank")->plan.size(asked, {});
            if (spec)
                add_inlined(erases ? "balanced_rank erasable, inlined" : "balanced_rank, inlined", *spec,
                            &inlined_balanced_rank);
        }
    }
    template <class Make>
    void add_inlined(const std::string& name, const membrane::filter_spec& spec, const Make& make) {
        if (!has_inlined_rows() || !is_wanted(name)) return;
        const auto& plan = membrane::find_entry(spec.kind)->plan;
        if (auto made = make({name, spec, hash_, plan.predicted_fpr(spec, wanted_.keys),
                              plan.fpr_stddev_between(spec, wanted_.keys)}))
            add(std::move(made));
    }

    void add_others() {
#if defined(MEMBRANE_HAVE_LIBBLOOM)
        add(std::make_unique<libbloom_subject>(wanted_.keys, *wanted_.fpr));
#endif
#if defined(MEMBRANE_HAVE_ROCKSDB)
        // As many bits as our filter of the same layout; Ribbon is given the bits of a Bloom filter of its rate.
        const auto like = membrane::find_entry("blocked_bloom")->plan.size(wanted_, {});
        const auto sized = like ? membrane::any_filter::create(*like, hash_)
                                : membrane::result<membrane::any_filter>(like.error());
        if (!sized) return;
        const double bits = 8 * static_cast<double>(sized->size_bytes()) / static_cast<double>(wanted_.keys);
        add(std::make_unique<rocksdb_subject>("rocksdb bloom (keys)", rocksdb::NewBloomFilterPolicy(bits),
                                              *wanted_.fpr));
        add(std::make_unique<rocksdb_subject>("rocksdb ribbon (keys)", rocksdb::NewRibbonFilterPolicy(bits),
                                              *wanted_.fpr));
#endif
    }

    // Filters of the size of blocked_bloom at the wanted rate: what each kind does with the same memory.
    void add_same_bits() {
        const auto like = membrane::find_entry("blocked_bloom")->plan.size(wanted_, {});
        if (!like) return;
        const double bits = static_cast<double>((*like)[membrane::blocked_field::blocks]) *
                            static_cast<double>((*like)[membrane::blocked_field::block_bits]) /
                            static_cast<double>(wanted_.keys);
        const auto add_one = [&](const char* kind, std::optional<std::uint64_t> probes, bool is_static) {
            requirement asked{.keys = wanted_.keys, .bits_per_key = bits, .is_static = is_static};
            given_fields given;
            std::string name = kind;
            if (probes) {
                given.spec[membrane::choice_field::probes] = *probes;
                given.is_given.set(membrane::choice_field::probes);
                name.append(" ").append(membrane::choice_probes_names[*probes]);
            }
            add_filter(name + (is_static ? ", together" : "") + same_bits,
                       membrane::find_entry(kind)->plan.size(asked, given), hash_, asked_with::hashes);
        };
        add_one("bloom", {}, false);
        add_one("blocked_bloom", {}, false);
        add_one("balanced_bloom", {}, false);
        for (const bool is_static : {false, true})
            for (const std::uint64_t probes :
                 {std::uint64_t{membrane::probes::two_hash}, std::uint64_t{membrane::choice_probes::blocked}})
                add_one("choice_bloom", probes, is_static);
    }
    static constexpr const char* same_bits = " (same bits)";

    subject_list take() { return std::move(subjects_); }

private:
    requirement wanted_;
    membrane::hasher hash_;
    std::string only_;
    subject_list subjects_;
};

}  // namespace

bool has_inlined_rows() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

subject_list make_subjects(std::uint64_t keys, double fpr, const membrane::hasher& hash,
                           const std::string& only) {
    subject_collector list(keys, fpr, hash, only);
    for (const membrane::kind_entry& kind : membrane::registry()) list.add_kind(kind);
    list.add_inlined_blocked_bloom();
    list.add_inlined_balanced_rank();
    list.add_bloom_forms();
    list.add_others();
    if (only.find("same bits") != std::string::npos) list.add_same_bits();
    return list.take();
}

double bits_per_key(const table& of, const row& line) {
    return line.size_bytes * 8 / static_cast<double>(of.keys);
}

}  // namespace bench
