package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A shard that forwards every method, as the interfaces declare them today. */
final class ForwardingShardTest {
    private static final Map<Class<?>, Object> ARGUMENTS = Map.of(
            long.class,
            5L,
            int.class,
            3,
            int[].class,
            new int[4],
            String.class,
            "name",
            Class.class,
            String.class,
            Supplier.class,
            (Supplier<String>) () -> "made",
            Duration.class,
            Duration.ofMillis(1),
            LongArray.class,
            LongArray.of(6, 7),
            TensorId.class,
            TensorId.of("other"));
    private static final Map<Class<?>, Object> RESULTS = Map.of(
            long.class,
            11L,
            int.class,
            12,
            boolean.class,
            true,
            int[].class,
            new int[] {13},
            Object.class,
            "attached",
            Optional.class,
            Optional.of("found"));

    private record Call(Method method, List<Object> arguments) {}

    private final List<Call> calls = new ArrayList<>();
    private final StoredShard target = (StoredShard) Proxy.newProxyInstance(
            StoredShard.class.getClassLoader(), new Class<?>[] {StoredShard.class}, (self, method, arguments) -> {
                calls.add(new Call(method, arguments == null ? List.of() : Arrays.asList(arguments)));
                return RESULTS.get(method.getReturnType());
            });

    private static final class Forwarding extends ForwardingShard {
        Forwarding(StoredShard shard) {
            super(shard);
        }
    }

    @Test
    void everyMethodIsForwardedOnceWithItsArgumentsAndItsResult() throws Exception {
        StoredShard shard = new Forwarding(target);
        int methods = 0;
        for (Method method : StoredShard.class.getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) || method.isBridge()) {
                continue;
            }
            methods++;
            calls.clear();
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(ARGUMENTS::get)
                    .toArray();
            Object result = method.invoke(shard, arguments);
            assertThat(calls).as("calls of %s", method).hasSize(1);
            Call call = calls.get(0);
            assertThat(call.method().getName()).isEqualTo(method.getName());
            assertThat(call.method().getParameterTypes()).isEqualTo(method.getParameterTypes());
            assertThat(call.arguments()).as("arguments of %s", method).isEqualTo(Arrays.asList(arguments));
            assertThat(result).as("result of %s", method).isEqualTo(RESULTS.get(method.getReturnType()));
        }
        assertThat(methods).isGreaterThan(35);
    }
}
