package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * The words of a model, in an order that is unrelated to their counts: each server has as many frequent words as
 * another. One text has all of them, so that a million words are a few objects to send. Immutable and thread-safe.
 */
final class Vocabulary implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String text;
    /** The begin of each word in the text, and the end of the last. */
    private final int[] begins;

    private final long[] counts;
    private transient volatile int @Nullable [] table;

    private Vocabulary(String text, int[] begins, long[] counts) {
        this.text = text;
        this.begins = begins;
        this.counts = counts;
    }

    /** Makes a vocabulary of rows of a word and its count, whose order does not matter. */
    static Vocabulary of(List<Row> found) {
        Row[] rows = found.toArray(new Row[0]);
        Arrays.sort(
                rows,
                Comparator.comparingLong((Row row) -> Mix.hash(row.getString(0).hashCode()))
                        .thenComparing(row -> row.getString(0)));
        StringBuilder text = new StringBuilder();
        int[] begins = new int[rows.length + 1];
        long[] counts = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            text.append(rows[i].getString(0));
            begins[i + 1] = text.length();
            counts[i] = rows[i].getLong(1);
        }
        return new Vocabulary(text.toString(), begins, counts);
    }

    int size() {
        return counts.length;
    }

    long count(int word) {
        return counts[word];
    }

    /** Returns the number of occurrences of all words. */
    long total() {
        return Arrays.stream(counts).sum();
    }

    String word(int word) {
        return text.substring(begins[word], begins[word + 1]);
    }

    /** Returns the number of a word, or -1. */
    int find(String word) {
        int[] known = table();
        int mask = known.length - 1;
        for (int at = slot(word.hashCode(), mask); known[at] != 0; at = at + 1 & mask) {
            int found = known[at] - 1;
            int length = begins[found + 1] - begins[found];
            if (length == word.length() && text.startsWith(word, begins[found])) {
                return found;
            }
        }
        return -1;
    }

    private int[] table() {
        int[] known = table;
        return known != null ? known : makeTable();
    }

    /** Makes the hash table in the process that uses it: one more than the number of a word, 0 for an empty place. */
    private synchronized int[] makeTable() {
        int[] known = table;
        if (known == null) {
            int mask = Integer.highestOneBit(Math.max(8, size())) * 4 - 1;
            known = new int[mask + 1];
            for (int word = 0; word < size(); word++) {
                int at = slot(word(word).hashCode(), mask);
                while (known[at] != 0) {
                    at = at + 1 & mask;
                }
                known[at] = word + 1;
            }
            table = known;
        }
        return known;
    }

    private static int slot(int hash, int mask) {
        int mixed = hash * 0x9E3779B9;
        return (mixed ^ mixed >>> 15) & mask;
    }
}
