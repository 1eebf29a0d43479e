package io.psf.spark.ml;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.collection.Seq;

/** The numbers of the known words of sentences, in pieces of a limited length. Not thread-safe. */
final class NumberedSentences implements Iterator<int[]> {
    private final Iterator<Row> rows;
    private final Vocabulary words;
    private final int most;
    private scala.collection.@Nullable Iterator<String> sentence;
    private int[] piece;
    private int n;

    NumberedSentences(Iterator<Row> rows, Vocabulary words, int most) {
        this.rows = rows;
        this.words = words;
        this.most = most;
        this.piece = new int[Math.min(most, 64)];
    }

    @Override
    public boolean hasNext() {
        while (n == 0) {
            scala.collection.Iterator<String> left = sentence;
            if (left != null && left.hasNext()) {
                read(left);
            } else if (rows.hasNext()) {
                Row row = rows.next();
                Seq<String> found = row.isNullAt(0) ? null : row.getSeq(0);
                sentence = found == null ? null : found.iterator();
            } else {
                return false;
            }
        }
        return true;
    }

    private void read(scala.collection.Iterator<String> left) {
        while (n < most && left.hasNext()) {
            String word = left.next();
            int number = word == null ? -1 : words.find(word);
            if (number >= 0) {
                if (n == piece.length) {
                    piece = Arrays.copyOf(piece, Math.min(most, 2 * n));
                }
                piece[n++] = number;
            }
        }
    }

    @Override
    public int[] next() {
        if (!hasNext()) {
            throw new NoSuchElementException("sentences: all have been read");
        }
        int[] found = Arrays.copyOf(piece, n);
        n = 0;
        return found;
    }
}
