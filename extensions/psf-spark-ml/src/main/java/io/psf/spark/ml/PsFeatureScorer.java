package io.psf.spark.ml;

import java.io.Serial;

/** A model of rows with features. */
abstract class PsFeatureScorer<M extends PsFeatureScorer<M>> extends PsScorer<M> implements PsFeatureParams<M> {
    @Serial
    private static final long serialVersionUID = 1;

    PsFeatureScorer(String uid, Weights weights) {
        super(uid, weights);
    }

    @Override
    Input input() {
        return scoring().input();
    }
}
