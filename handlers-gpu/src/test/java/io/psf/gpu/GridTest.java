package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GridTest {
    @Test
    void oneThreadForEachItemAsLongAsTheDeviceHasPlace() {
        assertThat(Grid.of(1, 132)).isEqualTo(new Grid(1, 256, 0));
        assertThat(Grid.of(256, 132)).isEqualTo(new Grid(1, 256, 0));
        assertThat(Grid.of(257, 132)).isEqualTo(new Grid(2, 256, 0));
    }

    @Test
    void aLaunchWithoutItemsHasABlock() {
        assertThat(Grid.of(0, 132).blocks()).isEqualTo(1);
    }

    @Test
    void manyItemsShareTheThreads() {
        Grid grid = Grid.of(1L << 40, 132);
        assertThat(grid.blocks()).isEqualTo(132 * 32);
    }

    @Test
    void oneBlockHasWholeWarps() {
        assertThat(Grid.one(1).threads()).isEqualTo(32);
        assertThat(Grid.one(33).threads()).isEqualTo(64);
        assertThat(Grid.one(5000).threads()).isEqualTo(1024);
    }

    @Test
    void shapesThatNoDeviceRunsAreRefused() {
        assertThatThrownBy(() -> new Grid(1, 1025, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1025 threads")
                .hasMessageContaining("expected: at least 1 block, 1 to 1024 threads");
        assertThatThrownBy(() -> new Grid(0, 32, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void messagesHaveTheShapeAsCudaWritesIt() {
        assertThat(new Grid(3, 64, 0)).hasToString("<<<3, 64>>>");
        assertThat(new Grid(3, 64, 128)).hasToString("<<<3, 64, 128>>>");
    }
}
