package io.psf.spark.ml;

import java.io.Serializable;

/** Scores batches of rows, in any process of the application. */
interface Margins extends Serializable {
    /**
     * Returns the margins of a batch's rows, [rows, outputs] float32. Blocks.
     *
     * @param needsAll true if a row with a key that has no weights has no margins: NaN
     */
    float[] margins(Batch batch, boolean needsAll);
}
