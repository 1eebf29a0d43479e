package io.psf.examples.movielens;

import io.psf.examples.data.Rating;
import java.util.List;

/**
 * The model: stars are the mean, plus a bias of the user and of the movie, plus the product of their factors. A row has
 * the factors, then the bias. Y. Koren, R. Bell, C. Volinsky: Matrix Factorization Techniques for Recommender Systems,
 * 2009, equations (4) and (5).
 *
 * @param mean the mean number of stars
 * @param decay the factor of the regularization
 */
record Factors(double mean, double decay) {
    /** The number of factors. */
    static final int RANK = 16;

    /** The number of floats of a row. */
    static final int WIDTH = RANK + 1;

    /**
     * Computes the gradient of half the squared error of each rating, with the gradient of the regularization.
     *
     * @param users [n, WIDTH] float32, the row of each rating's user; replaced by the gradient
     * @param movies [n, WIDTH] float32, likewise
     */
    void gradient(List<Rating> ratings, float[] users, float[] movies) {
        for (int i = 0; i < ratings.size(); i++) {
            int at = i * WIDTH;
            float error =
                    (float) (predict(users, at, movies, at) - ratings.get(i).stars());
            for (int k = at; k < at + RANK; k++) {
                float user = users[k];
                float movie = movies[k];
                users[k] = (float) (error * movie + decay * user);
                movies[k] = (float) (error * user + decay * movie);
            }
            users[at + RANK] = (float) (error + decay * users[at + RANK]);
            movies[at + RANK] = (float) (error + decay * movies[at + RANK]);
        }
    }

    /** Returns the root of the mean squared error, with predictions limited to 0.5 to 5 stars. */
    double rmse(List<Rating> ratings, float[] users, float[] movies) {
        double sum = 0;
        for (int i = 0; i < ratings.size(); i++) {
            double stars = predict(users, i * WIDTH, movies, i * WIDTH);
            double error = Math.max(0.5, Math.min(5, stars)) - ratings.get(i).stars();
            sum += error * error;
        }
        return Math.sqrt(sum / ratings.size());
    }

    private double predict(float[] users, int user, float[] movies, int movie) {
        double stars = mean + users[user + RANK] + movies[movie + RANK];
        for (int k = 0; k < RANK; k++) {
            stars += users[user + k] * movies[movie + k];
        }
        return stars;
    }
}
