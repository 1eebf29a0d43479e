// Kernels by name, with the sizes of their parameters. The build writes a table for each source of CUDA C.

#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct Parameter {
    /** i int, f float, d double, l another one */
    char type;
    size_t size;
    bool isPointer;
};

struct Kernel {
    std::vector<Parameter> parameters;
    /** Calls the kernel for the current thread: an address of each argument. */
    std::function<void(const void *const *)> call;
};

/** All kernels of the program. */
std::map<std::string, Kernel> &kernels();

template <class T>
Parameter parameter() {
    char type = std::is_same<T, int>::value      ? 'i'
                : std::is_same<T, float>::value  ? 'f'
                : std::is_same<T, double>::value ? 'd'
                                                 : 'l';
    return {type, sizeof(T), std::is_pointer<T>::value};
}

template <class T>
T argument(const void *at) {
    T value;
    memcpy(&value, at, sizeof value);
    return value;
}

template <class... P, size_t... I>
Kernel kernel(void (*function)(P...), std::index_sequence<I...>) {
    return {{parameter<P>()...}, [=](const void *const *at) { function(argument<P>(at[I])...); }};
}

template <class... P>
Kernel kernel(void (*function)(P...)) {
    return kernel(function, std::index_sequence_for<P...>());
}

/** Adds kernels at the start of the program. */
struct Table {
    Table(std::initializer_list<std::pair<const char *, Kernel>> all) {
        for (auto &each : all) {
            kernels().insert({each.first, each.second});
        }
    }
};
