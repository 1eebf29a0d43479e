package io.psf.examples.movielens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.examples.data.Rating;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FactorsTest {
    private static final double DECAY = 0.1;

    private final Factors model = new Factors(3.5, DECAY);
    private final List<Rating> rating = List.of(new Rating(1, 2, 4, 0));

    private static float[] row(Random random) {
        float[] row = new float[Factors.WIDTH];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) random.nextGaussian() / 4;
        }
        return row;
    }

    /** Half the squared error, with the regularization. Far from the limits, the error is that of rmse. */
    private double loss(float[] user, float[] movie) {
        double error = model.rmse(rating, user, movie);
        double squares = 0;
        for (int i = 0; i < Factors.WIDTH; i++) {
            squares += user[i] * user[i] + movie[i] * movie[i];
        }
        return (error * error + DECAY * squares) / 2;
    }

    @Test
    void theGradientIsTheDifferenceOfTheLoss() {
        Random random = new Random(3);
        float[] user = row(random);
        float[] movie = row(random);
        float[] ofUser = user.clone();
        float[] ofMovie = movie.clone();
        model.gradient(rating, ofUser, ofMovie);
        for (float[][] pair : new float[][][] {{user, ofUser}, {movie, ofMovie}}) {
            for (int i = 0; i < Factors.WIDTH; i++) {
                float value = pair[0][i];
                pair[0][i] = value + 1e-2f;
                double above = loss(user, movie);
                pair[0][i] = value - 1e-2f;
                double below = loss(user, movie);
                pair[0][i] = value;
                assertThat((double) pair[1][i]).isEqualTo((above - below) / 2e-2, within(1e-3));
            }
        }
    }

    @Test
    void aMeasurementIsParsedFromItsText() {
        Measurement measurement = new Measurement("ssp", 1.25, 3.5, 0.9012);
        assertThat(measurement).hasToString("ssp: epoch 1.25, 3.50 s, RMSE 0.9012");
        assertThat(Measurement.parse(measurement.toString())).contains(measurement);
        assertThat(Measurement.parse("12:00:00.000 WARN a line of a log")).isEmpty();
    }
}
