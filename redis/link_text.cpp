#include "link_text.hpp"

#include <cstdio>
#include <string>

#include <membrane/runtime/kind_text.hpp>

#include "settings.hpp"

namespace membrane::redis {

namespace {

// Enough digits for the same number to come back.
std::string exact(double number) {
    char digits[40];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", number);
    return {digits, static_cast<std::size_t>(length)};
}

std::string kind_words(const any_filter& link) {
    const kind_rules& rules = link.kind().rules;
    std::string words(rules.name);
    for (std::size_t i = 0; i < rules.fields.size(); ++i) {
        const field_rule& field = rules.fields[i];
        const std::uint64_t value = link.spec()[i];
        words.append(i == 0 ? ":" : ",").append(field.name).append("=");
        words += value < field.choices.size() ? std::string(field.choices[value]) : std::to_string(value);
    }
    return words;
}

template <class Number>
Number number_at(const request& asked, std::size_t place, Number most) {
    const auto number = number_from<Number>(asked.word(place));
    if (!number || !(*number >= 0 && *number <= most))
        throw command_error{"ERR bad link: word " + std::to_string(place)};
    return *number;
}

}  // namespace

void replicate_link(context* ctx, text* key, const filter_chain& chain) {
    const chain_options& options = chain.options();
    const any_filter& link = chain.links().back().filter;
    const std::string hash(name_of(link.hash().id));
    server.replicate(
        ctx, own_name("LINK").c_str(), "slclllllccclc", key, static_cast<long long>(options.role),
        exact(options.error_rate).c_str(), static_cast<long long>(options.expansion),
        static_cast<long long>(options.first_keys), static_cast<long long>(options.bucket_size),
        static_cast<long long>(options.max_iterations), static_cast<long long>(options.has_given_kind),
        hash.c_str(), to_hex(link.hash().key).c_str(), kind_words(link).c_str(),
        static_cast<long long>(link.spec().planned_keys), exact(link.spec().planned_fpr).c_str());
}

link_request read_link(const request& asked) {
    constexpr std::uint64_t any = INT64_MAX;
    link_request wanted;
    const auto role = number_at<std::uint64_t>(asked, 2, 3);
    if (role == 0) throw command_error{"ERR bad link: word 2"};
    wanted.options = {.role = static_cast<chain_role>(role),
                      .has_given_kind = number_at<std::uint64_t>(asked, 8, 1) != 0,
                      .error_rate = number_at<double>(asked, 3, 1),
                      .expansion = number_at<std::uint64_t>(asked, 4, most_expansion),
                      .first_keys = number_at<std::uint64_t>(asked, 5, any),
                      .bucket_size = number_at<std::uint32_t>(asked, 6, UINT32_MAX),
                      .max_iterations = number_at<std::uint32_t>(asked, 7, UINT32_MAX)};
    const auto hash = hash_id_from(asked.word(9));
    const auto key = hash_key_from_hex(asked.word(10));
    if (!hash || !key) throw command_error{"ERR bad link: hash"};
    wanted.hash = {*hash, *key};
    const auto reading = read_kind_text(asked.word(11), read_plain_number);
    if (reading.fault != kind_text_fault::none) throw command_error{"ERR bad link: word 11"};
    wanted.spec = reading.given.spec;
    wanted.spec.kind = reading.kind->rules.id;
    wanted.spec.planned_keys = number_at<std::uint64_t>(asked, 12, any);
    wanted.spec.planned_fpr = number_at<double>(asked, 13, 1);
    return wanted;
}

}  // namespace membrane::redis
