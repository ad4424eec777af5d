// Minimisation of a function of one variable, for the optimisers.
#pragma once

namespace membrane::model {

// For a function with one minimum, by golden section.
template <class Value>
double argument_of_least(double low, double high, int steps, Value value) {
    constexpr double golden = 0.6180339887498949;
    double left = high - golden * (high - low);
    double right = low + golden * (high - low);
    double left_value = value(left);
    double right_value = value(right);
    for (int i = 0; i < steps; ++i) {
        if (left_value <= right_value) {
            high = right;
            right = left;
            right_value = left_value;
            left = high - golden * (high - low);
            left_value = value(left);
        } else {
            low = left;
            left = right;
            left_value = right_value;
            right = low + golden * (high - low);
            right_value = value(right);
        }
    }
    return left_value <= right_value ? left : right;
}

// The best of low, ..., high in equal steps; of equal ones the last.
template <class Value>
double best_of_grid(double low, double high, int steps, Value value) {
    double best = low;
    double best_value = value(low);
    for (int i = 1; i <= steps; ++i) {
        const double tried = low + (high - low) * i / steps;
        if (const double tried_value = value(tried); tried_value <= best_value) {
            best = tried;
            best_value = tried_value;
        }
    }
    return best;
}

}  // namespace membrane::model
