package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.apache.spark.ml.feature.Word2Vec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The quality of vectors after one pass, beside a plain skip-gram on one thread and Spark's Word2Vec. */
@Timeout(120)
class PsWord2VecQualityTest {
    private static double accuracy(PlantedText text, Dataset<Row> frame, int partitions) {
        PsWord2VecModel model = new PsWord2Vec()
                .setInputCol("words")
                .setNumPartitions(partitions)
                .setMinCount(1)
                .fit(frame);
        try {
            return text.accuracy(text.vectors(model.getVectors(), model.getVectorSize()));
        } finally {
            model.release();
        }
    }

    private static void print(String name, double accuracy) {
        System.out.printf(Locale.ROOT, "%s: %.3f of the nearest words are of the word's group%n", name, accuracy);
    }

    @Test
    void onePassIsWorthMoreThanThatOfAPlainSkipGram() {
        PlantedText text = new PlantedText(50, 20, false, 0);
        int[][] sentences = text.sentences(2300, 3);
        double plain = text.accuracy(PlainSkipGram.train(sentences, text.vocabulary()));
        print("a plain skip-gram", plain);
        for (int partitions : new int[] {1, 2}) {
            double found = accuracy(text, PlantedText.frame(sentences), partitions);
            print("PsWord2Vec, " + partitions + " partitions", found);
            assertThat(found).isGreaterThan(Math.max(plain, .9));
        }
    }

    /** Frequent words, which all tasks have in each batch, and a word in two of any group. */
    @Test
    @Tag("long")
    void onePassIsWorthThatOfOtherProgramsOnWordsOfUnequalCounts() {
        PlantedText text = new PlantedText(100, 50, true, .5);
        int[][] sentences = text.sentences(20_000, 3);
        Dataset<Row> frame = PlantedText.frame(sentences).repartition(2).cache();
        double plain = text.accuracy(PlainSkipGram.train(sentences, text.vocabulary()));
        print("a plain skip-gram", plain);
        double mllib = text.accuracy(text.vectors(
                new Word2Vec()
                        .setInputCol("words")
                        .setMinCount(1)
                        .setNumPartitions(2)
                        .fit(frame)
                        .getVectors(),
                100));
        print("MLlib's Word2Vec", mllib);
        for (int partitions : new int[] {2, 8}) {
            double found = accuracy(text, frame, partitions);
            print("PsWord2Vec, " + partitions + " partitions", found);
            assertThat(found).isGreaterThan(plain).isGreaterThan(.9 * mllib);
        }
    }
}
