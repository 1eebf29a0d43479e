package io.psf.spark.ml;

/** The losses of labels that are numbers. */
enum NumberLoss implements ScalarLoss {
    /** The margin is the prediction. */
    SQUARED {
        @Override
        public double loss(double margin, float label) {
            return (margin - label) * (margin - label) / 2;
        }

        @Override
        public double gradient(double margin, float label) {
            return margin - label;
        }
    },

    /** The margin is the logarithm of the expected count. The loss is that of Poisson's distribution, less a constant. */
    POISSON {
        @Override
        public double loss(double margin, float label) {
            return Math.exp(margin) - label * margin;
        }

        @Override
        public double gradient(double margin, float label) {
            return Math.exp(margin) - label;
        }

        @Override
        public double predict(float[] margins, int at, double threshold) {
            return Math.exp(margins[at]);
        }

        @Override
        public LabelKind labels() {
            return LabelKind.COUNTS;
        }
    };

    @Override
    public double predict(float[] margins, int at, double threshold) {
        return margins[at];
    }

    @Override
    public LabelKind labels() {
        return LabelKind.NUMBERS;
    }
}
