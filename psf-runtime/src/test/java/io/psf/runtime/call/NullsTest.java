package io.psf.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@NullUnmarked
final class NullsTest {
    private record Bounds(float low, String name) {}

    private record Request(
            String tag, List<Bounds> bounds, @Nullable String note, int[] weights) {}

    @Test
    void whatIsNullIsNamedWhereverItLies() {
        assertThat(Nulls.in(new Request("a", List.of(new Bounds(1, "b")), null, new int[0])))
                .isEmpty();
        assertThat(Nulls.in(new Request(null, null, null, null))).containsExactly("tag", "bounds", "weights");
        assertThat(Nulls.in(new Request("a", Arrays.asList(new Bounds(1, "b"), null), null, new int[0])))
                .containsExactly("bounds[1]");
        assertThat(Nulls.in(new Request("a", List.of(new Bounds(1, null)), null, new int[0])))
                .containsExactly("bounds[0].name");
    }
}
