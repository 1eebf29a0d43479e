package io.psf.spark.ml;

import io.psf.api.array.IntArray;
import java.util.Arrays;

/** Different words in the order of their first use, and the position of each. Not thread-safe. */
final class Positions {
    private static final int FEWEST = 1 << 10;

    private int[] words = new int[FEWEST];
    private int n;
    /**
     * By hash, one more than the position of a word, in the lower half; in the upper half the word. 0 for an empty
     * place.
     */
    private long[] table = new long[4 * FEWEST];

    /** Returns the position of a word, which is added if it is new. */
    int of(int word) {
        int mask = table.length - 1;
        int at = slot(word, mask);
        for (long entry = table[at]; entry != 0; entry = table[at]) {
            if ((int) (entry >>> 32) == word) {
                return (int) entry - 1;
            }
            at = at + 1 & mask;
        }
        if (n == words.length) {
            grow();
            return of(word);
        }
        words[n++] = word;
        table[at] = (long) word << 32 | n;
        return n - 1;
    }

    private static int slot(int word, int mask) {
        int mixed = word * 0x9E3779B9;
        return (mixed ^ mixed >>> 15) & mask;
    }

    private void grow() {
        words = Arrays.copyOf(words, 2 * n);
        table = new long[8 * n];
        int mask = table.length - 1;
        for (int i = 0; i < n; i++) {
            int at = slot(words[i], mask);
            while (table[at] != 0) {
                at = at + 1 & mask;
            }
            table[at] = (long) words[i] << 32 | i + 1;
        }
    }

    /** Returns a view of the words, [n] int32. */
    IntArray words() {
        return IntArray.wrap(words, 0, n);
    }

    /** Returns the word at a position. */
    int word(int position) {
        return words[position];
    }

    int count() {
        return n;
    }

    void clear() {
        n = 0;
        Arrays.fill(table, 0);
    }
}
