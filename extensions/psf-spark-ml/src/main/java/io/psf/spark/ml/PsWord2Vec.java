package io.psf.spark.ml;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;

import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.util.List;
import java.util.UUID;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;

/**
 * Learns vectors of words by skip-gram with negative sampling, on the servers of psf. Parameters are as in Spark's
 * {@code Word2Vec}. A task pulls the vectors of the words of a batch, trains its pairs one after the other, and pushes
 * the changes. The vocabulary may thus be as large as the memory of all servers, and tasks train at once without an
 * average of their models.
 *
 * <pre>{@code
 * PsWord2VecModel model = new PsWord2Vec()
 *         .setInputCol("words")
 *         .setOutputCol("vector")
 *         .setVectorSize(100)
 *         .setMinCount(5)
 *         .fit(sentences);
 * model.findSynonyms("spark", 10).show();
 * Dataset<Row> means = model.transform(sentences);
 * model.write().overwrite().save("word2vec");
 * model.release();
 * }</pre>
 *
 * <p>Vectors of the nodes of a graph are learned in the same way, as DeepWalk and node2vec do: a sentence is a random
 * walk, a word the name of a node, {@code minCount} 0 and {@code subsampling} 0.
 *
 * <p>A sentence that is null has no words. The application is a cluster: {@link PsSpark}.
 */
public final class PsWord2Vec extends Estimator<PsWord2VecModel>
        implements PsWord2VecParams<PsWord2Vec>, DefaultParamsWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Declared declared;

    /** Creates an estimator with the default parameters. */
    public PsWord2Vec() {
        this(Identifiable$.MODULE$.randomUID("psWord2Vec"));
    }

    /**
     * Creates an estimator with the default parameters.
     *
     * @param uid its name
     */
    @SuppressWarnings("this-escape") // the class is final, and Params of Spark set defaults by methods
    public PsWord2Vec(String uid) {
        this.uid = uid;
        this.declared = new Declared(uid);
        setDefault(outputCol(), uid + "__output");
        setDefault(vectorSize(), 100);
        setDefault(windowSize(), 5);
        setDefault(minCount(), 5);
        setDefault(maxIter(), 1);
        setDefault(stepSize(), 0.05);
        setDefault(maxSentenceLength(), 1000);
        setDefault(seed(), (long) PsWord2Vec.class.getName().hashCode());
        setDefault(negativeSamples(), 5);
        setDefault(batchSize(), 500);
        setDefault(subsampling(), 1e-3);
    }

    /** Returns a reader of estimators that were saved. */
    public static MLReader<PsWord2Vec> read() {
        return new DefaultParamsReader<>();
    }

    /** Loads an estimator. */
    public static PsWord2Vec load(String path) {
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

    private <T> PsWord2Vec with(Param<T> param, T value) {
        set(param, value);
        return this;
    }

    public PsWord2Vec setVectorSize(int value) {
        return with(vectorSize(), value);
    }

    public PsWord2Vec setWindowSize(int value) {
        return with(windowSize(), value);
    }

    public PsWord2Vec setMinCount(int value) {
        return with(minCount(), value);
    }

    public PsWord2Vec setMaxIter(int value) {
        return with(maxIter(), value);
    }

    public PsWord2Vec setStepSize(double value) {
        return with(stepSize(), value);
    }

    public PsWord2Vec setNumPartitions(int value) {
        return with(numPartitions(), value);
    }

    public PsWord2Vec setMaxSentenceLength(int value) {
        return with(maxSentenceLength(), value);
    }

    public PsWord2Vec setSeed(long value) {
        return with(seed(), value);
    }

    public PsWord2Vec setNegativeSamples(int value) {
        return with(negativeSamples(), value);
    }

    public PsWord2Vec setBatchSize(int value) {
        return with(batchSize(), value);
    }

    public PsWord2Vec setSubsampling(double value) {
        return with(subsampling(), value);
    }

    /**
     * Sets whether each iteration ends with a checkpoint below {@code spark.psf.checkpoints}: an iteration in which a
     * server is lost with its executor is repeated from the checkpoint before it. {@link PsWord2VecModel#release}
     * deletes them. Without checkpoints {@link #fit} fails if a server is lost.
     */
    public PsWord2Vec setCheckpoints(boolean value) {
        return with(checkpoints(), value);
    }

    /**
     * Learns the vectors of the words that occur at least {@code minCount} times. The model's vectors are on the
     * servers, until {@link PsWord2VecModel#release}. If the fit fails, they are freed.
     *
     * @throws IllegalArgumentException if no word occurs often enough
     */
    @Override
    public PsWord2VecModel fit(Dataset<?> dataset) {
        StructType unused = transformSchema(dataset.schema());
        Dataset<Row> sentences = dataset.select(col(getInputCol()));
        Vocabulary words = Vocabulary.of(sentences
                .select(explode(col(getInputCol())).as("word"))
                .na()
                .drop()
                .groupBy("word")
                .count()
                .filter(col("count").geq(getMinCount()))
                .collectAsList());
        if (words.size() == 0) {
            throw new IllegalArgumentException("words of column \"" + getInputCol() + "\" that occur at least "
                    + getMinCount() + " times: none (expected: at least 1)");
        }
        JavaSparkContext context = new JavaSparkContext(dataset.sparkSession().sparkContext());
        Broadcast<WordSource> source = context.broadcast(new WordSource(words, getSubsampling()));
        JavaRDD<int[]> numbers = numbers(sentences, source).persist(StorageLevel.MEMORY_AND_DISK());
        try {
            ServerVectors vectors = train(dataset.sparkSession(), numbers, source, words);
            return copyValues(new PsWord2VecModel(uid, new WordVectors(words, vectors)), ParamMap.empty())
                    .setParent(this);
        } finally {
            numbers.unpersist(false);
            source.destroy();
        }
    }

    private JavaRDD<int[]> numbers(Dataset<Row> sentences, Broadcast<WordSource> source) {
        int most = getMaxSentenceLength();
        JavaRDD<int[]> numbers = sentences
                .javaRDD()
                .mapPartitions(
                        rows -> new NumberedSentences(rows, source.value().words(), most));
        if (!isSet(numPartitions()) || (Integer) getOrDefault(numPartitions()) == numbers.getNumPartitions()) {
            return numbers;
        }
        return numbers.repartition((Integer) getOrDefault(numPartitions()));
    }

    private ServerVectors train(
            SparkSession spark, JavaRDD<int[]> sentences, Broadcast<WordSource> source, Vocabulary words) {
        PsClient client = PsSpark.client();
        EpochLoop loop =
                new EpochLoop(spark, uid + "." + UUID.randomUUID(), EpochLoop.saves(this, checkpoints(), spark));
        VectorTable vectors = new VectorTable(loop.name(), words.size(), getVectorSize(), loop.saves());
        SkipGramSettings settings = new SkipGramSettings(
                getWindowSize(),
                getNegativeSamples(),
                (int) Math.min(2L * getWindowSize(), getMaxSentenceLength()),
                getBatchSize(),
                getStepSize(),
                getMaxIter(),
                sentences.getNumPartitions(),
                Math.min(sentences.getNumPartitions(), spark.sparkContext().defaultParallelism()),
                words.total(),
                getSeed());
        try {
            vectors.init(client, getSeed());
            var unused = loop.run(uid, getMaxIter(), List.of(vectors.input(), vectors.output()), epoch -> {
                sentences.foreachPartition(part -> SkipGramTask.train(settings, vectors, source, epoch - 1, part));
                return false;
            });
            ServersOfFit servers = loop.servers();
            vectors.clearOutput(client);
            return new ServerVectors(vectors, servers);
        } catch (Throwable e) { // Spark throws checked exceptions, too
            try {
                vectors.clear(client);
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    @Override
    public StructType transformSchema(StructType schema) {
        return Columns.transform(this, schema);
    }

    @Override
    public PsWord2Vec copy(ParamMap extra) {
        return defaultCopy(extra);
    }
}
