package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EquationsTest {
    private static final int RANK = 4;

    private final SplittableRandom random = new SplittableRandom(3);
    private final float[] items = floats(9 * RANK);
    private final float[] found = new float[RANK];

    private float[] floats(int n) {
        float[] some = new float[n];
        for (int i = 0; i < n; i++) {
            some[i] = (float) random.nextDouble(-1, 1);
        }
        return some;
    }

    /** The loss of a user who likes the first two of the items, and does not like the third. */
    private double loss(float[] user) {
        double loss = 0;
        for (int item = 0; item < 9; item++) {
            double product = 0;
            for (int f = 0; f < RANK; f++) {
                product += user[f] * items[item * RANK + f];
            }
            double liked = item < 2 ? 1 : 0;
            loss += (item < 3 ? 3 : 1) * (liked - product) * (liked - product);
        }
        for (int f = 0; f < RANK; f++) {
            loss += 2 * .1 * user[f] * user[f];
        }
        return loss;
    }

    private static double[] ofAll(float[] items, int rank) {
        double[] ofAll = new double[rank * rank];
        for (int at = 0; at < items.length; at += rank) {
            double[] factors = new double[rank];
            for (int f = 0; f < rank; f++) {
                factors[f] = items[at + f];
            }
            Equations.addProducts(factors, 1, ofAll);
        }
        return ofAll;
    }

    @Test
    void theSolutionHasTheLeastLoss() {
        Equations equations = new Equations(RANK, ofAll(items, RANK));
        for (int time = 0; time < 2; time++) { // nothing is left of the first user
            equations.clear();
            double squares = equations.add(items, 0, 2, true) + equations.add(items, RANK, 2, true);
            assertThat(equations.add(items, 2 * RANK, 2, false)).isZero();
            assertThat(squares).isPositive();
            double least = equations.solve(.1, found, 0);
            assertThat(least).isCloseTo(loss(found), within(1e-5));
            for (int f = 0; f < RANK; f++) {
                float kept = found[f];
                for (float other : new float[] {kept - .01f, kept + .01f}) {
                    found[f] = other;
                    assertThat(loss(found)).isGreaterThan(least);
                }
                found[f] = kept;
            }
        }
    }

    /** With fewer items than factors and no regularization there are many solutions. */
    @Test
    void equationsOfTooFewItemsHaveASolution() {
        float[] one = {.5f, 0, 1, 0};
        Equations equations = new Equations(RANK, ofAll(one, RANK));
        equations.add(one, 0, 1, true);
        assertThat(equations.solve(0, found, 0)).isCloseTo(0, within(1e-6));
        assertThat(found[0] * one[0] + found[2] * one[2]).isCloseTo(1, within(1e-5f));
        Equations ofNone = new Equations(RANK, new double[RANK * RANK]);
        assertThat(ofNone.solve(0, found, 0)).isZero();
        assertThat(found).containsOnly(0);
    }
}
