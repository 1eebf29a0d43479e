package io.psf.spark.ml;

import io.psf.spark.PsSpark;
import java.io.Serial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of words. The vectors of {@link PsWord2Vec#fit} stay on the servers. The servers compute similarities,
 * and tasks fetch the vectors that they need; {@link #release} frees them. A model that was loaded or {@link #exported}
 * has them in the driver and sends them to each executor.
 */
public final class PsWord2VecModel extends Model<PsWord2VecModel>
        implements PsWord2VecParams<PsWord2VecModel>, MLWritable {
    @Serial
    private static final long serialVersionUID = 1;

    /** The words whose vectors a task fetches by one call. */
    private static final int PAGE = 4096;

    private final String uid;
    private final Declared declared;
    private final WordVectors vectors;
    /** The vectors as the tasks receive them; null until a task needs them. */
    private transient @Nullable Broadcast<WordVectors> sent;

    PsWord2VecModel(String uid, WordVectors vectors) {
        this.uid = uid;
        this.declared = new Declared(uid);
        this.vectors = vectors;
        setDefault(outputCol(), uid + "__output");
    }

    /** Returns a reader of models that were saved. */
    public static MLReader<PsWord2VecModel> read() {
        return new Word2VecFiles.Reader();
    }

    /** Loads a model. Needs no cluster. */
    public static PsWord2VecModel load(String path) {
        return read().load(path);
    }

    @Override
    public String uid() {
        return uid;
    }

    @Override
    public Declared declared() {
        return declared;
    }

    /** Returns the number of words. */
    public int words() {
        return vectors.words().size();
    }

    /** Returns the vectors of all words: columns {@code word} and {@code vector}. Tasks fetch them from the servers. */
    public Dataset<Row> getVectors() {
        StructType schema = new StructType().add("word", DataTypes.StringType).add("vector", SQLDataTypes.VectorType());
        return rows(schema, (words, of, found) -> RowFactory.create(words.word(of), vector(found)));
    }

    private static Vector vector(float[] values) {
        double[] wide = new double[values.length];
        for (int d = 0; d < wide.length; d++) {
            wide[d] = values[d];
        }
        return Vectors.dense(wide);
    }

    /** Makes a row of a word and its vector. */
    interface RowOfWord extends java.io.Serializable {
        Row row(Vocabulary words, int word, float[] vector);
    }

    /** Returns a row for each word. */
    Dataset<Row> rows(StructType schema, RowOfWord maker) {
        SparkSession spark = SparkSession.active();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        Broadcast<WordVectors> all = sent(spark);
        int words = words();
        List<Integer> pages = new ArrayList<>();
        for (int first = 0; first < words; first += PAGE) {
            pages.add(first);
        }
        JavaRDD<Row> rows = context.parallelize(pages, Math.min(pages.size(), context.defaultParallelism()))
                .flatMap(first -> page(all.value(), first, Math.min(PAGE, words - first), maker)
                        .iterator());
        return spark.createDataFrame(rows, schema);
    }

    private static List<Row> page(WordVectors all, int first, int n, RowOfWord maker) {
        int[] page = new int[n];
        Arrays.setAll(page, i -> first + i);
        float[] found = all.source().vectors(page);
        int size = all.source().size();
        List<Row> rows = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            rows.add(maker.row(all.words(), first + i, Arrays.copyOfRange(found, i * size, (i + 1) * size)));
        }
        return rows;
    }

    /**
     * Returns the words whose vectors are nearest to the vector of a word, without the word: columns {@code word} and
     * {@code similarity}, the cosine of the angle. The nearest word comes first.
     *
     * @throws IllegalArgumentException if the word is not in the vocabulary
     */
    public Dataset<Row> findSynonyms(String word, int n) {
        float[] vector = vectors.find(word);
        if (vector == null) {
            throw new IllegalArgumentException(
                    "word: \"" + word + "\" (expected: one of the " + words() + " words of the model)");
        }
        return nearest(vector, n, vectors.words().find(word));
    }

    /** Returns the words whose vectors are nearest to a vector, as {@link #findSynonyms(String, int)} does. */
    public Dataset<Row> findSynonyms(Vector vector, int n) {
        if (vector.size() != vectors.source().size()) {
            throw new IllegalArgumentException("dimensions of the vector: " + vector.size() + " (expected: "
                    + vectors.source().size() + ")");
        }
        float[] values = new float[vector.size()];
        for (int d = 0; d < values.length; d++) {
            values[d] = (float) vector.apply(d);
        }
        return nearest(values, n, -1);
    }

    private Dataset<Row> nearest(float[] vector, int n, int except) {
        if (n < 1) {
            throw new IllegalArgumentException("number of synonyms: " + n + " (expected: >= 1)");
        }
        StructType schema = new StructType().add("word", DataTypes.StringType).add("similarity", DataTypes.DoubleType);
        return SparkSession.active().createDataFrame(vectors.nearest(vector, n, except), schema);
    }

    /**
     * Adds the mean of the vectors of the words of each sentence, as Spark's {@code Word2Vec} does: the sum, divided by
     * the number of all words of the sentence. A sentence without a known word yields zeros; null yields null.
     */
    @Override
    public Dataset<Row> transform(Dataset<?> dataset) {
        StructType schema = transformSchema(dataset.schema());
        Broadcast<WordVectors> all = sent(dataset.sparkSession());
        int column = dataset.schema().fieldIndex(getInputCol());
        MapPartitionsFunction<Row, Row> means = rows -> all.value().means(rows, column);
        return dataset.toDF().mapPartitions(means, Encoders.row(schema));
    }

    private synchronized Broadcast<WordVectors> sent(SparkSession spark) {
        Broadcast<WordVectors> known = sent;
        if (known == null) {
            known = new JavaSparkContext(spark.sparkContext()).broadcast(vectors);
            sent = known;
        }
        return known;
    }

    /**
     * Returns a model with a copy of the vectors in the driver, which needs no servers.
     *
     * @throws IllegalArgumentException if the vectors do not fit into one array of Java
     */
    public PsWord2VecModel exported() {
        int size = vectors.source().size();
        WordVectors copy = new WordVectors(vectors.words(), new LocalVectors(size, allVectors(words(), size)));
        return copyValues(new PsWord2VecModel(uid, copy), ParamMap.empty()).setParent(parent());
    }

    private float[] allVectors(int words, int size) {
        float[] all = LocalVectors.allocate(words, size);
        for (int first = 0; first < words; first += PAGE) {
            int[] page = new int[Math.min(PAGE, words - first)];
            int begin = first;
            Arrays.setAll(page, i -> begin + i);
            float[] found = vectors.source().vectors(page);
            System.arraycopy(found, 0, all, first * size, found.length);
        }
        return all;
    }

    /**
     * Frees the vectors on the servers, and what the executors have of the model. The model cannot be used any more.
     */
    public synchronized void release() {
        Broadcast<WordVectors> known = sent;
        if (known != null) {
            known.destroy();
            sent = null;
        }
        if (vectors.source() instanceof ServerVectors servers) {
            servers.table().clear(PsSpark.client());
        }
    }

    @Override
    public StructType transformSchema(StructType schema) {
        return Columns.transform(this, schema);
    }

    @Override
    public PsWord2VecModel copy(ParamMap extra) {
        return copyValues(new PsWord2VecModel(uid, vectors), extra).setParent(parent());
    }

    /** Returns a writer: the vectors as Parquet, and the parameters. */
    @Override
    public MLWriter write() {
        return new Word2VecFiles.Writer(this);
    }
}
