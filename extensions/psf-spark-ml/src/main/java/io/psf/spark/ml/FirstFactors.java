package io.psf.spark.ml;

import io.psf.spark.PsSpark;
import java.io.Serial;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;

/**
 * Gives the items of a partition, which have no factors yet, random ones: functions of seed and item.
 *
 * @param kernel has the random factors
 */
record FirstFactors(Table table, FactorKernel kernel)
        implements FlatMapFunction<Iterator<RatingPage>, HalfStep.Solved> {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public Iterator<HalfStep.Solved> call(Iterator<RatingPage> pages) {
        int width = table.width();
        double[] sum = new double[(width - 1) * (width - 1)];
        double[] factors = new double[width - 1];
        long ratings = 0;
        boolean isFirst = true;
        long last = 0;
        while (pages.hasNext()) {
            RatingPage page = pages.next();
            long[] items = page.owners();
            float[] rows = new float[items.length * width];
            table.pull(PsSpark.client(), items, rows).await();
            float[] random = new float[rows.length];
            kernel.complete(items, items.length, random, false);
            for (int i = 0; i < items.length; i++) {
                int at = i * width;
                if (Fetched.isZero(rows, at, width)) {
                    System.arraycopy(random, at, rows, at, width);
                }
                for (int f = 1; f < width; f++) {
                    factors[f - 1] = rows[at + f];
                }
                boolean goesOn = i == 0 && !isFirst && items[0] == last;
                Equations.addProducts(factors, goesOn ? 0 : 1, sum);
            }
            table.set(PsSpark.client(), items, rows);
            last = items[items.length - 1];
            isFirst = false;
            ratings += page.ratings().slots().length;
        }
        return List.of(new HalfStep.Solved(sum, new Measure(ratings, ratings, 0, null)))
                .iterator();
    }
}
