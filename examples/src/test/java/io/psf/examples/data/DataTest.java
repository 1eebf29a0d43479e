package io.psf.examples.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real data. */
@Timeout(300)
class DataTest {
    @Test
    void theDigitsAreThoseOfMnist() {
        Mnist mnist = RealData.mnist();
        assertThat(mnist.train().size()).isEqualTo(60_000);
        assertThat(mnist.test().size()).isEqualTo(10_000);
        assertThat(mnist.train().height()).isEqualTo(28);
        assertThat(mnist.train().width()).isEqualTo(28);
        assertThat(mnist.train().label(0)).isEqualTo(5);
        int size = 28 * 28;
        float[] pixels = new float[size];
        double sum = 0;
        for (int i = 0; i < mnist.train().size(); i++) {
            mnist.train().normalize(i, pixels, 0);
            for (float pixel : pixels) {
                sum += pixel;
            }
        }
        assertThat(sum / size / mnist.train().size()).isEqualTo(0, within(0.001));
    }

    @Test
    void theRatingsAreThoseOfMovieLens() {
        List<Rating> ratings = RealData.ratings();
        assertThat(ratings).hasSize(100_004);
        assertThat(ratings.get(0)).isEqualTo(new Rating(1, 31, 2.5f, 1260759144));
        assertThat(ratings.stream().map(Rating::user).distinct()).hasSize(671);
        assertThat(ratings.stream().map(Rating::movie).distinct()).hasSize(9_066);
    }
}
