package io.psf.spark.ml;

import java.io.Serial;
import org.apache.spark.ml.classification.ClassificationModel;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.jspecify.annotations.Nullable;

/** A model of {@link PsVectorClassifier}, which has its weights itself. */
public final class PsVectorClassificationModel extends ClassificationModel<Vector, PsVectorClassificationModel>
        implements MLWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private @Nullable String uid;
    private final PsLinearScorer<?> model;
    private final Vector coefficients;
    private final double intercept;

    PsVectorClassificationModel(PsLinearScorer<?> model) {
        this.model = model;
        this.coefficients = model.coefficients();
        this.intercept = model.intercept();
    }

    /** Returns its id, of which a copy has another one. */
    @Override
    public String uid() {
        uid = PsVectorClassifier.uidOr(uid);
        return uid;
    }

    @Override
    public int numClasses() {
        return 2;
    }

    @Override
    public int numFeatures() {
        return coefficients.size();
    }

    /** Returns the weights of the features. */
    public Vector coefficients() {
        return coefficients;
    }

    /** Returns the weight that all rows have in common; 0 if there is none. */
    public double intercept() {
        return intercept;
    }

    @Override
    public Vector predictRaw(Vector features) {
        double margin = features.dot(coefficients) + intercept;
        return Vectors.dense(-margin, margin);
    }

    @Override
    public PsVectorClassificationModel copy(ParamMap extra) {
        PsVectorClassificationModel copy = copyValues(new PsVectorClassificationModel(model), extra);
        return hasParent() ? copy.setParent(parent()) : copy;
    }

    @Override
    public MLWriter write() {
        return new NestedFiles.Writer(this, model);
    }

    /** Returns a reader of models. */
    public static MLReader<PsVectorClassificationModel> read() {
        return new NestedFiles.Reader<>(
                PsVectorClassificationModel.class, PsLinearScorer.class, PsVectorClassificationModel::new);
    }

    /** Reads a model that was saved. */
    public static PsVectorClassificationModel load(String path) {
        return read().load(path);
    }
}
