package io.psf.spark.ml;

/** The losses of labels of 0 or 1. */
enum BinaryLoss implements ScalarLoss, ClassLoss {
    /** The margin is a logit. */
    LOGISTIC {
        @Override
        public double loss(double margin, float label) {
            double toward = label > 0 ? margin : -margin;
            return toward > 0 ? Math.log1p(Math.exp(-toward)) : Math.log1p(Math.exp(toward)) - toward;
        }

        @Override
        public double gradient(double margin, float label) {
            return probability(margin) - label;
        }

        @Override
        public double predict(float[] margins, int at, double threshold) {
            return probability(margins[at]) > threshold ? 1 : 0;
        }
    },

    /** The margin of a linear support vector machine, which has no probabilities. */
    HINGE {
        @Override
        public double loss(double margin, float label) {
            return Math.max(0, 1 - (label > 0 ? margin : -margin));
        }

        @Override
        public double gradient(double margin, float label) {
            double sign = label > 0 ? 1 : -1;
            return sign * margin < 1 ? -sign : 0;
        }

        @Override
        public double predict(float[] margins, int at, double threshold) {
            return margins[at] > 0 ? 1 : 0;
        }
    };

    @Override
    public LabelKind labels() {
        return LabelKind.BINARY;
    }

    @Override
    public double[] raw(float[] margins, int at) {
        return new double[] {-margins[at], margins[at]};
    }

    @Override
    public double[] probabilities(float[] margins, int at) {
        double one = probability(margins[at]);
        return new double[] {1 - one, one};
    }

    private static double probability(double margin) {
        return 1 / (1 + Math.exp(-margin));
    }
}
