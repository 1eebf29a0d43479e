package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.psf.api.Caller;
import io.psf.api.Pending;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FunctionCallerTest {
    private static final class Known implements FunctionCaller {
        @Override
        public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Foreign implements Caller {}

    @Test
    void aCallerThatMakesCallsIsTakenAsItIs() {
        Known known = new Known();
        assertThat(FunctionCaller.of(known)).isSameAs(known);
    }

    @Test
    void aForeignCallerIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FunctionCaller.of(new Foreign()))
                .withMessage("caller: " + Foreign.class.getName()
                        + " (expected: a worker, a chain, or the caller of a shard or a node)");
    }
}
