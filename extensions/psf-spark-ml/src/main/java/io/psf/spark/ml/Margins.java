package io.psf.spark.ml;

import java.io.Serializable;

/** The weights of a model in any process of the application: score batches of rows there. */
interface Margins extends Serializable {
    /**
     * Returns the margins of a batch's rows, [rows, outputs] float32. Blocks.
     *
     * @param needsAll true if a row with a key that has no weights has no margins: NaN
     */
    float[] margins(Batch batch, boolean needsAll);

    /**
     * Returns the weights of keys, [keys, width] float32, which are 0 of a key that the model does not have. Blocks.
     *
     * @param keys ascending
     */
    float[] weightsOf(long[] keys);

    /** Returns the weights that all rows have in common, [shared] float32. Blocks. */
    float[] bias();
}
