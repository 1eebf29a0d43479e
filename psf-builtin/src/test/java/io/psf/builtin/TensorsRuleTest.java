package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule by which a user knows whether a method of {@link Tensors} blocks. */
class TensorsRuleTest {
    static Stream<Method> methods() {
        return Arrays.stream(Tensors.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .distinct();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void aMethodReturnsAPendingIfAndOnlyIfItBorrowsAnArray(Method method) {
        boolean borrows = Arrays.stream(method.getParameterTypes()).anyMatch(Class::isArray);
        assertThat(Pending.class.isAssignableFrom(method.getReturnType()))
                .as("%s returns a Pending", method)
                .isEqualTo(borrows);
    }
}
