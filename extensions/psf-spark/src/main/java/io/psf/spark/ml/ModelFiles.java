package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Serial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A saved model: Spark's metadata in {@code metadata}; the bias and the number of factors in {@code model}; the weights
 * in {@code weights}, a row a key, with columns {@code key}, {@code weight} and, if there are factors, {@code factors}.
 */
final class ModelFiles {
    private static final int PAGE = 1 << 16;

    private ModelFiles() {}

    private static StructType schema(int width) {
        StructType schema =
                new StructType().add("key", DataTypes.LongType, false).add("weight", DataTypes.FloatType, false);
        return width == 1
                ? schema
                : schema.add("factors", DataTypes.createArrayType(DataTypes.FloatType, false), false);
    }

    /** Writes a model. */
    static final class Writer extends MLWriter {
        private final PsScorer<?> model;

        Writer(PsScorer<?> model) {
            this.model = model;
        }

        @Override
        public void saveImpl(String path) {
            SparkSession spark = sparkSession();
            DefaultParamsWriter$.MODULE$.saveMetadata(model, path, spark);
            LocalWeights weights = model.local();
            int width = weights.kernel().width();
            StructType ofModel = new StructType()
                    .add("bias", DataTypes.FloatType, false)
                    .add("factors", DataTypes.IntegerType, false);
            spark.createDataFrame(List.of(RowFactory.create(weights.bias(), width - 1)), ofModel)
                    .coalesce(1)
                    .write()
                    .parquet(path + "/model");
            List<Page> pages = new ArrayList<>();
            for (int begin = 0; begin < weights.keys().length; begin += PAGE) {
                int end = Math.min(weights.keys().length, begin + PAGE);
                pages.add(new Page(
                        Arrays.copyOfRange(weights.keys(), begin, end),
                        Arrays.copyOfRange(weights.rows(), begin * width, end * width)));
            }
            int partitions = Math.max(1, Math.min(pages.size(), 16));
            JavaRDD<Row> rows = new JavaSparkContext(spark.sparkContext())
                    .parallelize(pages, partitions)
                    .flatMap(Page::rows);
            spark.createDataFrame(rows, schema(width)).write().parquet(path + "/weights");
        }
    }

    /**
     * Weights of some keys.
     *
     * @param keys [n] int64
     * @param weights [n, width] float32
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    @DefaultSerializer(JavaSerializer.class)
    private record Page(long[] keys, float[] weights) implements java.io.Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        Iterator<Row> rows() {
            int width = weights.length / keys.length;
            return java.util.stream.IntStream.range(0, keys.length)
                    .mapToObj(i -> width == 1
                            ? RowFactory.create(keys[i], weights[i])
                            : RowFactory.create(keys[i], weights[i * width], factors(i * width + 1, (i + 1) * width)))
                    .iterator();
        }

        private Float[] factors(int begin, int end) {
            Float[] some = new Float[end - begin];
            for (int i = 0; i < some.length; i++) {
                some[i] = weights[begin + i];
            }
            return some;
        }
    }

    /** Reads the weights' rows as pages. */
    private record ReadPages(int width) implements FlatMapFunction<Iterator<InternalRow>, Page> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public Iterator<Page> call(Iterator<InternalRow> rows) {
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return rows.hasNext();
                }

                @Override
                public Page next() {
                    return page(rows);
                }
            };
        }

        private Page page(Iterator<InternalRow> rows) {
            long[] keys = new long[PAGE];
            float[] weights = new float[PAGE * width];
            int n = 0;
            for (; n < PAGE && rows.hasNext(); n++) {
                InternalRow row = rows.next();
                keys[n] = row.getLong(0);
                weights[n * width] = row.getFloat(1);
                if (width > 1) {
                    System.arraycopy(row.getArray(2).toFloatArray(), 0, weights, n * width + 1, width - 1);
                }
            }
            return new Page(Arrays.copyOf(keys, n), Arrays.copyOf(weights, n * width));
        }
    }

    /** Makes a model without params. */
    interface Making<M> {
        M make(String uid, LocalWeights weights);
    }

    /** Reads a model. */
    static final class Reader<M extends PsScorer<M>> extends MLReader<M> {
        private final Class<M> type;
        private final Making<M> making;

        Reader(Class<M> type, Making<M> making) {
            this.type = type;
            this.making = making;
        }

        @Override
        public M load(String path) {
            SparkSession spark = sparkSession();
            DefaultParamsReader.Metadata metadata =
                    DefaultParamsReader$.MODULE$.loadMetadata(path, spark, type.getName());
            Row ofModel = spark.read().parquet(path + "/model").head();
            int width = 1 + ofModel.getInt(1);
            Fetched fetched = new Fetched(width);
            ((org.apache.spark.sql.classic.Dataset<?>)
                            spark.read().schema(schema(width)).parquet(path + "/weights"))
                    .queryExecution()
                    .toRdd()
                    .toJavaRDD()
                    .mapPartitions(new ReadPages(width))
                    .toLocalIterator()
                    .forEachRemaining(page -> fetched.add(page.keys(), page.weights()));
            Kernel kernel =
                    width == 1 ? new LinearKernel(0) : new FactorKernel(Loss.LOGISTIC, width - 1, true, 0, 0, 0);
            M model = making.make(metadata.uid(), fetched.weights(kernel, ofModel.getFloat(0)));
            metadata.getAndSetParams(model, scala.Option.empty());
            return model;
        }
    }
}
