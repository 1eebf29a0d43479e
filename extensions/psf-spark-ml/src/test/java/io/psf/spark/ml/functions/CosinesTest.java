package io.psf.spark.ml.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CosinesTest {
    private static final TensorId VECTORS = TensorId.of("vectors");
    private static final int ROWS = 20;
    private static final int WIDTH = 5;

    /** Returns an element of a row; row 3 is zeros. */
    private static double value(long i) {
        return i / WIDTH == 3 ? 0 : Math.sin(1.0 + i);
    }

    private static TestCluster cluster(int servers) {
        return PsfTest.of(CosinesPsf.bind(new Cosines() {}))
                .tensor(VECTORS, ROWS, WIDTH)
                .values(CosinesTest::value)
                .on(servers);
    }

    private static FloatArray cosines(int servers, float... vector) {
        return CosinesPsf.stub(cluster(servers))
                .call(VECTORS, FloatArray.of(vector))
                .await()
                .cosines();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void cosinesOfAVectorAndAllRowsInTheirOrder(int servers) {
        float[] vector = {1, -2, .5f, 3, 0};
        FloatArray found = cosines(servers, vector);
        assertThat(found.length()).isEqualTo(ROWS);
        for (int row = 0; row < ROWS; row++) {
            double product = 0;
            double squares = 0;
            double square = 0;
            for (int d = 0; d < WIDTH; d++) {
                double x = value(row * (long) WIDTH + d);
                product += x * vector[d];
                squares += x * x;
                square += vector[d] * vector[d];
            }
            double expected = row == 3 ? 0 : product / Math.sqrt(squares * square);
            assertThat((double) found.get(row)).as("row %s", row).isCloseTo(expected, within(1e-6));
        }
        assertThat(cosines(servers, new float[WIDTH]).toArray()).containsOnly(0);
    }

    @Test
    void aVectorOfAnotherWidthIsRefused() {
        assertThatThrownBy(() -> cosines(2, 1, 2))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("vector: 2 (expected: 5, the width of tensor vectors)");
    }
}
