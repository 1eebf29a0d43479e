package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.sink.CsvSink;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cluster of an application in one process. */
@Timeout(120)
class LocalTest {
    private static final TensorSpec W = TensorSpec.dense("w", 100).optimizer(Optimizers.add());

    private static final Set<String> APPLICATIONS = new HashSet<>();

    private static void countsParts(SparkSession spark) {
        assertThat(APPLICATIONS.add(NodeClient.settings().application()))
                .as("an id of its own, by which the tasks of applications that share a cluster differ")
                .isTrue();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        String name = Tensors.init(PsSpark.client(), W).name();
        assertThat(PsSpark.client().servers()).isEqualTo(2);
        context.parallelize(List.of(1, 2, 3, 4), 4).foreachPartition(part -> {
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            Tensors.push(PsSpark.client(), TensorId.of(name), ones).await();
        });
        assertThat(Tensors.pull(PsSpark.client(), TensorId.of(name))).containsOnly(4);
    }

    @Test
    void anApplicationWithThePluginIsACluster() throws Exception {
        try (SparkSession spark = LocalSpark.withPlugin().getOrCreate()) {
            countsParts(spark);
        }
    }

    /** The files of a sink that comes with Spark have what the process has done. */
    @Test
    void sinksOfSparkHaveTheCallsAndTheServers(@TempDir Path folder) throws Exception {
        String sink = "spark.metrics.conf.*.sink.csv.";
        try (SparkSession spark = LocalSpark.withPlugin()
                .config("spark.metrics.namespace", "test")
                .config(sink + "class", CsvSink.class.getName())
                .config(sink + "directory", folder.toString())
                .getOrCreate()) {
            countsParts(spark);
            SparkEnv.get().metricsSystem().report();
            assertThat(value(folder, "calls")).isGreaterThanOrEqualTo(6); // init, 4 pushes, pull
            assertThat(value(folder, "calls.failed")).isZero();
            assertThat(value(folder, "calls.bytesSent")).isGreaterThan(4 * 100 * Float.BYTES);
            assertThat(value(folder, "server.requests")).isGreaterThanOrEqualTo(2 * 6);
            assertThat(value(folder, "server.lanes")).isPositive();
        }
    }

    private static long value(Path folder, String metric) throws IOException {
        List<String> lines = Files.readAllLines(
                folder.resolve("test.driver.plugin." + PsfPlugin.class.getName() + "." + metric + ".csv"));
        return Long.parseLong(lines.get(lines.size() - 1).split(",", -1)[1]);
    }

    @Test
    void anApplicationWithoutThePluginStartsItsCluster() throws Exception {
        try (SparkSession spark = LocalSpark.another().getOrCreate()) {
            PsSpark.start(spark);
            countsParts(spark);
        }
    }

    /** The files are in the application's, as {@code --files} puts them there. */
    @Test
    void aClusterOfAnApplicationHasTls(@TempDir Path folder) throws Exception {
        TlsAuthority.Issued node = new TlsAuthority(folder, "authority").issue("node");
        List<Path> files = List.of(node.certificate(), node.key(), node.authority());
        try (SparkSession spark = LocalSpark.withPlugin()
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.files", files.stream().map(Path::toString).collect(Collectors.joining(",")))
                .config("spark.psf.secret", "the secret of this test")
                .config("spark.psf.tls.certificate", name(node.certificate()))
                .config("spark.psf.tls.key", name(node.key()))
                .config("spark.psf.tls.authority", name(node.authority()))
                .getOrCreate()) {
            countsParts(spark);
            WorkerConfig plain = WorkerConfig.of(
                            "127.0.0.1", NodeClient.settings().port())
                    .withSecret("the secret of this test")
                    .withJoinTimeout(Duration.ofSeconds(2));
            assertThatThrownBy(() -> Client.connect(plain)).hasMessageContaining("this node requires TLS");
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    /** A module that mapped tensors need is not on the class path. */
    @Test
    void anApplicationWhoseServersDoNotStartSaysWhy(@TempDir Path folder) throws Exception {
        try (SparkSession spark = LocalSpark.withPlugin()
                .config("spark.psf.mapped", folder.toString())
                .config("spark.psf.joinTimeout", "6s")
                .getOrCreate()) {
            assertThatThrownBy(() -> Tensors.init(PsSpark.client(), W))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("(expected: all); no server in executor driver: ")
                    .hasMessageContaining("mapped files are not on the class path");
            assertThat(spark.range(3).count()).isEqualTo(3);
        }
    }

    @Test
    void anExecutorWaitsLongerAfterEachFailureToStartItsServer() {
        List<Long> pauses = Stream.iterate(Duration.ofSeconds(1), ExecutorServer::longerThan)
                .limit(7)
                .map(Duration::toSeconds)
                .toList();
        assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 16L, 16L);
    }

    @Test
    void allFilesOfTlsAreNeeded() {
        SparkConf conf =
                new SparkConf(false).set("spark.psf.tls.key", "node.key").set("spark.psf.tls.certificate", "node.pem");
        assertThatThrownBy(() -> new SparkSettings(conf).tls())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.psf.tls.*: only certificate, key (expected: certificate, key, authority, or none of"
                        + " them)");
    }

    @Test
    void aTrainingThatHasEndedEarlyIsNotGoneOnWith(@TempDir Path folder) throws Exception {
        try (SparkSession spark = LocalSpark.withPlugin()
                .config("spark.psf.checkpoints", folder.toString())
                .getOrCreate()) {
            TensorId w = Tensors.init(PsSpark.client(), W);
            float[] ones = new float[100];
            Arrays.fill(ones, 1);
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                ModelCheckpoints checkpoints = ModelCheckpoints.at(PsSpark.client(), "ones");
                int epochs = PsSpark.trainUntil(spark, checkpoints, 9, epoch -> {
                    runs.incrementAndGet();
                    Tensors.push(PsSpark.client(), w, ones).await();
                    return epoch == 3;
                });
                assertThat(epochs).isEqualTo(3);
            }
            assertThat(runs.get()).isEqualTo(3);
            assertThat(Tensors.pull(PsSpark.client(), w)).containsOnly(3);
        }
    }
}
