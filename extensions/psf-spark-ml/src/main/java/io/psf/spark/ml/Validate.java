package io.psf.spark.ml;

import java.io.Serial;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;

/** Scores the batches of a partition. */
record Validate(TableWeights weights) implements FlatMapFunction<Iterator<Batch>, Measure> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public Iterator<Measure> call(Iterator<Batch> batches) {
        Loss of = weights.kernel().loss();
        int outputs = of.outputs();
        float[] gradient = new float[outputs];
        double[] labels = of instanceof BinaryLoss ? Measure.bins() : null;
        Measure all = Measure.NONE;
        while (batches.hasNext()) {
            Batch batch = batches.next();
            float[] margins = weights.margins(batch, false);
            double loss = 0;
            for (int i = 0; i < batch.rows(); i++) {
                float times = batch.importance()[i];
                loss += times * of.learn(margins, i * outputs, batch.labels()[i], gradient);
                if (labels != null) {
                    Measure.count(labels, margins[i], batch.labels()[i], times);
                }
            }
            all = all.plus(Measure.of(batch, loss));
        }
        return List.of(new Measure(all.rows(), all.importance(), all.loss(), labels))
                .iterator();
    }
}
