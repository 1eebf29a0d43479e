package io.psf.spark.ml;

/** The labels that the rows of a training may have. */
enum LabelKind {
    BINARY("0 or 1") {
        @Override
        boolean accepts(double label) {
            return label == 0 || label == 1;
        }
    },

    CLASSES("a whole number, 0 to 999") {
        @Override
        boolean accepts(double label) {
            return label >= 0 && label < 1000 && label == Math.rint(label);
        }
    },

    NUMBERS("a finite number") {
        @Override
        boolean accepts(double label) {
            return Float.isFinite((float) label);
        }
    },

    COUNTS("a finite number >= 0") {
        @Override
        boolean accepts(double label) {
            return label >= 0 && NUMBERS.accepts(label);
        }
    };

    private final String expected;

    LabelKind(String expected) {
        this.expected = expected;
    }

    /** True if a row may have the label. */
    abstract boolean accepts(double label);

    /** Returns what a message says of the labels. */
    String expected() {
        return expected;
    }
}
