package io.psf.spark.ml;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.spark.PsSpark;
import io.psf.spark.ml.functions.StartRowsPsf;
import java.io.Serial;
import java.io.Serializable;
import java.util.stream.LongStream;
import org.apache.spark.sql.SparkSession;

/**
 * Gives a table the weights of a model, with which a training begins, by tasks. A task that is run again sets the same
 * rows.
 *
 * @param kernel of the training, whose initial values the servers do not store
 */
record InitialWeights(Table table, Kernel kernel, Fitting.Rules rules) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** Sets the weights and the bias. Blocks. */
    void set(SparkSession spark, Weights of) {
        WeightFrames.pages(of.frame(spark), kernel).foreach(this::set);
        setBias(of.bias());
    }

    /** Sets what all rows have in common. Blocks. */
    void setBias(float[] bias) {
        set(table.bias(), rules.bias(), LongStream.range(0, bias.length).toArray(), bias, bias);
    }

    private void set(WeightFrames.Page page) {
        float[] stored = page.weights().clone();
        float[] first = new float[stored.length];
        kernel.complete(page.keys(), page.keys().length, first, false);
        for (int i = 0; i < stored.length; i++) {
            stored[i] -= first[i];
        }
        set(table.rows(), rules.rows(), page.keys(), page.weights(), stored);
    }

    private static void set(TensorId tensor, Rule rule, long[] keys, float[] weights, float[] stored) {
        var unused = StartRowsPsf.stub(PsSpark.client())
                .call(
                        tensor,
                        rule.state(),
                        LongArray.wrap(keys),
                        FloatArray.wrap(stored),
                        FloatArray.wrap(rule.states(weights)))
                .await();
    }
}
