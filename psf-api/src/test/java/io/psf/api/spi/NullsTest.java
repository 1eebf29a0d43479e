package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException.Code;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@NullUnmarked
final class NullsTest {
    private record Bounds(float low, String name) {}

    private record Filter(String name, @Nullable Bounds within) {}

    private record Request(
            String tag,
            List<Bounds> bounds,
            @Nullable String note,
            int[] weights,
            @Nullable Filter filter) {}

    @Test
    void whatIsNullIsNamedWhereverItLies() {
        assertThat(Nulls.in(new Request("a", List.of(new Bounds(1, "b")), null, new int[0], null)))
                .isEmpty();
        assertThat(Nulls.in(new Request(null, null, null, null, null)))
                .containsExactly("Request.tag", "Request.bounds", "Request.weights");
        assertThat(Nulls.in(new Request("a", Arrays.asList(new Bounds(1, "b"), null), null, new int[0], null)))
                .containsExactly("Request.bounds[1]");
        assertThat(Nulls.in(new Request("a", List.of(new Bounds(1, null)), null, new int[0], null)))
                .containsExactly("Request.bounds[0].name");
    }

    @Test
    void whatIsNullWithinSomethingThatMayBeNullIsNamed() {
        assertThat(Nulls.in(new Request("a", List.of(), null, new int[0], new Filter("f", null))))
                .isEmpty();
        assertThat(Nulls.in(new Request("a", List.of(), null, new int[0], new Filter(null, new Bounds(1, null)))))
                .containsExactly("Request.filter.name", "Request.filter.within.name");
    }

    @Test
    void ofManyTheFirstAreNamed() {
        NullPointerException cause = new NullPointerException();
        assertThat(Nulls.named(
                        new Request("a", Collections.nCopies(100, null), null, new int[0], null),
                        Code.HANDLER_FAILED,
                        cause))
                .hasMessage(
                        "HANDLER_FAILED: Request.bounds[0], Request.bounds[1], Request.bounds[2], Request.bounds[3],"
                                + " Request.bounds[4]: null (expected: a value, since it is not @Nullable)")
                .hasCause(cause);
    }
}
