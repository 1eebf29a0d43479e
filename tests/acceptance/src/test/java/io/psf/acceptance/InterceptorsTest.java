package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.CallInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.runtime.PsCluster;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interceptors see calls and handlers, in order, and may fail them. */
@Timeout(60)
final class InterceptorsTest {
    private static final class Counting implements CallInterceptor {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public <R> Pending<R> call(Intercepted call, Supplier<Pending<R>> next) {
            seen.add(call.function() + " on " + call.tensor());
            return next.get();
        }
    }

    @Test
    void standAroundCallsAndHandlers() {
        List<String> seen = new CopyOnWriteArrayList<>();
        AtomicBoolean broken = new AtomicBoolean();
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .interceptors(
                        (call, next) -> {
                            seen.add("outer " + call.function());
                            return next.get();
                        },
                        (call, next) -> {
                            if (broken.get() && call.function().equals("psf.dense.pull")) {
                                throw new IllegalStateException("a fault on purpose");
                            }
                            seen.add("inner " + call.function());
                            return next.get();
                        })
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            seen.clear();
            Counting counting = new Counting();
            DensePullPsf.Stub pull = DensePullPsf.stub(cluster.worker().intercept(counting));
            assertThat(pull.call(w).await().values().length()).isEqualTo(10);
            assertThat(counting.seen).containsExactly("psf.dense.pull on w");
            assertThat(seen)
                    .hasSize(4)
                    .containsOnly("outer psf.dense.pull", "inner psf.dense.pull")
                    .startsWith("outer psf.dense.pull");
            broken.set(true);
            assertThatThrownBy(() -> pull.call(w).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("a fault on purpose");
            broken.set(false);
            assertThat(pull.call(w).await().values().length()).isEqualTo(10);
        }
    }
}
