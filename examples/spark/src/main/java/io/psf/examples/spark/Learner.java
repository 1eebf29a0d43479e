package io.psf.examples.spark;

import static org.apache.spark.ml.functions.vector_to_array;
import static org.apache.spark.sql.functions.col;

import io.psf.spark.ml.PsLogisticRegression;
import io.psf.spark.ml.PsLogisticRegressionModel;
import java.util.List;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A program for logistic regression, each with the same regularization. */
enum Learner {
    /** FTRL on the servers of psf; a pass is an epoch. */
    PSF {
        @Override
        Fits begin(Dataset<Row> rows, int width) {
            Dataset<Row> cached = rows.persist();
            Dataset<Row> training = cached.where("not isTest");
            Dataset<Row> test = cached.where("isTest");
            return passes -> {
                PsLogisticRegression estimator = new PsLogisticRegression()
                        .setKeysCol("keys")
                        .setNumFeatures(1L << width)
                        .setMaxIter(passes)
                        .setCheckpoints(false)
                        .setRegParam(BesideMllib.STRENGTH);
                long begin = System.nanoTime();
                PsLogisticRegressionModel model = estimator.fit(training);
                double seconds = seconds(begin);
                try {
                    return new Fit(passes, seconds, score(model.transform(test)));
                } finally {
                    model.release();
                }
            };
        }
    },
    /** L-BFGS of Spark's MLlib; a pass is an iteration. */
    MLLIB {
        @Override
        Fits begin(Dataset<Row> rows, int width) {
            Dataset<Row> cached = LabelledRows.vectors(rows, 1 << width).persist();
            Dataset<Row> training = cached.where("not isTest");
            return passes -> {
                LogisticRegression estimator = new LogisticRegression()
                        .setStandardization(false)
                        .setMaxIter(passes)
                        .setRegParam(BesideMllib.STRENGTH);
                long begin = System.nanoTime();
                var model = estimator.fit(training);
                double seconds = seconds(begin);
                return new Fit(passes, seconds, score(model.transform(cached.where("isTest"))));
            };
        }
    },
    /** FTRL on one thread of the driver, with all rows in its memory. */
    ONE_THREAD {
        @Override
        Fits begin(Dataset<Row> rows, int width) {
            PlainRows training = PlainRows.of(rows.where("not isTest"));
            PlainRows test = PlainRows.of(rows.where("isTest"));
            return passes -> {
                long begin = System.nanoTime();
                PlainFtrl model = PlainFtrl.fit(training, 1 << width, passes, BesideMllib.STRENGTH);
                double seconds = seconds(begin);
                return new Fit(passes, seconds, Score.of(model.probabilities(test), test.labels()));
            };
        }
    };

    /** Returns the numbers of passes to compare. */
    List<Integer> passes() {
        return switch (this) {
            case PSF -> List.of(1, 2, 3, 5);
            case MLLIB -> List.of(2, 5, 10, 20);
            case ONE_THREAD -> List.of(1, 2, 3, 5);
        };
    }

    /** Loads rows with columns {@code keys} below 2 to the power of the width, {@code label} and {@code isTest}. */
    abstract Fits begin(Dataset<Row> rows, int width);

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Scores a frame with a column {@code label} and a model's column {@code probability}. */
    private static Score score(Dataset<Row> scored) {
        List<Row> rows = scored.select(
                        col("label"),
                        vector_to_array(col("probability"), "float64").getItem(1))
                .collectAsList();
        return Score.of(
                rows.stream().mapToDouble(row -> row.getDouble(1)).toArray(),
                rows.stream().mapToDouble(row -> row.getDouble(0)).toArray());
    }

    /** Fits on the rows that were loaded. */
    @FunctionalInterface
    interface Fits {
        /** Trains from the start, and scores the rows of the test. */
        Fit fit(int passes);
    }
}
