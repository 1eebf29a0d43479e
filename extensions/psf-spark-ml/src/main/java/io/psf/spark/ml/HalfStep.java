package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;

/**
 * Half an epoch of alternating least squares: computes the factors of the users of a partition from those of their
 * items, which it pulls, and sets them; or those of items. The pull of the next page is under way meanwhile.
 *
 * @param ofAll [rank, rank] float64, the sum of the products of the factors of each item
 * @param alpha what a rating of 1 adds to the weight of a pair, which is 1 without a rating
 * @param strength of the regularization
 * @param isRepeatable true if the pages are the same in each attempt
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record HalfStep(Table table, double[] ofAll, double alpha, double strength, boolean isRepeatable)
        implements FlatMapFunction<Iterator<RatingPage>, HalfStep.Solved> {
    @Serial
    private static final long serialVersionUID = 1;

    /**
     * The results of the tasks of half an epoch.
     *
     * @param ofAll [rank, rank] float64, the sum of the products of the factors that were set, below the diagonal and on
     *     it
     * @param measure the loss of these factors, and the number of ratings
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    @DefaultSerializer(JavaSerializer.class)
    record Solved(double[] ofAll, Measure measure) implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        Solved plus(Solved other) {
            double[] sum = ofAll.clone();
            Arrays.setAll(sum, i -> ofAll[i] + other.ofAll[i]);
            return new Solved(sum, measure.plus(other.measure));
        }
    }

    @Override
    public Iterator<Solved> call(Iterator<RatingPage> pages) {
        Pass pass = new Pass(this);
        Pulled next = pages.hasNext() ? new Pulled(table, pages.next()) : null;
        while (next != null) {
            Pulled page = next;
            next = pages.hasNext() ? new Pulled(table, pages.next()) : null;
            pass.solve(page);
        }
        return List.of(pass.end()).iterator();
    }

    /** A page with the factors of its other side, which are being pulled. */
    private static final class Pulled {
        private final RatingPage page;
        private final float[] rows;
        private final Pending<?> pull;

        Pulled(Table table, RatingPage page) {
            this.page = page;
            long[] keys = page.ratings().keys();
            rows = new float[keys.length * table.width()];
            pull = table.pull(PsSpark.client(), keys, rows);
        }
    }

    private static final class Pass {
        private final HalfStep step;
        private final ClusterCaller writes;
        private final int width;
        private final Equations equations;
        private final double[] sum;
        private @Nullable Long owner;
        /** The owners whose factors are known, and are not set yet. */
        private long[] solved = new long[64];

        private float[] rows;
        private int n;
        private long ratings;
        private double loss;

        Pass(HalfStep step) {
            PsClient client = PsSpark.client();
            TaskContext task = TaskContext.get();
            this.step = step;
            this.writes = step.isRepeatable ? client.repeatableTask(task) : client.task(task);
            this.width = step.table.width();
            this.equations = new Equations(width - 1, step.ofAll);
            this.sum = new double[step.ofAll.length];
            this.rows = new float[solved.length * width];
        }

        void solve(Pulled pulled) {
            pulled.pull.await();
            Batch batch = pulled.page.ratings();
            int entry = 0;
            for (int row = 0; row < batch.rows(); row++) {
                long next = pulled.page.owners()[row];
                if (owner == null || owner != next) {
                    endOwner();
                    owner = next;
                }
                for (; entry < batch.ends()[row]; entry++) {
                    float rating = batch.values() == null ? 1 : batch.values()[entry];
                    int at = batch.slots()[entry] * width + 1;
                    double square = equations.add(pulled.rows, at, step.alpha * Math.abs(rating), rating > 0);
                    loss += step.strength * square;
                }
            }
            ratings += entry;
            set();
        }

        Solved end() {
            endOwner();
            set();
            return new Solved(sum, new Measure(ratings, ratings, loss, null));
        }

        private void endOwner() {
            if (owner == null) {
                return;
            }
            if (n == solved.length) {
                solved = Arrays.copyOf(solved, 2 * n);
                rows = Arrays.copyOf(rows, 2 * n * width);
            }
            loss += equations.solve(step.strength, rows, n * width + 1);
            Equations.addProducts(equations.solution(), 1, sum);
            solved[n++] = owner;
            equations.clear();
        }

        private void set() {
            if (n > 0) {
                step.table.set(writes, Arrays.copyOf(solved, n), rows);
                n = 0;
            }
        }
    }
}
