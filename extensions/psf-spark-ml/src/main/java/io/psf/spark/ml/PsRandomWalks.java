package io.psf.spark.ml;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import java.io.Serial;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Makes random walks of the edges of a graph, for {@link PsWord2Vec}: vectors of nodes, as DeepWalk and node2vec learn
 * them. A walk is an array of the names of nodes.
 *
 * <pre>{@code
 * PsRandomWalks walks = new PsRandomWalks().setSrcCol("user").setDstCol("follows").setQ(.5);
 * PsWord2Vec vectors = new PsWord2Vec().setInputCol("walk").setOutputCol("vector").setMinCount(0).setSubsampling(0);
 * PipelineModel model = new Pipeline().setStages(new PipelineStage[] {walks, vectors}).fit(edges);
 * }</pre>
 *
 * <p>With {@code p} and {@code q} of 1 each neighbour is as likely (DeepWalk). Otherwise the weight of going back to the
 * node before is 1 / p, that of its neighbours 1, and that of other nodes 1 / q (node2vec). An edge that is there twice
 * counts twice. Each walk is a function of the graph, the seed and its number. {@link #transform} collects the graph: the
 * driver and each executor have the names of the nodes, as in {@link PsWord2Vec}, and 4 bytes for each edge, or 8 if the
 * graph is not directed.
 */
public final class PsRandomWalks extends Transformer implements DefaultParamsWritable {
    @Serial
    private static final long serialVersionUID = 1;

    private final String uid;
    private final Param<String> srcCol;
    private final Param<String> dstCol;
    private final Param<String> outputCol;
    private final BooleanParam directed;
    private final IntParam walkLength;
    private final IntParam walksPerNode;
    private final DoubleParam p;
    private final DoubleParam q;
    private final LongParam seed;

    /** Creates a transformer. */
    public PsRandomWalks() {
        this(Identifiable$.MODULE$.randomUID("psWalks"));
    }

    /**
     * Creates a transformer with an id.
     *
     * @param uid its id
     */
    public PsRandomWalks(String uid) {
        this.uid = uid;
        srcCol = new Param<>(this, "srcCol", "column of the nodes from which edges come");
        dstCol = new Param<>(this, "dstCol", "column of the nodes to which edges go");
        outputCol = new Param<>(this, "outputCol", "column of the walks");
        directed = new BooleanParam(this, "directed", "whether a walk follows edges in their direction only");
        walkLength = new IntParam(this, "walkLength", "nodes of a walk (> 0)", ParamValidators.gt(0));
        walksPerNode = new IntParam(this, "walksPerNode", "walks that begin at each node (> 0)", ParamValidators.gt(0));
        p = new DoubleParam(this, "p", "the larger, the fewer walks go back at once (> 0)", ParamValidators.gt(0));
        q = new DoubleParam(
                this, "q", "the larger, the nearer a walk stays to the node before (> 0)", ParamValidators.gt(0));
        seed = new LongParam(this, "seed", "of the walks");
        setDefault(srcCol, "src");
        setDefault(dstCol, "dst");
        setDefault(outputCol, "walk");
        setDefault(directed, false);
        setDefault(walkLength, 80);
        setDefault(walksPerNode, 10);
        setDefault(p, 1.0);
        setDefault(q, 1.0);
        setDefault(seed, (long) getClass().getName().hashCode());
    }

    @Override
    public String uid() {
        return uid;
    }

    /** Returns the param of the column of the nodes from which edges come. */
    public Param<String> srcCol() {
        return srcCol;
    }

    /** Returns the param of the column of the nodes to which edges go. */
    public Param<String> dstCol() {
        return dstCol;
    }

    /** Returns the param of the column of the walks. */
    public Param<String> outputCol() {
        return outputCol;
    }

    /** Returns the param of whether a walk follows edges in their direction only. */
    public BooleanParam directed() {
        return directed;
    }

    /** Returns the param of the number of nodes of a walk. */
    public IntParam walkLength() {
        return walkLength;
    }

    /** Returns the param of the number of walks that begin at each node. */
    public IntParam walksPerNode() {
        return walksPerNode;
    }

    /** Returns the param of how seldom a walk goes back at once. */
    public DoubleParam p() {
        return p;
    }

    /** Returns the param of how near a walk stays. */
    public DoubleParam q() {
        return q;
    }

    /** Returns the param of the seed. */
    public LongParam seed() {
        return seed;
    }

    /** Sets the column of the nodes from which edges come, texts or numbers; {@code src} by default. */
    public PsRandomWalks setSrcCol(String column) {
        return with(srcCol, column);
    }

    /** Sets the column of the nodes to which edges go; {@code dst} by default. */
    public PsRandomWalks setDstCol(String column) {
        return with(dstCol, column);
    }

    /** Sets the column of the walks; {@code walk} by default. */
    public PsRandomWalks setOutputCol(String column) {
        return with(outputCol, column);
    }

    /** Sets whether a walk follows edges in their direction only; false by default. */
    public PsRandomWalks setDirected(boolean isDirected) {
        return with(directed, isDirected);
    }

    /** Sets the most nodes of a walk; 80 by default. A walk ends before at a node without edges. */
    public PsRandomWalks setWalkLength(int nodes) {
        return with(walkLength, nodes);
    }

    /** Sets the number of walks that begin at each node; 10 by default. */
    public PsRandomWalks setWalksPerNode(int walks) {
        return with(walksPerNode, walks);
    }

    /** Sets node2vec's return parameter; 1 by default. */
    public PsRandomWalks setP(double value) {
        return with(p, value);
    }

    /** Sets node2vec's in-out parameter; 1 by default. */
    public PsRandomWalks setQ(double value) {
        return with(q, value);
    }

    /** Sets the seed of the walks. */
    public PsRandomWalks setSeed(long value) {
        return with(seed, value);
    }

    private <T> PsRandomWalks with(Param<T> param, T value) {
        set(param, value);
        return this;
    }

    @Override
    public StructType transformSchema(StructType schema) {
        DataType ofSource = Input.type(schema, "source", getOrDefault(srcCol));
        DataType ofTarget = Input.type(schema, "target", getOrDefault(dstCol));
        if (!ofSource.equals(ofTarget)) {
            throw Input.wrong("target", getOrDefault(dstCol), ofTarget, ofSource.catalogString() + ", as the source");
        }
        return new StructType()
                .add(getOrDefault(outputCol), DataTypes.createArrayType(DataTypes.StringType, false), false);
    }

    /** Returns a frame of the walks. Blocks until the graph is collected; the walks are made when it is evaluated. */
    @Override
    public Dataset<Row> transform(Dataset<?> data) {
        StructType schema = transformSchema(data.schema());
        SparkSession spark = data.sparkSession();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        Broadcast<Graph> graph = context.broadcast(graph(data, context));
        int nodes = graph.value().nodes().size();
        int parts = context.defaultParallelism();
        int length = (Integer) getOrDefault(walkLength);
        int rounds = (Integer) getOrDefault(walksPerNode);
        double inverseP = 1 / (Double) getOrDefault(p);
        double inverseQ = 1 / (Double) getOrDefault(q);
        long from = (Long) getOrDefault(seed);
        long all = (long) nodes * rounds;
        JavaRDD<Row> walks = context.parallelize(
                        IntStream.range(0, parts).boxed().toList(), parts)
                .flatMap(part -> LongStream.range(all * part / parts, all * (part + 1) / parts)
                        .mapToObj(walk -> RowFactory.create((Object) graph.value()
                                .walk(
                                        (int) (walk % nodes),
                                        length,
                                        inverseP,
                                        inverseQ,
                                        new Draws(Mix.hash(from, walk)))))
                        .iterator());
        return spark.createDataFrame(walks, schema);
    }

    private Graph graph(Dataset<?> data, JavaSparkContext context) {
        Column source = Input.quoted(getOrDefault(srcCol)).cast(DataTypes.StringType);
        Column target = Input.quoted(getOrDefault(dstCol)).cast(DataTypes.StringType);
        Dataset<Row> forth = data.select(source.as("source"), target.as("target"));
        Dataset<Row> edges = (Boolean) getOrDefault(directed)
                ? forth
                : forth.union(data.select(target.as("source"), source.as("target")));
        Dataset<Row> ends = edges.select(edges.col("source").as("node"), lit(1L).as("edges"))
                .union(edges.select(edges.col("target").as("node"), lit(0L).as("edges")));
        List<Row> found = ends.groupBy("node").agg(sum("edges")).collectAsList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException("edges: 0 (expected: at least 1)");
        }
        for (Row row : found) {
            if (row.isNullAt(0)) {
                throw new IllegalArgumentException("node of an edge: null (expected: a name or a number)");
            }
        }
        Vocabulary nodes = Vocabulary.of(found);
        Broadcast<Vocabulary> sent = context.broadcast(nodes);
        JavaRDD<int[]> pairs = edges.toJavaRDD()
                .mapPartitions(rows -> List.of(pairs(rows, sent.value())).iterator());
        return Graph.of(nodes, pairs.toLocalIterator());
    }

    private static int[] pairs(Iterator<Row> rows, Vocabulary nodes) {
        IntStream.Builder pairs = IntStream.builder();
        rows.forEachRemaining(row -> pairs.add(nodes.find(row.getString(0))).add(nodes.find(row.getString(1))));
        return pairs.build().toArray();
    }

    @Override
    public PsRandomWalks copy(ParamMap extra) {
        return defaultCopy(extra);
    }

    /** Returns a reader of transformers. */
    public static MLReader<PsRandomWalks> read() {
        return new DefaultParamsReader<>();
    }

    /** Reads a transformer that was saved. */
    public static PsRandomWalks load(String path) {
        return read().load(path);
    }
}
