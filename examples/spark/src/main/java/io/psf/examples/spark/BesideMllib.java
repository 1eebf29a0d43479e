package io.psf.examples.spark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Logistic regression by psf, by Spark's MLlib and on one thread, on the same rows: the time to the same area under the
 * ROC curve. Each program is alone in its application, with the rows in the form that it reads.
 */
final class BesideMllib {
    /** The strength of L2 for the mean loss. */
    static final double STRENGTH = 1e-4;

    private static final double ROUNDED = 1000;

    private BesideMllib() {}

    /**
     * Trains with more and more passes, each time from the start. A fit before these starts the code.
     *
     * @param width the power of 2 that is the number of features
     * @return the fits; fewer if the driver or an executor lacks memory
     */
    static List<Fit> run(DemoSpark spark, Learner learner, long rows, int width) {
        List<Fit> fits = new ArrayList<>();
        try {
            Learner.Fits loaded = learner.begin(LabelledRows.rows(spark, rows, 1L << width), width);
            spark.say(learner + ", 2^" + width + " features, to start: " + loaded.fit(1));
            for (int passes : learner.passes()) {
                fits.add(loaded.fit(passes));
                spark.say(learner + ", 2^" + width + " features, " + fits.get(fits.size() - 1));
            }
        } catch (Exception | OutOfMemoryError e) {
            spark.say(learner + ", 2^" + width + " features, fails: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString()));
        }
        return fits;
    }

    /** Prints the time of each program to the area that all of them reach. */
    static void compare(int width, Map<Learner, List<Fit>> fits) {
        double common = fits.values().stream()
                .filter(each -> !each.isEmpty())
                .mapToDouble(each -> each.stream()
                        .mapToDouble(fit -> fit.score().area())
                        .max()
                        .orElseThrow())
                .min()
                .orElse(0);
        double area = Math.floor(common * ROUNDED) / ROUNDED;
        fits.forEach((learner, each) -> System.out.printf(
                Locale.ROOT,
                "2^%d features, to AUC %.3f: %s %s%n",
                width,
                area,
                learner,
                each.stream()
                        .filter(fit -> fit.score().area() >= area)
                        .min(Comparator.comparingDouble(Fit::seconds))
                        .map(Fit::toString)
                        .orElse("fails")));
    }
}
