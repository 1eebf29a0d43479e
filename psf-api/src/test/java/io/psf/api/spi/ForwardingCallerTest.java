package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.ClusterCaller;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A caller that forwards every method, as the interfaces declare them today. */
final class ForwardingCallerTest {
    private static final Map<Class<?>, Object> ARGUMENTS = Map.of(
            boolean.class,
            true,
            String.class,
            "model",
            Restore.class,
            Restore.LOST,
            Duration.class,
            Duration.ofMillis(1),
            List.class,
            List.of(),
            TensorId.class,
            TensorId.of("tensor"),
            CallOptions.class,
            CallOptions.DEFAULT);
    private static final Map<Class<?>, Object> RESULTS = Map.of(
            int.class, 12, long.class, 13L, boolean.class, true, List.class, List.of("found"), Role.class, Role.CLIENT);

    /** The interfaces of a caller, in one. */
    private interface Both extends ClusterCaller, FunctionCaller {}

    private record Call(String method, List<Class<?>> types, List<Object> arguments) {}

    private final List<Call> calls = new ArrayList<>();
    private final Both target = (Both) Proxy.newProxyInstance(
            Both.class.getClassLoader(), new Class<?>[] {Both.class}, (self, method, arguments) -> {
                calls.add(new Call(
                        method.getName(),
                        List.of(method.getParameterTypes()),
                        arguments == null ? List.of() : Arrays.asList(arguments)));
                return RESULTS.get(method.getReturnType());
            });

    @Test
    void everyMethodIsForwardedOnceWithItsArgumentsAndItsResult() throws Exception {
        ForwardingCaller caller = new ForwardingCaller() {
            @Override
            protected ClusterCaller to() {
                return target;
            }
        };
        int methods = 0;
        for (Method method : Both.class.getMethods()) {
            boolean isOfOneTensor = List.of(method.getParameterTypes()).equals(List.of(TensorDeclaration.class));
            if (Modifier.isStatic(method.getModifiers()) || method.isBridge() || isOfOneTensor) {
                continue; // that of one tensor calls that of a list
            }
            methods++;
            calls.clear();
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(ARGUMENTS::get)
                    .toArray();
            Object result = method.invoke(caller, arguments);
            assertThat(calls)
                    .as("calls of %s", method)
                    .containsExactly(
                            new Call(method.getName(), List.of(method.getParameterTypes()), Arrays.asList(arguments)));
            assertThat(result).as("result of %s", method).isEqualTo(RESULTS.get(method.getReturnType()));
        }
        assertThat(methods).isGreaterThan(18);
    }
}
