package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class MetricsTest {
    @Test
    void aPerfectRankingHasAnAreaOfOneAndItsReverseZero() {
        float[] labels = {0, 1, 0, 1};
        assertThat(Metrics.auc(new float[] {.1f, .8f, .2f, .9f}, labels)).isEqualTo(1);
        assertThat(Metrics.auc(new float[] {.9f, .2f, .8f, .1f}, labels)).isEqualTo(0);
    }

    @Test
    void equalPredictionsCountOneHalf() {
        assertThat(Metrics.auc(new float[] {.5f, .5f, .5f}, new float[] {0, 1, 0}))
                .isEqualTo(.5);
    }

    @Test
    void theAreaIsTheShareOfPairsInTheRightOrder() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            float[] predictions = new float[60];
            float[] labels = new float[60];
            for (int i = 0; i < 60; i++) {
                predictions[i] = random.nextInt(20) / 20f; // so that there are ties
                labels[i] = i < 2 ? i : random.nextInt(2);
            }
            assertThat(Metrics.auc(predictions, labels))
                    .as("seed %d", seed)
                    .isCloseTo(pairsInOrder(predictions, labels), within(1e-12));
        }
    }

    private static double pairsInOrder(float[] predictions, float[] labels) {
        double inOrder = 0;
        double pairs = 0;
        for (int i = 0; i < labels.length; i++) {
            for (int j = 0; j < labels.length; j++) {
                if (labels[i] > labels[j]) {
                    pairs++;
                    inOrder += (Math.signum(predictions[i] - predictions[j]) + 1) / 2;
                }
            }
        }
        return inOrder / pairs;
    }

    @Test
    void theAreaOfOneClassAloneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Metrics.auc(new float[] {.1f, .2f}, new float[] {0, 0}))
                .withMessageContaining("positives: 0.0 of 2");
    }

    @Test
    void theLogLossIsTheMeanOverExamplesAndStaysFinite() {
        assertThat(Metrics.logLoss(new float[] {.5f, .25f}, new float[] {1, 0}))
                .isCloseTo(-(Math.log(.5) + Math.log(.75)) / 2, within(1e-9));
        assertThat(Metrics.logLoss(new float[] {0}, new float[] {1})).isFinite().isGreaterThan(10);
    }
}
