// A reference to something callable: two pointers, no allocation, no <functional>. For parameters only: the reference does
// not keep the callable alive, so it must not be stored longer than the call that received it.
#pragma once

#include <type_traits>
#include <utility>

namespace membrane {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
public:
    function_ref() = default;  // refers to nothing: test with operator bool before the call

    template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>) function_ref(Callable&& callable)
    noexcept
        : object_(const_cast<void*>(static_cast<const void*>(&callable))),
          call_([](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Callable>*>(object))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    explicit operator bool() const noexcept { return call_ != nullptr; }
    Result operator()(Arguments... arguments) const {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

private:
    void* object_ = nullptr;
    Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace membrane
