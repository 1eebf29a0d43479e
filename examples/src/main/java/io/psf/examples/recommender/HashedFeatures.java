package io.psf.examples.recommender;

import io.psf.examples.demo.BankTable;
import io.psf.examples.demo.Examples;
import java.util.List;

/**
 * Converts rows of the table to examples. The key of a cell is a hash of its column and its value, so that no
 * vocabulary is needed, and a value that has not been seen before has a key too. Numbers are rounded on a logarithmic
 * scale.
 */
final class HashedFeatures {
    private static final List<String> WORDS =
            List.of("job", "marital", "education", "default", "housing", "loan", "contact", "month", "poutcome");
    private static final List<String> NUMBERS =
            List.of("age", "balance", "day", "campaign", "pdays", "previous", "duration");
    /** The number of different keys for numbers whose ratio is e. */
    private static final int STEPS = 6;

    /** The number of keys of an example. */
    static final int FIELDS = WORDS.size() + NUMBERS.size();

    /** The number of numeric features of an example. */
    static final int NUMERICS = NUMBERS.size();

    private HashedFeatures() {}

    static Examples examples(BankTable table) {
        int n = table.rows().size();
        long[] keys = new long[n * FIELDS];
        float[] numbers = new float[n * NUMERICS];
        float[] labels = new float[n];
        for (int f = 0; f < WORDS.size(); f++) {
            String[] column = table.column(WORDS.get(f));
            for (int i = 0; i < n; i++) {
                keys[i * FIELDS + f] = key(WORDS.get(f) + "=" + column[i]);
            }
        }
        for (int f = 0; f < NUMERICS; f++) {
            String name = NUMBERS.get(f);
            float[] column = table.numbers(name);
            for (int i = 0; i < n; i++) {
                double scaled = Math.signum(column[i]) * Math.log1p(Math.abs(column[i]));
                keys[i * FIELDS + WORDS.size() + f] = key(name + "=" + Math.round(STEPS * scaled));
                numbers[i * NUMERICS + f] = (float) scaled / 4;
            }
        }
        String[] column = table.column("y");
        for (int i = 0; i < n; i++) {
            labels[i] = column[i].equals("yes") ? 1 : 0;
        }
        return new Examples(FIELDS, NUMERICS, keys, numbers, labels);
    }

    /** Returns the 64-bit FNV-1a hash of a text (G. Fowler, L. C. Noll, K.-P. Vo). */
    static long key(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
