package io.psf.examples.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts rows of the table to examples. Every column is a categorical field, whose values have separate keys. Numeric
 * columns are divided into buckets with about equal numbers of rows. Numeric columns are also inputs of the deep part,
 * standardised. Everything is learned from the training part only. Immutable.
 */
final class Features {
    private static final List<String> CATEGORIES =
            List.of("job", "marital", "education", "default", "housing", "loan", "contact", "month", "poutcome");
    private static final List<String> NUMBERS =
            List.of("age", "balance", "day", "campaign", "pdays", "previous", "duration");
    private static final String LABEL = "y";
    private static final int BUCKETS = 32;

    private final List<Category> categories;
    private final List<Numeric> numerics;
    private final long keys;

    private Features(List<Category> categories, List<Numeric> numerics, long keys) {
        this.categories = categories;
        this.numerics = numerics;
        this.keys = keys;
    }

    /**
     * Learns the vocabularies, buckets and scales.
     *
     * @param training the training part
     * @param realistic true to omit the duration of the call, which is known only after the call
     */
    static Features of(BankTable training, boolean realistic) {
        List<Category> categories = new ArrayList<>();
        List<Numeric> numerics = new ArrayList<>();
        long keys = 0;
        for (String name : CATEGORIES) {
            Category category = Category.of(name, training.column(name), keys);
            categories.add(category);
            keys += category.size();
        }
        for (String name : NUMBERS) {
            if (!(realistic && name.equals("duration"))) {
                Numeric numeric = Numeric.of(name, training.numbers(name), keys);
                numerics.add(numeric);
                keys += numeric.size();
            }
        }
        return new Features(categories, numerics, keys);
    }

    /** Returns the number of keys of all fields, which is the number of rows of the parameter tables. */
    long keys() {
        return keys;
    }

    /** Converts rows to examples. */
    Examples examples(BankTable table) {
        int n = table.rows().size();
        int fields = categories.size() + numerics.size();
        long[] ids = new long[n * fields];
        float[] numbers = new float[n * numerics.size()];
        float[] labels = new float[n];
        for (int f = 0; f < categories.size(); f++) {
            Category category = categories.get(f);
            String[] column = table.column(category.name());
            for (int i = 0; i < n; i++) {
                ids[i * fields + f] = category.key(column[i]);
            }
        }
        for (int f = 0; f < numerics.size(); f++) {
            Numeric numeric = numerics.get(f);
            float[] column = table.numbers(numeric.name());
            for (int i = 0; i < n; i++) {
                ids[i * fields + categories.size() + f] = numeric.key(column[i]);
                numbers[i * numerics.size() + f] = numeric.standardised(column[i]);
            }
        }
        String[] column = table.column(LABEL);
        for (int i = 0; i < n; i++) {
            labels[i] = column[i].equals("yes") ? 1 : 0;
        }
        return new Examples(fields, numerics.size(), ids, numbers, labels);
    }

    /** A column of words. The first key is for words that are not in the training part. */
    private record Category(String name, Map<String, Integer> words, long firstKey) {
        static Category of(String name, String[] column, long firstKey) {
            Map<String, Integer> words = new HashMap<>();
            Arrays.stream(column).distinct().sorted().forEach(word -> words.put(word, words.size() + 1));
            return new Category(name, words, firstKey);
        }

        int size() {
            return words.size() + 1;
        }

        long key(String word) {
            return firstKey + words.getOrDefault(word, 0);
        }
    }

    /** A column of numbers. Bucket b has the values from {@code bounds[b - 1]} to {@code bounds[b]}, exclusive. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Numeric(String name, float[] bounds, double mean, double deviation, long firstKey) {
        static Numeric of(String name, float[] column, long firstKey) {
            float[] sorted = column.clone();
            Arrays.sort(sorted);
            float[] bounds = new float[BUCKETS - 1];
            int n = 0;
            for (int b = 1; b < BUCKETS; b++) {
                float bound = sorted[(int) ((long) sorted.length * b / BUCKETS)];
                if (bound > (n == 0 ? sorted[0] : bounds[n - 1])) {
                    bounds[n++] = bound;
                }
            }
            double sum = 0;
            double squares = 0;
            for (float value : column) {
                double x = compressed(value);
                sum += x;
                squares += x * x;
            }
            double mean = sum / column.length;
            double deviation = Math.sqrt(Math.max(squares / column.length - mean * mean, 1e-12));
            return new Numeric(name, Arrays.copyOf(bounds, n), mean, deviation, firstKey);
        }

        int size() {
            return bounds.length + 1;
        }

        long key(float value) {
            int at = Arrays.binarySearch(bounds, value);
            return firstKey + (at >= 0 ? at + 1 : -at - 1);
        }

        float standardised(float value) {
            return (float) ((compressed(value) - mean) / deviation);
        }

        /**
         * Compresses a value. Amounts and durations have long tails on both sides of zero; their logarithm does not.
         */
        private static double compressed(float value) {
            return Math.signum(value) * Math.log1p(Math.abs(value));
        }
    }
}
