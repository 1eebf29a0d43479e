package io.psf.spark.ml;

import java.io.Serializable;

/** The weights of a model, which score a batch of rows. */
interface Weights extends Serializable {
    /** Returns the margins of a batch's rows. Blocks. */
    float[] margins(Batch batch);
}
