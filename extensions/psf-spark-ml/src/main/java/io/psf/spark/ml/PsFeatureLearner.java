package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** An estimator of rows with features. */
abstract class PsFeatureLearner<E extends PsFeatureLearner<E, M>, M extends PsFeatureScorer<M>>
        extends PsLabelLearner<E, M> implements PsFeatureParams<E> {
    @Serial
    private static final long serialVersionUID = 1;

    PsFeatureLearner(String uid) {
        super(uid);
    }

    /** Sets the number of features: keys are from 0 to it. By default any keys, or the size of the vectors. */
    public E setNumFeatures(long number) {
        return with(numFeatures(), number);
    }

    @Override
    Input input(Dataset<Row> rows) {
        return scoring().input().sized(rows);
    }

    @Override
    void checkFeatures(StructType schema) {
        scoring().input().check(schema);
    }

    @Override
    void setSize(M model, long numFeatures) {
        model.set(model.numFeatures(), numFeatures);
    }
}
