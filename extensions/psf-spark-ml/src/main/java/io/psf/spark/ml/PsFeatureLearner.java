package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.Param;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** An estimator of rows with features and a label. */
abstract class PsFeatureLearner<E extends PsFeatureLearner<E, M>, M extends PsFeatureScorer<M>> extends PsLearner<E, M>
        implements PsFeatureParams<E> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> labelCol;

    PsFeatureLearner(String uid) {
        super(uid);
        labelCol = new Param<>(this, "labelCol", "column of the label");
        setDefault(labelCol, "label");
    }

    /** Returns the param of the column of the label. */
    public Param<String> labelCol() {
        return labelCol;
    }

    /** Returns the column of the label. */
    public String getLabelCol() {
        return getOrDefault(labelCol());
    }

    /** Sets the column of the label; {@code label} by default. */
    public E setLabelCol(String column) {
        return with(labelCol(), column);
    }

    /** Sets the number of features: keys are from 0 to it. By default any keys, or the size of the vectors. */
    public E setNumFeatures(long number) {
        return with(numFeatures(), number);
    }

    @Override
    String label() {
        return getLabelCol();
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
