package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.param.Param;

/** An estimator of rows with a column of the label. */
abstract class PsLabelLearner<E extends PsLabelLearner<E, M>, M extends PsScorer<M>> extends PsLearner<E, M> {
    @Serial
    private static final long serialVersionUID = 1;

    private final Param<String> labelCol;

    PsLabelLearner(String uid) {
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

    @Override
    String label() {
        return getLabelCol();
    }
}
