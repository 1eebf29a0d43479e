package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.array.ByteArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sums of integers wrap around as in Java, whether they are scalars, values of maps or elements of arrays. */
class FoldsTest {
    @Test
    void aSumOfScalarsWrapsAround() {
        assertThat(sum(Long.MAX_VALUE, 1)).isEqualTo(Long.MIN_VALUE);
        assertThat((int) sum(Integer.MAX_VALUE, 1)).isEqualTo(Integer.MIN_VALUE);
        assertThat((short) sum(Short.MAX_VALUE, 1)).isEqualTo(Short.MIN_VALUE);
        assertThat((byte) sum(Byte.MIN_VALUE, -1)).isEqualTo(Byte.MAX_VALUE);
    }

    private static long sum(long... parts) {
        return Folds.fold(Reduction.SUM, parts, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    @Test
    void aSumOfNothingIsZeroAndTheOtherFoldsOfNothingAreTheBounds() {
        assertThat(sum()).isZero();
        assertThat(Folds.fold(Reduction.MIN, new long[0], Byte.MIN_VALUE, Byte.MAX_VALUE))
                .isEqualTo(Byte.MAX_VALUE);
        assertThat(Folds.fold(Reduction.MAX, new long[0], Byte.MIN_VALUE, Byte.MAX_VALUE))
                .isEqualTo(Byte.MIN_VALUE);
    }

    @Test
    void aSumOfMapsWrapsAroundInTheClassOfTheValues() {
        assertThat(sumOfMaps(Long.MAX_VALUE, 1L)).containsExactly(Map.entry("key", Long.MIN_VALUE));
        assertThat(sumOfMaps(Integer.MAX_VALUE, 1)).containsExactly(Map.entry("key", Integer.MIN_VALUE));
        assertThat(sumOfMaps(Short.MAX_VALUE, (short) 1)).containsExactly(Map.entry("key", Short.MIN_VALUE));
        assertThat(sumOfMaps(Byte.MAX_VALUE, (byte) 1)).containsExactly(Map.entry("key", Byte.MIN_VALUE));
    }

    private static <V> Map<String, V> sumOfMaps(V one, V other) {
        return Folds.fold(Reduction.SUM, List.of(Map.of("key", one), Map.of("key", other)));
    }

    @Test
    void theLeastAndTheGreatestOfMapsAreThoseOfEachKey() {
        assertThat(Folds.fold(Reduction.MIN, List.of(Map.of("a", 1.5f, "b", 3f), Map.of("a", 0.5f))))
                .containsOnly(Map.entry("a", 0.5f), Map.entry("b", 3f));
        assertThat(Folds.fold(Reduction.MAX, List.of(Map.of("a", (byte) 1), Map.of("a", (byte) 2))))
                .containsOnly(Map.entry("a", (byte) 2));
    }

    @Test
    void aSumOfArraysWrapsAroundInTheTypeOfTheElements() {
        assertThat(sumOfArrays(LongArray.of(Long.MAX_VALUE, 1), LongArray.of(1, 1)))
                .isEqualTo(LongArray.of(Long.MIN_VALUE, 2));
        assertThat(sumOfArrays(IntArray.of(Integer.MAX_VALUE, 1), IntArray.of(1, 1)))
                .isEqualTo(IntArray.of(Integer.MIN_VALUE, 2));
        assertThat(sumOfArrays(ByteArray.of(Byte.MAX_VALUE, (byte) 1), ByteArray.of((byte) 1, (byte) 1)))
                .isEqualTo(ByteArray.of(Byte.MIN_VALUE, (byte) 2));
    }

    private static <A extends SharedArray> A sumOfArrays(A one, A other) {
        return Folds.fold(Reduction.SUM, "values", List.of(one, other), one);
    }
}
