package io.psf.spark.ml;

import io.psf.spark.PsfPlugin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.feature.Word2Vec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Measures time and quality of {@link PsWord2Vec} and of Spark's Word2Vec on the same planted text, one after the
 * other: {@code groups sentences others passes..}. A group has 50 words; a sentence 20 words, a share of them of any
 * group.
 */
final class Word2VecSpeed {
    private static final int PARTS = 2;
    private static final int SIZE = 100;

    private Word2VecSpeed() {}

    public static void main(String[] args) throws Exception {
        PlantedText text = new PlantedText(Integer.parseInt(args[0]), 50, true, Double.parseDouble(args[2]));
        int sentences = Integer.parseInt(args[1]);
        int[] passes =
                Arrays.stream(args, 3, args.length).mapToInt(Integer::parseInt).toArray();
        try (SparkSession spark = SparkSession.builder()
                .master("local[" + PARTS + "]")
                .appName("speed")
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", 4)
                .config("spark.plugins", PsfPlugin.class.getName())
                .getOrCreate()) {
            spark.sparkContext().setLogLevel("WARN");
            Dataset<Row> frame = frame(spark, text, sentences).cache();
            System.out.println("sentences: " + frame.count() + ", vocabulary: " + text.vocabulary());
            for (int n : passes) {
                PsWord2Vec psf =
                        new PsWord2Vec().setInputCol("words").setMinCount(1).setMaxIter(n);
                measure("PsWord2Vec", text, n, () -> {
                    PsWord2VecModel model = psf.fit(frame);
                    return new Fitted(model::getVectors, model::release);
                });
                Word2Vec mllib = new Word2Vec()
                        .setInputCol("words")
                        .setMinCount(1)
                        .setMaxIter(n)
                        .setNumPartitions(PARTS);
                measure("Word2Vec", text, n, () -> new Fitted(mllib.fit(frame)::getVectors, () -> {}));
            }
        }
    }

    /** Makes the sentences in the tasks, part by part. */
    private static Dataset<Row> frame(SparkSession spark, PlantedText text, int sentences) {
        List<Integer> parts = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            parts.add(part);
        }
        return spark.createDataFrame(
                new JavaSparkContext(spark.sparkContext())
                        .parallelize(parts, PARTS)
                        .flatMap(part -> Arrays.stream(text.sentences(sentences / PARTS, part))
                                .map(PlantedText::row)
                                .iterator()),
                PlantedText.SCHEMA);
    }

    private record Fitted(Supplier<Dataset<Row>> vectors, Runnable end) {}

    private static void measure(String name, PlantedText text, int passes, Supplier<Fitted> fit) {
        long begin = System.nanoTime();
        Fitted fitted = fit.get();
        double seconds = (System.nanoTime() - begin) / 1e9;
        double accuracy = text.accuracy(text.vectors(fitted.vectors().get(), SIZE));
        fitted.end().run();
        System.out.printf(
                Locale.ROOT,
                "%s: %d passes, %.1f s, %.3f of the nearest words are of the word's group%n",
                name,
                passes,
                seconds,
                accuracy);
    }
}
