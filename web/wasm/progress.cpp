// Progress goes to the page, by the function `progress` of its worker, instead of to a terminal.
#include "cli/print/progress.hpp"

#include <emscripten.h>

EM_JS(void, page_progress, (const char* verb, double done, double total, double keys), {
    if (Module["progress"]) Module["progress"](UTF8ToString(verb), done, total, keys);
});

namespace membrane::cli {

namespace {

constexpr auto between_draws = std::chrono::milliseconds(50);

}  // namespace

progress::progress(std::string_view verb, std::optional<std::uint64_t> total, bool, progress_unit unit)
    : verb_(verb), unit_(unit), total_(total), is_shown_(true), start_(clock::now()), next_draw_(start_) {
    draw(0, 0, start_);
}

progress::~progress() = default;

void progress::update(std::uint64_t done, std::uint64_t keys) {
    const auto now = clock::now();
    if (now < next_draw_) return;
    next_draw_ = now + between_draws;
    draw(done, keys, now);
}

void progress::draw(std::uint64_t done, std::uint64_t keys, clock::time_point) {
    page_progress(verb_.c_str(), static_cast<double>(done), static_cast<double>(total_.value_or(0)),
                  static_cast<double>(keys));
}

}  // namespace membrane::cli
