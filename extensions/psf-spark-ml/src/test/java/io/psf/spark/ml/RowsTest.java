package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;

class RowsTest {
    private static Rows rows() {
        Rows rows = new Rows(3, 4, true);
        rows.add(7, 1);
        rows.add(-1, 1);
        rows.endRow(1, 1);
        rows.endRow(0, 2);
        rows.add(7, 0.5f);
        rows.add(Long.MAX_VALUE, 1);
        rows.endRow(1, 0.5f);
        return rows;
    }

    @Test
    void aBatchHasEachKeyOnceInOrder() {
        Batch batch = new BatchBuilder().build(rows());
        assertThat(batch.keys()).containsExactly(-1, 7, Long.MAX_VALUE);
        assertThat(batch.slots()).containsExactly(1, 0, 1, 2);
        assertThat(batch.values()).containsExactly(1, 1, 0.5f, 1);
        assertThat(batch.ends()).containsExactly(2, 2, 4);
        assertThat(batch.labels()).containsExactly(1, 0, 1);
        assertThat(batch.importance()).containsExactly(1, 2, 0.5f);
    }

    @Test
    void aBatchTakesTheRowsThatAreNamed() {
        Rows other = new Rows(0, 0, false);
        other.add(9, 1);
        other.endRow(0, 1);
        Batch batch = new BatchBuilder().build(new Rows[] {rows(), other}, new long[] {2, 1L << 32, 0}, 1, 3);
        assertThat(batch.keys()).containsExactly(-1, 7, 9);
        assertThat(batch.slots()).containsExactly(2, 1, 0);
        assertThat(batch.labels()).containsExactly(0, 1);
    }

    @Test
    void rowsAreTheSameOnceTheyWereMoved() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(rows());
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            Rows read = (Rows) in.readObject();
            assertThat(read.source()).isEqualTo(3);
            assertThat(read.sequence()).isEqualTo(4);
            assertThat(read.isValidation()).isTrue();
            assertThat(new BatchBuilder().build(read))
                    .usingRecursiveComparison()
                    .isEqualTo(new BatchBuilder().build(rows()));
        }
    }

    @Test
    void theAreaUnderTheCurveCountsPairs() {
        double[] labels = Measure.bins();
        float[] margins = {-3, -1, -1, 2, 50};
        float[] of = {0, 0, 1, 1, 0};
        for (int i = 0; i < margins.length; i++) {
            Measure.count(labels, margins[i], of[i], i == 4 ? 2 : 1);
        }
        // Of 8 pairs, 3 are in order, 1 is a tie; the last row counts twice.
        assertThat(new Measure(5, 6, 0, labels).auc()).isEqualTo(3.5 / 8);
    }

    @Test
    void aShuffleIsAPermutationThatTheSeedChooses() {
        long[] order = java.util.stream.LongStream.range(0, 1000).toArray();
        long[] again = order.clone();
        long[] other = order.clone();
        Mix.shuffle(order, 1);
        Mix.shuffle(again, 1);
        Mix.shuffle(other, 2);
        assertThat(order).isEqualTo(again).isNotEqualTo(other);
        assertThat(order)
                .containsExactlyInAnyOrder(
                        java.util.stream.LongStream.range(0, 1000).toArray());
        assertThat(order)
                .isNotEqualTo(java.util.stream.LongStream.range(0, 1000).toArray());
    }
}
