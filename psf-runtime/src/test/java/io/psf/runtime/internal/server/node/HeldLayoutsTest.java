package io.psf.runtime.internal.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import org.junit.jupiter.api.Test;

/** What a node knows of its tensors' slices. */
final class HeldLayoutsTest {
    private static final int[] SERVERS = {0, 0, 1};

    private static TensorLayout even(String name, long rows) {
        return TensorLayout.even(new TensorInfo(TensorId.of(name), rows, 2), SERVERS);
    }

    @Test
    void layoutsThatMeetShareTheirLists() {
        HeldLayouts layouts = new HeldLayouts();
        TensorLayout y = layouts.put(even("y", 40));
        TensorLayout beside =
                layouts.put(TensorLayout.beside(new TensorInfo(TensorId.of("beside"), 41, 1), even("y", 40)));
        TensorLayout aligned = layouts.put(even("aligned", 40));
        TensorLayout apart = layouts.put(even("apart", 41));
        assertThat(aligned.bounds()).isSameAs(y.bounds());
        assertThat(aligned.servers()).isSameAs(y.servers());
        assertThat(beside.servers()).isSameAs(y.servers());
        assertThat(aligned.isAlignedWith(y)).isTrue();
        assertThat(beside.meets(y)).isTrue();
        assertThat(beside.isAlignedWith(y)).isFalse();
        assertThat(apart.meets(y)).isFalse();
        assertThat(beside.text()).isEqualTo("[41, 1] in 3 slices from server 0 on, beside 40 rows");
        assertThat(beside.isAlignedWith(apart))
                .as("the same rows on other lanes")
                .isFalse();
    }

    @Test
    void aTensorIsKnownByOneLayout() {
        HeldLayouts layouts = new HeldLayouts();
        TensorLayout y = layouts.put(even("y", 40));
        assertThat(layouts.require(even("y", 40))).isSameAs(y);
        assertThatThrownBy(() -> layouts.require(even("y", 41)))
                .hasMessage("ALREADY_EXISTS: tensor \"y\": [41, 2] in 3 slices from server 0 on"
                        + " (expected: as it was created, [40, 2] in 3 slices from server 0 on)");
        layouts.remove(TensorId.of("y"));
        assertThat(layouts.get(TensorId.of("y"))).isNull();
    }
}
