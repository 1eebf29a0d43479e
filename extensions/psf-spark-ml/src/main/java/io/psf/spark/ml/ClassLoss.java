package io.psf.spark.ml;

/** A loss whose labels are classes. */
interface ClassLoss extends Loss {
    /** Returns a number for each class: the greatest is of the class that fits best. */
    double[] raw(float[] margins, int at);

    /** Returns the probability of each class. */
    double[] probabilities(float[] margins, int at);
}
