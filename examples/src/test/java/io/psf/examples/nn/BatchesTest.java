package io.psf.examples.nn;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.data.Images;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static final Images TEN = new Images(1, 2, new byte[20], new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

    static {
        for (int i = 0; i < 10; i++) {
            TEN.pixels()[2 * i + 1] = (byte) (20 * i);
        }
    }

    @Test
    void everyImageIsDrawnOncePerPassWithItsLabel() {
        Batches batches = new Batches(TEN, 1, 5, 3);
        assertThat(batches.count()).isEqualTo(2);
        for (int pass = 0; pass < 3; pass++) {
            Set<Integer> drawn = new HashSet<>();
            for (int batch = 0; batch < 2; batch++) {
                batches.next();
                assertThat(batches.size()).isEqualTo(5);
                for (int i = 0; i < 5; i++) {
                    int label = batches.labels()[i];
                    drawn.add(label);
                    float[] pixel = new float[2];
                    TEN.normalize(label, pixel, 0);
                    assertThat(batches.inputs()[4 + 1][i]).isEqualTo(Images.BLACK); // the image, without border
                    assertThat(batches.inputs()[4 + 2][i]).isEqualTo(pixel[1]);
                    assertThat(batches.inputs()[8 + 2][i]).isEqualTo(Images.BLACK); // below it
                }
            }
            assertThat(drawn).hasSize(10);
        }
    }

    @Test
    void theAccuracyCountsTheLastSmallBatchToo() {
        Network network = new Network(2, 4, List.of(new Linear("one", 2, 10)));
        network.parameters().get(1).values()[9] = 1; // the bias of class 9
        assertThat(Batches.accuracy(network, TEN, 0, 4)).isEqualTo(0.1);
    }
}
