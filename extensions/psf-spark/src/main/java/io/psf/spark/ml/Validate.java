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
        long[] labels = of == Loss.LOGISTIC ? Measure.bins() : null;
        double loss = 0;
        long rows = 0;
        while (batches.hasNext()) {
            Batch batch = batches.next();
            float[] margins = weights.margins(batch);
            for (int i = 0; i < margins.length; i++) {
                loss += of.loss(margins[i], batch.labels()[i]);
                if (labels != null) {
                    Measure.count(labels, margins[i], batch.labels()[i]);
                }
            }
            rows += margins.length;
        }
        return List.of(new Measure(rows, loss, labels)).iterator();
    }
}
