#include "frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ticks.hpp"

namespace membrane::plot {

namespace {

constexpr int steps_wanted = 6;  // approximate number of steps of a linear axis, whose edges lie on a step

class extent {
public:
    explicit extent(scale shape) : shape_(shape) {}

    result<void> add(double value) {
        if (!std::isfinite(value))
            return make_error(errc::bad_field, "chart: a coordinate is infinite or not a number")
                .with_note("leave such points out");
        if (shape_ == scale::log10 && value <= 0)
            return make_error(errc::bad_field, "chart: a value on a logarithmic axis is not above 0")
                .with_note("leave such points out, or use a linear axis");
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
        return {};
    }

    // The end of an error bar. On a logarithmic axis a bar that reaches far down or to zero does not extend the axis.
    result<void> add_end(double value, double middle) {
        if (std::isfinite(value) && shape_ == scale::log10 && value < middle / 30) return {};
        return add(value);
    }

    bool is_empty() const { return low_ > high_; }

    range padded() const { return shape_ == scale::linear ? linear() : logarithmic(); }

private:
    range linear() const {
        const double size = std::max(std::abs(low_), std::abs(high_));
        double low = low_;
        double high = high_;
        if (high - low <= 1e-12 * size || high == low) {
            const double room = size == 0 ? 1 : size * 0.1;
            low -= room;
            high += room;
        }
        const double step = nice_step((high - low) / steps_wanted);
        return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step};
    }

    range logarithmic() const {
        const double span = std::log10(high_ / low_);
        const double room = span < 1e-9 ? std::sqrt(10.0) : std::pow(10.0, std::max(0.03, span * 0.04));
        return {std::max(low_ / room, std::numeric_limits<double>::min()),
                std::min(high_ * room, std::numeric_limits<double>::max())};
    }

    scale shape_;
    double low_ = std::numeric_limits<double>::infinity();
    double high_ = -std::numeric_limits<double>::infinity();
};

result<range> chosen(const axis& side, const extent& data) {
    if (!side.limits) return data.padded();
    const range given = *side.limits;
    if (!std::isfinite(given.low) || !std::isfinite(given.high) || !(given.low < given.high) ||
        (side.shape == scale::log10 && given.low <= 0))
        return make_error(errc::bad_field, "chart: limits of an axis")
            .with_note("they must be finite, low below high, and above 0 on a logarithmic axis");
    return given;
}

double part(scale shape, range limits, double value) {
    if (shape == scale::linear) return (value - limits.low) / (limits.high - limits.low);
    return std::log(value / limits.low) / std::log(limits.high / limits.low);
}

}  // namespace

result<panel_limits> limits_of(const panel& drawn) {
    extent x{drawn.x.shape};
    extent y{drawn.y.shape};
    const auto add = [&](double at_x, double at_y) -> result<void> {
        if (auto added = x.add(at_x); !added) return added;
        return y.add(at_y);
    };
    for (const series& curve : drawn.curves)
        for (const point& each : curve.points) {
            if (auto added = add(each.x, each.y); !added) return added.error();
            if (!each.interval) continue;
            for (const double end : {each.interval->low, each.interval->high})
                if (auto added = y.add_end(end, each.y); !added) return added.error();
        }
    for (const mark& each : drawn.marks)
        if (auto added = add(each.x, each.y); !added) return added.error();
    if (x.is_empty())
        return make_error(errc::bad_field, "chart: a panel without any point")
            .with_note("leave the panel out");
    const auto x_range = chosen(drawn.x, x);
    if (!x_range) return x_range.error();
    const auto y_range = chosen(drawn.y, y);
    if (!y_range) return y_range.error();
    return panel_limits{*x_range, *y_range};
}

frame::frame(const panel& drawn, panel_limits limits, box area)
    : x_shape_(drawn.x.shape), y_shape_(drawn.y.shape), limits_(limits), area_(area) {}

double frame::x_at(double x) const { return area_.left + area_.width * part(x_shape_, limits_.x, x); }

double frame::y_at(double y) const {
    if (y_shape_ == scale::log10 && y <= 0) return area_.bottom();
    return area_.bottom() - area_.height * part(y_shape_, limits_.y, y);
}

bool frame::holds(double x, double y) const {
    const place here = at(x, y);
    constexpr double rounding = 0.01;
    return here.x >= area_.left - rounding && here.x <= area_.right() + rounding &&
           here.y >= area_.top - rounding && here.y <= area_.bottom() + rounding;
}

}  // namespace membrane::plot
