package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import io.psf.spark.rows.InternalRows;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * The rows of a data set, shuffled over all partitions, as batches. Which batch has a row is a function of the seed and
 * of the row's position in the input: a repeated task makes the same batches.
 *
 * @param input the features' columns
 * @param columns the other columns
 * @param wanted the number of partitions; 0 for the input's, at least one for each core
 * @param batchSize the most rows of a batch
 */
record TrainingRows(Input input, Labels columns, int wanted, int batchSize, long seed) {
    /** The fewest batches of an epoch for each task that runs at the same time: a batch is one step of the optimizer. */
    private static final double STEPS = 64;

    /**
     * The columns besides the features.
     *
     * @param role what messages call the label
     * @param label the label's column
     * @param weight the column that says how often a row counts; empty if each counts once
     * @param validation the column that is true for rows of validation; empty for none
     * @param kind which labels there may be
     */
    record Labels(String role, String label, String weight, String validation, LabelKind kind) implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;
    }

    /** Returns the rows of a frame, with the columns of a training. */
    JavaRDD<InternalRow> of(Dataset<?> data) {
        return InternalRows.of(input.select(data, columns.label(), columns.weight(), columns.validation()));
    }

    /** True if the batches of rows are the same each time they are made: chunks of the shuffle are sorted. */
    static boolean isRepeatable(JavaRDD<InternalRow> rows) {
        return DeterministicLevel.DETERMINATE().equals(rows.rdd().outputDeterministicLevel());
    }

    /** Returns the number of partitions of shuffled rows, which is 0 for the input's, at least one for each core. */
    static int partitions(JavaRDD<?> rows, int wanted) {
        return wanted > 0
                ? wanted
                : Math.max(rows.getNumPartitions(), rows.context().defaultParallelism());
    }

    /** Returns the batches, of training or of validation. */
    JavaRDD<TaggedBatch> batches(JavaRDD<InternalRow> rows) {
        int tasks = rows.context().defaultParallelism();
        int partitions = partitions(rows, wanted);
        int steps = (int) Math.ceil(STEPS * Math.min(1, (double) tasks / partitions));
        JavaRDD<Tuple2<Integer, Rows>> dealt =
                rows.mapPartitionsWithIndex(new Deal(input, columns, partitions, seed), false);
        return JavaPairRDD.fromJavaRDD(dealt)
                .partitionBy(new HashPartitioner(partitions))
                .values()
                .mapPartitionsWithIndex(new Gather(batchSize, steps, seed), true);
    }

    /**
     * A batch.
     *
     * @param isValidation true if it is for validation
     */
    @DefaultSerializer(JavaSerializer.class)
    record TaggedBatch(Batch batch, boolean isValidation) implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;
    }

    /** Reads the rows of a partition of the input, and deals them to all partitions. */
    private record Deal(Input input, Labels columns, int partitions, long seed)
            implements Function2<Integer, Iterator<InternalRow>, Iterator<Tuple2<Integer, Rows>>> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<Tuple2<Integer, Rows>> call(Integer source, Iterator<InternalRow> rows) {
            return new Dealer(this, source, rows);
        }

        /** Returns the label of a row. */
        float labelOf(InternalRow row) {
            double value = number(row, 0);
            if (!columns.kind().accepts(value)) {
                throw wrong(
                        row, 0, columns.role(), columns.label(), columns.kind().expected());
            }
            return (float) value;
        }

        /** Returns how often a row counts. */
        float importanceOf(InternalRow row) {
            float value = (float) number(row, 1);
            if (!(value >= 0 && Float.isFinite(value))) {
                throw wrong(row, 1, "weight", columns.weight(), "a finite number >= 0");
            }
            return value;
        }

        private static double number(InternalRow row, int at) {
            return row.isNullAt(at) ? Double.NaN : row.getDouble(at);
        }

        private static IllegalArgumentException wrong(
                InternalRow row, int at, String what, String column, String expected) {
            String value = row.isNullAt(at) ? "null" : "" + row.getDouble(at);
            return new IllegalArgumentException(
                    what + " column \"" + column + "\": " + value + " (expected: " + expected + ")");
        }
    }

    private static final class Dealer implements Iterator<Tuple2<Integer, Rows>> {
        /** The most entries of a chunk: as many partitions as there are have one of training and one of validation. */
        private static final int ENTRIES = 1 << 14;

        private final Deal deal;
        private final int source;
        private final Iterator<InternalRow> rows;
        private final FeatureReader reader;
        private final Rows one = new Rows();
        private final @Nullable Rows[] open;
        private int chunks;
        private int flushed;
        private long position;

        Dealer(Deal deal, int source, Iterator<InternalRow> rows) {
            this.deal = deal;
            this.source = source;
            this.rows = rows;
            this.reader = new FeatureReader(deal.input());
            this.open = new Rows[2 * deal.partitions()];
        }

        @Override
        public boolean hasNext() {
            while (!rows.hasNext() && flushed < open.length && open[flushed] == null) {
                flushed++;
            }
            return rows.hasNext() || flushed < open.length;
        }

        @Override
        public Tuple2<Integer, Rows> next() {
            while (rows.hasNext()) {
                int to = deal(rows.next());
                Rows chunk = open[to];
                if (chunk != null && chunk.entries() + chunk.rows() >= ENTRIES) {
                    open[to] = null;
                    return new Tuple2<>(to >>> 1, chunk);
                }
            }
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int to = flushed++;
            return new Tuple2<>(to >>> 1, java.util.Objects.requireNonNull(open[to]));
        }

        /** Returns the number of the chunk that has got the row. */
        private int deal(InternalRow row) {
            boolean isValidation = !row.isNullAt(2) && row.getBoolean(2);
            one.clear();
            reader.read(row, 3, one);
            one.endRow(deal.labelOf(row), deal.importanceOf(row));
            int target = Mix.below(deal.partitions(), Mix.hash(deal.seed() ^ source, position++));
            int to = 2 * target + (isValidation ? 1 : 0);
            Rows chunk = open[to];
            if (chunk == null) {
                chunk = new Rows(source, chunks++, isValidation);
                open[to] = chunk;
            }
            chunk.addLastOf(one);
            return to;
        }
    }

    /**
     * Shuffles the rows that a partition has been dealt, and makes batches of them.
     *
     * @param steps the fewest batches, if there are as many rows
     */
    private record Gather(int batchSize, int steps, long seed)
            implements Function2<Integer, Iterator<Rows>, Iterator<TaggedBatch>> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<TaggedBatch> call(Integer partition, Iterator<Rows> dealt) {
            List<Rows> training = new ArrayList<>();
            List<Rows> validation = new ArrayList<>();
            dealt.forEachRemaining(rows -> (rows.isValidation() ? validation : training).add(rows));
            Gathered first = new Gathered(training, this, Mix.hash(seed, partition));
            Gathered second = new Gathered(validation, this, Mix.hash(seed, partition));
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return first.hasNext() || second.hasNext();
                }

                @Override
                public TaggedBatch next() {
                    return first.hasNext()
                            ? new TaggedBatch(first.next(), false)
                            : new TaggedBatch(second.next(), true);
                }
            };
        }
    }

    private static final class Gathered implements Iterator<Batch> {
        private final Rows[] chunks;
        private final long[] order;
        private final int batchSize;
        private final BatchBuilder builder = new BatchBuilder();
        private int at;

        Gathered(List<Rows> rows, Gather how, long seed) {
            rows.sort(Comparator.comparingInt(Rows::source).thenComparingInt(Rows::sequence));
            this.chunks = rows.toArray(Rows[]::new);
            this.order = new long[rows.stream().mapToInt(Rows::rows).sum()];
            this.batchSize = Math.max(1, Math.min(how.batchSize(), order.length / how.steps()));
            int i = 0;
            for (int chunk = 0; chunk < chunks.length; chunk++) {
                for (int row = 0; row < chunks[chunk].rows(); row++) {
                    order[i++] = (long) chunk << 32 | row;
                }
            }
            Mix.shuffle(order, seed);
        }

        @Override
        public boolean hasNext() {
            return at < order.length;
        }

        @Override
        public Batch next() {
            int end = Math.min(order.length, at + batchSize);
            Batch batch = builder.build(chunks, order, at, end);
            at = end;
            return batch;
        }
    }
}
