package io.psf.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BesideMllibTest {
    @Test
    @Tag("long")
    void allProgramsLearnFromTheSameRows() throws Exception {
        for (Learner learner : Learner.values()) {
            try (DemoSpark spark = DemoSpark.start("mllib", 0, 512)) {
                List<Fit> fits = BesideMllib.run(spark, learner, 10_000, 10);
                assertThat(fits).extracting(Fit::passes).isEqualTo(learner.passes());
                assertThat(fits.get(fits.size() - 1).score().area())
                        .as("%s", fits)
                        .isGreaterThan(.8);
            }
        }
    }

    /** A batch is one step of the optimizer: batches of 1,024 rows would be 9 steps in a pass. */
    @Test
    void fewRowsAreLearnedAsByAProgramOfOneThread() throws Exception {
        try (DemoSpark spark = DemoSpark.start("mllib", 0, 512)) {
            Score plain = last(BesideMllib.run(spark, Learner.ONE_THREAD, 10_000, 10));
            Score psf = last(BesideMllib.run(spark, Learner.PSF, 10_000, 10));
            assertThat(psf.area()).isCloseTo(plain.area(), within(.005));
            assertThat(psf.loss()).isCloseTo(plain.loss(), within(.01));
        }
    }

    private static Score last(List<Fit> fits) {
        return fits.get(fits.size() - 1).score();
    }

    @Test
    void theAreaIsTheShareOfPairsInOrderAndTheLossTheMean() {
        Score score = Score.of(new double[] {.9, .5, .5, .1}, new double[] {1, 1, 0, 0});
        assertThat(score.area()).isCloseTo(3.5 / 4, within(1e-12));
        assertThat(score.loss()).isCloseTo(-(2 * Math.log(.9) + 2 * Math.log(.5)) / 4, within(1e-12));
    }
}
