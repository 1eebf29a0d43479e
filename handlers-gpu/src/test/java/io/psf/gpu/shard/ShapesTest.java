package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arithmetic of sizes. */
class ShapesTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 64, 100, 1000, 1 << 19, (1 << 20) + 1, 1 << 22})
    void piecesBeginAtMultiplesOf16Bytes(int width) {
        int rows = Pieces.rowsOfPiece(width);
        assertThat(rows).isPositive();
        assertThat((long) rows * width % 4).isZero();
        assertThat((long) rows * width).isLessThanOrEqualTo(Math.max(Workspace.PIECE, 4L * width));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 768, 769, 1_000_000, 402_653_184, 1 << 29})
    void atMostThreeQuartersOfAnIndexAreUsed(int used) {
        int entries = KeyIndex.entriesFor(used);
        assertThat(Integer.bitCount(entries)).isOne();
        assertThat(used / 0.75).isLessThanOrEqualTo(entries);
        assertThat(entries).isLessThanOrEqualTo(1 << 30);
        assertThat(entries == 1024 || used / 0.75 > entries / 2.0)
                .as("not too large")
                .isTrue();
    }

    @Test
    void theEntryOfTheKeyWithTagZeroIsCounted() {
        assertThat(KeyIndex.bytes(1024)).isEqualTo(16 * 1025);
    }

    @Test
    void columnsDouble() {
        assertThat(DeviceColumn.capacityFor(1, 1 << 29)).isEqualTo(1024);
        assertThat(DeviceColumn.capacityFor(5000, 1 << 29)).isEqualTo(10_000);
        assertThat(DeviceColumn.capacityFor((1 << 29) - 1, 1 << 29)).isEqualTo(1 << 29);
    }
}
