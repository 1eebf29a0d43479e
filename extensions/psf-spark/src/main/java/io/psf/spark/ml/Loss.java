package io.psf.spark.ml;

/** The loss of a margin. */
enum Loss {
    /** Labels are 0 or 1, and the margin is a logit. */
    LOGISTIC("logisticLoss") {
        @Override
        double loss(double margin, float label) {
            double toward = label > 0 ? margin : -margin;
            return toward > 0 ? Math.log1p(Math.exp(-toward)) : Math.log1p(Math.exp(toward)) - toward;
        }

        @Override
        double gradient(double margin, float label) {
            return probability(margin) - label;
        }
    },

    /** The margin is the prediction. */
    SQUARED("squaredError") {
        @Override
        double loss(double margin, float label) {
            return (margin - label) * (margin - label) / 2;
        }

        @Override
        double gradient(double margin, float label) {
            return margin - label;
        }
    };

    private final String text;

    Loss(String text) {
        this.text = text;
    }

    static Loss of(String text) {
        return text.equals(LOGISTIC.text) ? LOGISTIC : SQUARED;
    }

    /** Returns the name as a param's value. */
    String text() {
        return text;
    }

    abstract double loss(double margin, float label);

    abstract double gradient(double margin, float label);

    static double probability(double margin) {
        return 1 / (1 + Math.exp(-margin));
    }
}
