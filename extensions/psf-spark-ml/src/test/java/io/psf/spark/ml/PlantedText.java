package io.psf.spark.ml;

import io.psf.spark.LocalSpark;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Sentences of words of one group each, and of words of any group. Word {@code group * words + i} of a group has the
 * share of Zipf's law, or all have the same.
 *
 * @param groups the number of groups
 * @param words the number of words of a group
 * @param isZipf true if words of a group differ in their counts
 * @param others the share of words of any group
 */
record PlantedText(int groups, int words, boolean isZipf, double others) implements Serializable {
    static final StructType SCHEMA = new StructType().add("words", DataTypes.createArrayType(DataTypes.StringType));

    private static final int LENGTH = 20;
    private static final int NEAREST = 10;
    private static final int ASKED = 300;

    int vocabulary() {
        return groups * words;
    }

    /** Returns sentences of 20 words. */
    int[][] sentences(int n, long seed) {
        Random random = new Random(seed);
        double[] ends = new double[words];
        double end = 0;
        for (int i = 0; i < words; i++) {
            end += isZipf ? 1. / (i + 1) : 1;
            ends[i] = end;
        }
        int[][] sentences = new int[n][LENGTH];
        for (int[] sentence : sentences) {
            int group = random.nextInt(groups);
            for (int i = 0; i < LENGTH; i++) {
                int of = random.nextDouble() < others ? random.nextInt(groups) : group;
                int found = Arrays.binarySearch(ends, random.nextDouble() * end);
                sentence[i] = of * words + Math.min(words - 1, found < 0 ? -found - 1 : found);
            }
        }
        return sentences;
    }

    /** Returns sentences in the column {@code words}. */
    static Dataset<Row> frame(int[][] sentences) {
        return LocalSpark.get()
                .createDataFrame(Arrays.stream(sentences).map(PlantedText::row).toList(), SCHEMA);
    }

    static Row row(int[] sentence) {
        return RowFactory.create(
                (Object) IntStream.of(sentence).mapToObj(word -> "w" + word).toArray(String[]::new));
    }

    /** Returns the vectors of a model's column {@code word} and {@code vector}. A word without a vector has zeros. */
    float[][] vectors(Dataset<Row> found, int size) {
        float[][] vectors = new float[vocabulary()][size];
        for (Row row : found.collectAsList()) {
            double[] values = ((Vector) row.get(1)).toArray();
            float[] vector = vectors[Integer.parseInt(row.getString(0).substring(1))];
            for (int d = 0; d < size; d++) {
                vector[d] = (float) values[d];
            }
        }
        return vectors;
    }

    /** Returns the share of the 10 nearest words of some words that are of the same group. */
    double accuracy(float[][] vectors) {
        int same = 0;
        int asked = 0;
        for (int word = 0; word < vectors.length; word += Math.max(1, vectors.length / ASKED)) {
            double[] cosines = new double[vectors.length];
            for (int other = 0; other < vectors.length; other++) {
                cosines[other] = other == word ? -2 : cosine(vectors[word], vectors[other]);
            }
            int of = word / words;
            same += (int) IntStream.range(0, vectors.length)
                    .boxed()
                    .sorted((a, b) -> Double.compare(cosines[b], cosines[a]))
                    .limit(NEAREST)
                    .filter(other -> other / words == of)
                    .count();
            asked += NEAREST;
        }
        return same / (double) asked;
    }

    private static double cosine(float[] a, float[] b) {
        double product = 0;
        double squares = 0;
        double square = 0;
        for (int d = 0; d < a.length; d++) {
            product += a[d] * b[d];
            squares += a[d] * a[d];
            square += b[d] * b[d];
        }
        return squares == 0 || square == 0 ? -1 : product / Math.sqrt(squares * square);
    }
}
