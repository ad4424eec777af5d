#include "stack_updates.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <utility>

#include <membrane/part/batch.hpp>

#include <membrane/runtime/kind_text.hpp>

#include "settings.hpp"

namespace membrane::redis {

namespace {

[[noreturn]] void throw_growth_error(const filter_stack& stack, const error& why) {
    const bool is_erasable = stack.options().role == stack_role::erasable;
    if (stack.options().expansion == 0)
        throw command_error{is_erasable ? "Filter is full" : "ERR non scaling filter is full"};
    if (why.code == errc::full) throw command_error{"Maximum expansions reached"};
    throw command_error{error_text(is_erasable ? "Filter is full" : "problem inserting into filter", why)};
}

// A filter that grows could not: the server has no memory, or the limit is reached.
[[noreturn]] void throw_refusal(const filter_stack& stack, const growth_terms& terms) {
    const std::string why =
        terms.max_bytes == no_byte_limit
            ? ": no memory to grow"
            : ": no memory to grow, or it needs more than max-bytes, " + std::to_string(terms.max_bytes);
    const bool is_erasable = stack.options().role == stack_role::erasable;
    throw command_error{(is_erasable ? "Filter is full" : "ERR problem inserting into filter") + why};
}

hasher new_hasher(const std::optional<hash_key>& given) {
    const auto key = new_filter_key(given);
    if (!key) throw_creation_error(key.error());
    return {hash_id::siphash13, *key};
}

// Fields below their least value are those of a layout that is not chosen yet.
std::string kind_text_of(const filter_spec& spec) {
    const kind_rules& rules = find_entry(spec.kind)->rules;
    std::string text(rules.name);
    char separator = ':';
    for (std::size_t i = 0; i < rules.fields.size(); ++i) {
        const field_rule& field = rules.fields[i];
        const std::uint64_t value = spec[i];
        if (value < field.least) continue;
        text.append(1, std::exchange(separator, ',')).append(field.name).append("=");
        text += value < field.choices.size() ? std::string(field.choices[value]) : std::to_string(value);
    }
    return text;
}

template <class Number>
Number number_at(const command_call& call, std::size_t position, Number most) {
    const auto number = number_from<Number>(call.argument(position));
    if (!number || !(*number >= 0 && *number <= most))
        throw command_error{"ERR bad link: word " + std::to_string(position)};
    return *number;
}

struct link_arguments {
    stack_options options;
    hasher hash;
    filter_spec spec;
};

link_arguments read_link_arguments(const command_call& call) {
    constexpr std::uint64_t any = INT64_MAX;
    link_arguments wanted;
    const auto role = number_at<std::uint64_t>(call, 2, 3);
    if (role == 0) throw command_error{"ERR bad link: word 2"};
    wanted.options = {.role = static_cast<stack_role>(role),
                      .has_given_kind = number_at<std::uint64_t>(call, 8, 1) != 0,
                      .error_rate = number_at<double>(call, 3, 1),
                      .expansion = number_at<std::uint64_t>(call, 4, max_expansion),
                      .first_keys = number_at<std::uint64_t>(call, 5, any),
                      .bucket_size = number_at<std::uint32_t>(call, 6, UINT32_MAX),
                      .max_iterations = number_at<std::uint32_t>(call, 7, UINT32_MAX)};
    const auto hash = hash_id_from(call.argument(9));
    const auto key = hash_key_from_hex(call.argument(10));
    if (!hash || !key) throw command_error{"ERR bad link: hash"};
    wanted.hash = {*hash, *key};
    const auto reading = read_kind_text(call.argument(11), read_plain_number);
    if (reading.fault != kind_text_fault::none) throw command_error{"ERR bad link: word 11"};
    wanted.spec = reading.given.spec;
    wanted.spec.kind = reading.kind->rules.id;
    wanted.spec.planned_keys = number_at<std::uint64_t>(call, 12, any);
    wanted.spec.planned_fpr = number_at<double>(call, 13, 1);
    return wanted;
}

void replicate_link(context* ctx, server_string* key, const filter_stack& stack) {
    const stack_options& options = stack.options();
    const filter_spec spec =
        stack.few() != nullptr ? stack.few()->spec() : stack.links().back().filter.spec();
    const std::string hash(name_of(stack.hash().id));
    server.replicate(
        ctx, own_name("LINK").c_str(), "slclllllccclc", key, static_cast<long long>(options.role),
        exact_text(options.error_rate).c_str(), static_cast<long long>(options.expansion),
        static_cast<long long>(options.first_keys), static_cast<long long>(options.bucket_size),
        static_cast<long long>(options.max_iterations), static_cast<long long>(options.has_given_kind),
        hash.c_str(), to_hex(stack.hash().key).c_str(), kind_text_of(spec).c_str(),
        static_cast<long long>(spec.planned_keys), exact_text(spec.planned_fpr).c_str());
}

void grow_stack(const command_call& call, filter_stack& stack) {
    const auto spec = next_link_spec(stack);
    if (!spec) throw_growth_error(stack, spec.error());
    if (auto grown = stack.append(*spec, stack.hash(), byte_limit(call.ctx)); !grown)
        throw_growth_error(stack, grown.error());
    replicate_link(call.ctx, call.key(), stack);
}

}  // namespace

void throw_creation_error(const error& why, const char* advice) {
    if (why.code == errc::too_large && why.found && why.most)
        throw command_error{"ERR Insufficient memory to create filter: it needs " +
                            std::to_string(*why.found) + " bytes, max-bytes leaves " +
                            std::to_string(*why.most) + advice};
    if (why.code == errc::out_of_memory) throw command_error{"ERR Insufficient memory to create filter"};
    throw command_error{error_text("could not create filter", why)};
}

std::string exact_text(double number) {
    char digits[40];
    const int length = std::snprintf(digits, sizeof digits, "%.17g", number);
    return {digits, static_cast<std::size_t>(length)};
}

bool take_hash_key(option_reader& options, std::optional<hash_key>& key) {
    if (!options.take("HASHKEY")) return false;
    key = hash_key_from_hex(options.value("ERR bad hash key"));
    if (!key) throw command_error{"ERR bad hash key: 32 hexadecimal digits"};
    return true;
}

bool take_own_option(option_reader& options, stack_request& wanted) {
    if (take_hash_key(options, wanted.key)) return true;
    if (!options.take("GROWTO")) return false;
    wanted.link.grow_to =
        read_count(options.value("ERR bad growto"), 1, max_promised_keys, "ERR bad growto", "GROWTO");
    return true;
}

bool take_kind(option_reader& options, stack_request& wanted) {
    if (!options.take("KIND")) return false;
    const auto reading = read_kind_text(options.value("ERR bad kind"), read_plain_number);
    if (reading.fault == kind_text_fault::unknown_kind)
        throw command_error{"ERR bad kind: no kind '" + std::string(reading.name) + "'"};
    if (reading.fault != kind_text_fault::none)
        throw command_error{"ERR bad kind: field '" + std::string(reading.name) + "'"};
    if (reading.kind->rules.id == kind_id::count_min) throw command_error{"ERR bad kind: counts are CMS.*"};
    wanted.link.kind = reading.kind;
    wanted.link.given = reading.given;
    wanted.options.has_given_kind = true;
    return true;
}

void check_growth(const stack_request& wanted) {
    if (wanted.link.grow_to == 0) return;
    if (wanted.link.kind != nullptr)
        throw command_error{"ERR bad growto: a filter of a given kind does not grow"};
    if (wanted.options.expansion == 0) throw command_error{"Nonscaling filters cannot expand"};
    if (wanted.link.grow_to < wanted.options.first_keys)
        throw command_error{"ERR bad growto: fewer keys than the capacity"};
}

filter_stack& create_stack(const command_call& call, opened_key& key, const stack_request& wanted,
                           const char* event) {
    const auto spec = first_link_spec(wanted.options, wanted.link, byte_limit(call.ctx));
    if (!spec) throw_creation_error(spec.error());
    return create_stack(call, key, wanted.options, *spec, new_hasher(wanted.key), event);
}

filter_stack& create_stack(const command_call& call, opened_key& key, const stack_options& options,
                           const filter_spec& spec, const hasher& hash, const char* event) {
    filter_stack stack(options);
    const char* const advice = options.expansion == 0                   ? ""
                               : options.role == stack_role::membership ? "; NONSCALING or GROWTO needs less"
                                                                        : "; GROWTO needs less";
    if (auto made = stack.append(spec, hash, byte_limit(call.ctx)); !made)
        throw_creation_error(made.error(), advice);
    auto& placed = std::get<filter_stack>(key.put(std::move(stack)));
    replicate_link(call.ctx, call.key(), placed);
    server.notify(call.ctx, module_event, event, call.key());
    return placed;
}

filter_stack& existing_or_new(const command_call& call, opened_key& key, const stack_request& wanted,
                              const char* event) {
    filter_stack* const found = key.stack(wanted.options.role);
    return found != nullptr ? *found : create_stack(call, key, wanted, event);
}

void run_link_command(const command_call& call) {
    const link_arguments wanted = read_link_arguments(call);
    opened_key key(call.ctx, call.key(), read_write_mode);
    const std::uint64_t limit = byte_limit(call.ctx);
    filter_stack* const stack = key.stack();
    if (stack == nullptr) {
        const filter_stack& made =
            create_stack(call, key, wanted.options, wanted.spec, wanted.hash, "filter.link");
        if (limit == no_byte_limit) remember_sketch_key(made);
        reply_ok(call.ctx);
        return;
    }
    if (!(stack->options() == wanted.options)) throw command_error{"ERR the stack is of another make"};
    if (auto grown = stack->append(wanted.spec, wanted.hash, limit); !grown)
        throw command_error{error_text("could not create filter", grown.error())};
    replicate_link(call.ctx, call.key(), *stack);
    server.notify(call.ctx, module_event, "filter.link", call.key());
    reply_ok(call.ctx);
}

// A command of more than a thousand keys moves more lines than lines_of_a_command, but no more than is needed to end a growth in time.
key_adder::key_adder(const command_call& call, filter_stack& stack, std::span<server_string* const> items)
    : call_(call), stack_(stack), has_several_(items.size() > 1) {
    constexpr double least_lines = 0.6, most_lines = 16;
    terms_.max_bytes = byte_limit(call.ctx);
    terms_.lines_per_insertion = std::clamp(
        static_cast<double>(lines_of_a_command) / static_cast<double>(items.size()), least_lines, most_lines);
    stack_.set_terms(terms_);
    make_room_for(items);
}

void key_adder::make_room_for(std::span<server_string* const> items) {
    constexpr std::size_t least_items = 64;
    if (items.size() < std::max<std::uint64_t>(least_items, stack_.keys() / 4)) return;
    std::vector<key_hash> hashes(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) hashes[i] = stack_.hash()(view_of(items[i]));
    std::uint64_t absent = hashes.size();
    if (stack_.options().role == stack_role::membership) {
        std::vector<std::uint64_t> answers(bitmap_words(hashes.size())), scratch(answers.size());
        stack_.may_contain_many(hashes, answers, scratch);
        for (const std::uint64_t word : answers) absent -= static_cast<std::uint64_t>(std::popcount(word));
    }
    stack_.prepare_for(absent, terms_);
}

add_result key_adder::try_to(add_function how, key_hash hash) {
    try {
        return (stack_.*how)(hash, terms_);
    } catch (const std::bad_alloc&) {
        return add_result::refused;
    }
}

bool key_adder::store(server_string* item, add_function how) {
    const key_hash hash = stack_.hash()(view_of(item));
    add_result done = try_to(how, hash);
    while (done == add_result::full) {
        is_replicated_verbatim_ = !has_several_;
        replicate_stored();
        grow_stack(call_, stack_);
        stack_.set_terms(terms_);
        done = try_to(how, hash);
    }
    if (done == add_result::refused) {
        is_replicated_verbatim_ = !has_several_;
        throw_refusal(stack_, terms_);
    }
    if (done == add_result::present) return false;
    if (has_several_) stored_.push_back(item);
    is_changed_ = true;
    return true;
}

void key_adder::replicate_stored() {
    if (stored_.empty()) return;
    if (stack_.options().role == stack_role::erasable)
        server.replicate(call_.ctx, command_name("CF.INSERT").c_str(), "sccv", call_.key(), "NOCREATE",
                         "ITEMS", stored_.data(), stored_.size());
    else
        server.replicate(call_.ctx, command_name("BF.MADD").c_str(), "sv", call_.key(), stored_.data(),
                         stored_.size());
    stored_.clear();
}

void key_adder::finish(const char* event) {
    if (!is_changed_) return;
    if (is_replicated_verbatim_) server.replicate_verbatim(call_.ctx);
    else replicate_stored();
    server.notify(call_.ctx, module_event, event, call_.key());
}

}  // namespace membrane::redis
