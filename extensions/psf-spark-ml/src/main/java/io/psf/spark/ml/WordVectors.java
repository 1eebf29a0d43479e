package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import scala.collection.Seq;

/**
 * Words and their vectors.
 *
 * @param words the words
 * @param source the vectors
 */
@DefaultSerializer(JavaSerializer.class)
record WordVectors(Vocabulary words, VectorSource source) implements Serializable {
    /** The sentences whose words' vectors are fetched by one call. */
    private static final int SENTENCES = 256;

    /** Returns the vector of a word; null if the word is not known. */
    float @Nullable [] find(String word) {
        int number = words.find(word);
        return number < 0 ? null : source.vectors(new int[] {number});
    }

    /** Returns the rows with one more value, the mean vector of the words of a column. */
    Iterator<Row> means(Iterator<Row> rows, int column) {
        return new Iterator<>() {
            private Iterator<Row> ready = List.<Row>of().iterator();

            @Override
            public boolean hasNext() {
                return ready.hasNext() || rows.hasNext();
            }

            @Override
            public Row next() {
                if (!ready.hasNext()) {
                    List<Row> some = new ArrayList<>();
                    while (some.size() < SENTENCES && rows.hasNext()) {
                        some.add(rows.next());
                    }
                    ready = means(some, column).iterator();
                }
                return ready.next();
            }
        };
    }

    private List<Row> means(List<Row> rows, int column) {
        Positions used = new Positions();
        List<int[]> sentences = new ArrayList<>();
        for (Row row : rows) {
            sentences.add(row.isNullAt(column) ? new int[0] : positions(row.getSeq(column), used));
        }
        float[] vectors = source.vectors(used.words().toArray());
        List<Row> found = new ArrayList<>(rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            Object[] values = new Object[row.length() + 1];
            for (int at = 0; at < row.length(); at++) {
                values[at] = row.get(at);
            }
            values[row.length()] = row.isNullAt(column)
                    ? null
                    : mean(sentences.get(i), row.getSeq(column).size(), vectors);
            found.add(RowFactory.create(values));
        }
        return found;
    }

    private int[] positions(Seq<String> sentence, Positions used) {
        int[] positions = new int[sentence.size()];
        int n = 0;
        for (scala.collection.Iterator<String> each = sentence.iterator(); each.hasNext(); ) {
            String word = each.next();
            int number = word == null ? -1 : words.find(word);
            if (number >= 0) {
                positions[n++] = used.of(number);
            }
        }
        return java.util.Arrays.copyOf(positions, n);
    }

    /** Returns the sum of vectors, divided by the number of all words of the sentence, as Spark's Word2Vec does. */
    private Vector mean(int[] positions, int length, float[] vectors) {
        int size = source.size();
        double[] sum = new double[size];
        for (int position : positions) {
            for (int d = 0; d < size; d++) {
                sum[d] += vectors[position * size + d];
            }
        }
        for (int d = 0; d < size; d++) {
            sum[d] /= Math.max(1, length);
        }
        return Vectors.dense(sum);
    }

    /** Returns the words that are nearest to a vector, the nearest first, except one. */
    List<Row> nearest(float[] vector, int n, int except) {
        float[] similarities = source.similarities(vector);
        java.util.PriorityQueue<Integer> best =
                new java.util.PriorityQueue<>((a, b) -> similarities[a] != similarities[b]
                        ? Float.compare(similarities[a], similarities[b])
                        : Integer.compare(b, a));
        for (int word = 0; word < similarities.length; word++) {
            if (word != except && (best.size() < n || similarities[word] > similarities[best.element()])) {
                best.add(word);
                if (best.size() > n) {
                    best.remove();
                }
            }
        }
        List<Row> rows = new ArrayList<>();
        while (!best.isEmpty()) {
            int word = best.remove();
            rows.add(0, RowFactory.create(words.word(word), (double) similarities[word]));
        }
        return rows;
    }
}
