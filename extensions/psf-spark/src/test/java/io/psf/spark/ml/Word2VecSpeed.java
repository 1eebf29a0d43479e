package io.psf.spark.ml;

import com.sun.management.OperatingSystemMXBean;
import io.psf.spark.PsfPlugin;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.feature.Word2Vec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Measures words per second of {@link PsWord2Vec} beside Spark's Word2Vec, on generated text of Zipf's law: {@code
 * vocabulary words [ps|mllib|both] [batchSize] [slices] [rounds]}.
 */
final class Word2VecSpeed {
    private static final int PARTS = 2;
    private static final int SENTENCE = 20;

    private Word2VecSpeed() {}

    /** Returns a text in which each word occurs once, and the others by Zipf's law. */
    static Dataset<Row> text(SparkSession spark, int vocabulary, int words) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        JavaRDD<Row> rows = context.parallelize(List.of(0, 1), PARTS).flatMap(part -> {
            double[] sums = new double[vocabulary];
            double sum = 0;
            for (int i = 0; i < vocabulary; i++) {
                sum += 1.0 / (i + 1);
                sums[i] = sum;
            }
            Random random = new Random(part);
            List<Row> found = new ArrayList<>();
            int once = part;
            for (int at = 0; at < words / PARTS; at += SENTENCE) {
                String[] sentence = new String[SENTENCE];
                for (int i = 0; i < SENTENCE; i++) {
                    int word = Arrays.binarySearch(sums, random.nextDouble() * sum);
                    word = word < 0 ? Math.min(-word - 1, vocabulary - 1) : word;
                    if (i < 4 && once < vocabulary) {
                        word = once;
                        once += PARTS;
                    }
                    sentence[i] = "w" + word;
                }
                found.add(RowFactory.create((Object) sentence));
            }
            return found.iterator();
        });
        Dataset<Row> text = spark.createDataFrame(
                        rows, new StructType().add("words", DataTypes.createArrayType(DataTypes.StringType)))
                .cache();
        System.out.println("sentences: " + text.count());
        return text;
    }

    public static void main(String[] args) throws Exception {
        int vocabulary = Integer.parseInt(args[0]);
        int words = Integer.parseInt(args[1]);
        String which = args.length > 2 ? args[2] : "both";
        int batch = args.length > 3 ? Integer.parseInt(args[3]) : 200;
        int slices = args.length > 4 ? Integer.parseInt(args[4]) : 0;
        int rounds = args.length > 5 ? Integer.parseInt(args[5]) : 1;
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .appName("speed")
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", 4)
                .config("spark.plugins", PsfPlugin.class.getName())
                .getOrCreate()) {
            spark.sparkContext().setLogLevel("WARN");
            Dataset<Row> text = text(spark, vocabulary, words);
            for (int round = 0; round < rounds; round++) {
                if (!which.equals("mllib")) {
                    long[] begin = begin();
                    PsWord2VecModel model = new PsWord2Vec()
                            .setInputCol("words")
                            .setOutputCol("vector")
                            .setVectorSize(100)
                            .setMinCount(1)
                            .setSubsampling(Double.parseDouble(System.getProperty("subsampling", "0")))
                            .setBatchSize(batch)
                            .setSlices(slices)
                            .fit(text);
                    print("PsWord2Vec batch " + batch + " slices " + slices, begin, words, model.words());
                    model.release();
                }
                if (!which.equals("ps")) {
                    long[] begin = begin();
                    var unused = new Word2Vec()
                            .setInputCol("words")
                            .setOutputCol("vector")
                            .setVectorSize(100)
                            .setMinCount(1)
                            .setMaxIter(1)
                            .setNumPartitions(PARTS)
                            .fit(text);
                    print("Word2Vec", begin, words, vocabulary);
                }
            }
        }
    }

    /** Prints words per second of the clock, and of the processors, which other processes may use, too. */
    private static void print(String name, long[] begin, int words, int vocabulary) {
        double seconds = (System.nanoTime() - begin[0]) / 1e9;
        double used = (processorTime() - begin[1]) / 1e9;
        System.out.printf(
                "%s: %d words, vocabulary %d, %.1f s, %.0f words/s; processors %.1f s, %.0f words/s%n",
                name, words, vocabulary, seconds, words / seconds, used, words / used);
    }

    private static long[] begin() {
        return new long[] {System.nanoTime(), processorTime()};
    }

    private static long processorTime() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
