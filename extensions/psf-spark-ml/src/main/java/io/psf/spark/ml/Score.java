package io.psf.spark.ml;

import java.io.Serial;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/**
 * Adds the predictions to the rows of a partition.
 *
 * @param needsAll true if a row with a key that has no weights has no prediction: NaN
 * @param schema of the rows without the predictions
 * @param width the number of columns with the predictions
 * @param batchSize the rows whose weights are pulled together
 */
record Score(Margins weights, Input input, boolean needsAll, Output output, StructType schema, int width, int batchSize)
        implements MapPartitionsFunction<Row, Row> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        return new Scored(this, rows);
    }

    /**
     * Weights that Spark distributes.
     *
     * @param local the weights
     */
    record Everywhere(Broadcast<LocalWeights> local) implements Margins {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public float[] margins(Batch batch, boolean needsAll) {
            return local.value().margins(batch, needsAll);
        }

        @Override
        public float[] weightsOf(long[] keys) {
            return local.value().weightsOf(keys);
        }

        @Override
        public float[] bias() {
            return local.value().bias();
        }
    }

    private static final class Scored implements Iterator<Row> {
        private final Score score;
        private final Iterator<Row> rows;
        private final FeatureReader reader;
        private final BatchBuilder builder = new BatchBuilder();
        private final Rows features = new Rows();
        private final int keysAt;
        private final int valuesAt;
        private Iterator<Row> ready = Collections.emptyIterator();

        Scored(Score score, Iterator<Row> rows) {
            Input input = score.input;
            this.score = score;
            this.rows = rows;
            this.reader = new FeatureReader(input);
            this.keysAt = score.schema.fieldIndex(input.hasKeys() ? input.keys() : input.features());
            this.valuesAt = input.hasValues() ? score.schema.fieldIndex(input.values()) : -1;
        }

        @Override
        public boolean hasNext() {
            return ready.hasNext() || rows.hasNext();
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            if (!ready.hasNext()) {
                ready = batch().iterator();
            }
            return ready.next();
        }

        private List<Row> batch() {
            List<Row> some = new ArrayList<>(score.batchSize);
            features.clear();
            while (some.size() < score.batchSize && rows.hasNext()) {
                Row row = rows.next();
                reader.read(row, keysAt, valuesAt, features);
                features.endRow(0, 1);
                some.add(row);
            }
            float[] margins = score.weights.margins(builder.build(features), score.needsAll);
            int outputs = score.output.loss().outputs();
            for (int i = 0; i < some.size(); i++) {
                Row row = some.get(i);
                Object[] all = new Object[score.width];
                for (int column = 0; column < row.length(); column++) {
                    all[column] = row.get(column);
                }
                score.output.set(all, row.length(), margins, i * outputs);
                some.set(i, RowFactory.create(all));
            }
            return some;
        }
    }
}
