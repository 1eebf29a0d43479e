package io.psf.spark.ml;

import java.io.Serializable;

/** The vectors of the words of a model. Thread-safe. */
interface VectorSource extends Serializable {
    /** Returns the dimensions of a vector. */
    int size();

    /**
     * Returns the vectors of words, [of, size] float32, owned by the caller.
     *
     * @param of the words
     */
    float[] vectors(int[] of);

    /**
     * Returns the cosine of the angle between a vector and the vector of each word, [words]; 0 for a vector of zeros.
     */
    float[] similarities(float[] vector);
}
