package io.psf.spark.ml;

import java.util.Arrays;

/**
 * The equations whose solution are the factors of one user, given the factors of the items, for implicit feedback: least
 * squares over all items, in which a rated one has a larger weight (Hu, Koren and Volinsky, ICDM 2008). The part of all
 * items is a matrix that all users have in common. Or those of one item. Not thread-safe.
 */
final class Equations {
    /** The share of its mean that is added to the diagonal: a matrix that is singular but for rounding has a solution, too. */
    private static final double RIDGE = 1e-9;

    private final int rank;
    private final double[] ofAll;
    private final double[] matrix;
    private final double[] right;
    private final double[] factors;
    private double constant;
    private int liked;

    /**
     * Creates equations without ratings.
     *
     * @param ofAll [rank, rank] float64, the sum of the products of the factors of each item, below the diagonal and on
     *     it
     */
    Equations(int rank, double[] ofAll) {
        this.rank = rank;
        this.ofAll = ofAll;
        this.matrix = ofAll.clone();
        this.right = new double[rank];
        this.factors = new double[rank];
    }

    /** Adds factors' products with each other to a matrix, times a number: below the diagonal and on it. */
    static void addProducts(double[] factors, double times, double[] matrix) {
        int rank = factors.length;
        for (int i = 0; i < rank; i++) {
            double scaled = times * factors[i];
            int row = i * rank;
            for (int j = 0; j <= i; j++) {
                matrix[row + j] += scaled * factors[j];
            }
        }
    }

    /** Begins with the equations of another user. */
    void clear() {
        System.arraycopy(ofAll, 0, matrix, 0, matrix.length);
        Arrays.fill(right, 0);
        constant = 0;
        liked = 0;
    }

    /**
     * Adds a rated item. Returns the square of the length of its factors if the rating is above 0, and otherwise 0.
     *
     * @param rows the factors of the item are from {@code at} on
     * @param weight by how much the weight of the item is above 1
     * @param likes true if the rating is above 0
     */
    double add(float[] rows, int at, double weight, boolean likes) {
        double square = 0;
        for (int f = 0; f < rank; f++) {
            factors[f] = rows[at + f];
            square += factors[f] * factors[f];
        }
        addProducts(factors, weight, matrix);
        if (!likes) {
            return 0;
        }
        for (int f = 0; f < rank; f++) {
            right[f] += (1 + weight) * factors[f];
        }
        constant += 1 + weight;
        liked++;
        return square;
    }

    /**
     * Solves the equations. Returns the loss of the user: over all items, and of its regularization.
     *
     * @param strength of the regularization, for each rating above 0
     * @param into receives the factors from {@code at} on
     */
    double solve(double strength, float[] into, int at) {
        double sum = 0;
        for (int i = 0; i < rank; i++) {
            sum += matrix[i * rank + i];
        }
        double ridge = strength * liked + RIDGE * sum / rank;
        for (int i = 0; i < rank; i++) {
            matrix[i * rank + i] += ridge;
        }
        System.arraycopy(right, 0, factors, 0, rank);
        factor();
        substitute();
        double loss = constant;
        for (int f = 0; f < rank; f++) {
            loss -= right[f] * factors[f];
            into[at + f] = (float) factors[f];
        }
        return loss;
    }

    /** Cholesky's factorization, in place. */
    private void factor() {
        for (int i = 0; i < rank; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = matrix[i * rank + j];
                for (int m = 0; m < j; m++) {
                    sum -= matrix[i * rank + m] * matrix[j * rank + m];
                }
                double pivot = matrix[j * rank + j];
                matrix[i * rank + j] = i == j ? Math.sqrt(Math.max(sum, 0)) : pivot == 0 ? 0 : sum / pivot;
            }
        }
    }

    private void substitute() {
        for (int i = 0; i < rank; i++) {
            for (int j = 0; j < i; j++) {
                factors[i] -= matrix[i * rank + j] * factors[j];
            }
            divide(i);
        }
        for (int i = rank - 1; i >= 0; i--) {
            for (int j = i + 1; j < rank; j++) {
                factors[i] -= matrix[j * rank + i] * factors[j];
            }
            divide(i);
        }
    }

    /** A factor that no item has is 0. */
    private void divide(int i) {
        double pivot = matrix[i * rank + i];
        factors[i] = pivot == 0 ? 0 : factors[i] / pivot;
    }

    /** Returns the factors of the last solution; valid until the next call. */
    double[] solution() {
        return factors;
    }
}
