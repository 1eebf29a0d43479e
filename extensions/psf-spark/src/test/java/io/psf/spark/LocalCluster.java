package io.psf.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/** An application whose executors are processes of this machine. */
public final class LocalCluster {
    /** Of processes that live for seconds, on few cores: code of the second compiler would come too late. */
    public static final String FLAGS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private LocalCluster() {}

    /** Returns the builder of a session with executors of one core each. */
    public static SparkSession.Builder of(int executors, int megabytes) {
        try { // where Spark looks for its jars: they are on the class path
            Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return LocalSpark.withPlugin()
                .master("local-cluster[" + executors + ",1," + megabytes + "]")
                .config("spark.psf.servers", executors)
                .config("spark.psf.heartbeat", "3s")
                .config("spark.executor.memory", megabytes + "m")
                .config("spark.executor.extraJavaOptions", FLAGS)
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    }

    /** Returns the processes of the executors, by id. */
    public static Map<String, Long> executors(SparkSession spark) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        return new TreeMap<>(context.parallelize(Collections.nCopies(8, 0), 8)
                .mapToPair(ignored -> {
                    Thread.sleep(50); // so that each executor gets some
                    return new Tuple2<>(
                            SparkEnv.get().executorId(), ProcessHandle.current().pid());
                })
                .collectAsMap());
    }

    /** Returns the reasons of removals by executor, from now on. */
    public static Map<String, String> removals(SparkSession spark) {
        Map<String, String> removed = new ConcurrentHashMap<>();
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
                removed.put(event.executorId(), event.reason());
            }
        });
        return removed;
    }
}
