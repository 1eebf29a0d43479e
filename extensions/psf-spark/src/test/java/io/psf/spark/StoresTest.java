package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.hadoop.S3Server;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications with checkpoints on HDFS and on S3, of which an executor is killed. */
@Timeout(240)
@Tag("chaos")
class StoresTest {
    private static final int PARTS = 4;
    private static final int PUSHES = 20;

    @TempDir
    private Path folder;

    @Test
    void aTrainingWithCheckpointsOnHdfsHasEachPushOnce() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("dfs.replication", "1");
        MiniDFSCluster hdfs = new MiniDFSCluster.Builder(
                        configuration, folder.resolve("hdfs").toFile())
                .numDataNodes(1)
                .build();
        try {
            hdfs.waitActive();
            hdfs.setLeasePeriod(1000, 60_000);
            trains(CountedKill.of(LocalCluster.of(2, 1024), folder), hdfs.getURI() + "/models");
        } finally {
            hdfs.shutdown(true);
        }
    }

    @Test
    void aTrainingWithCheckpointsOnS3HasEachPushOnce() throws Exception {
        try (S3Server s3 = new S3Server(UnaryOperator.identity())) {
            trains(
                    CountedKill.of(LocalCluster.of(2, 1024), folder)
                            .config("spark.hadoop.fs.s3a.endpoint", s3.endpoint())
                            .config("spark.hadoop.fs.s3a.endpoint.region", "us-east-1")
                            .config("spark.hadoop.fs.s3a.path.style.access", true)
                            .config("spark.hadoop.fs.s3a.access.key", "test")
                            .config("spark.hadoop.fs.s3a.secret.key", "test"),
                    S3Server.place("models"));
        }
    }

    private void trains(SparkSession.Builder session, String place) throws Exception {
        try (SparkSession spark = session.config("spark.psf.checkpoints", place).getOrCreate()) {
            TensorId w = Tensors.init(
                    PsSpark.client(),
                    TensorSpec.dense("w", 100).optimizer(Optimizers.add()).slices(4));
            AtomicInteger runs = new AtomicInteger();
            PsSpark.train(spark, ModelCheckpoints.at(PsSpark.client(), "m").tensors(w), 3, epoch -> {
                if (runs.incrementAndGet() == 2) {
                    String executor =
                            LocalCluster.executors(spark).keySet().iterator().next();
                    CountedKill.ask(folder, executor, "psf.dense.push", PARTS * PUSHES);
                }
                push(spark);
            });
            assertThat(CountedKill.isDone(folder)).isTrue();
            assertThat(runs.get()).isEqualTo(4);
            assertThat(Tensors.pull(PsSpark.client(), w)).containsOnly(3 * PARTS * PUSHES);
            CheckpointStore store = CheckpointPlace.open(place);
            assertThat(Model.list(store)).extracting(Model.Step::state).containsOnly(Model.State.COMPLETE);
            Model model = Model.open(store, "m");
            model.rows(w, (key, values) -> assertThat(values).containsOnly(3 * PARTS * PUSHES));
        }
    }

    /** Each partition pushes ones. */
    private static void push(SparkSession spark) {
        new JavaSparkContext(spark.sparkContext())
                .parallelize(Collections.nCopies(PARTS, 0), PARTS)
                .foreachPartition(part -> {
                    float[] ones = new float[100];
                    Arrays.fill(ones, 1);
                    for (int i = 0; i < PUSHES; i++) {
                        Tensors.push(PsSpark.client().task(TaskContext.get()), TensorId.of("w"), ones)
                                .await();
                    }
                });
    }
}
