package io.psf.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs, in one process. */
@Timeout(120)
class SparkDemoTest {
    @Test
    void clicksArePredicted() throws Exception {
        try (DemoSpark spark = DemoSpark.start("clicks", 0, 512)) {
            assertThat(ClickModel.run(spark, 15_000, false)).isGreaterThan(.75);
        }
    }

    @Test
    void wordsOfAThemeAreNearEachOther() throws Exception {
        try (DemoSpark spark = DemoSpark.start("words", 0, 512)) {
            assertThat(Words.run(spark, 4_000, false)).isGreaterThan(.9);
        }
    }

    @Test
    void eventsAreCounted() throws Exception {
        try (DemoSpark spark = DemoSpark.start("counts", 0, 512)) {
            // Each page's count is that of 3 days, of which a day is worth half of the next.
            assertThat(Counts.run(spark, 40_000, false)).isEqualTo(40_000 * 1.75);
        }
    }
}
