package io.psf.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.StoreContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints on HDFS, on S3, and on Hadoop's own access to a local folder. */
@Timeout(120)
class HadoopStoreTest {
    @TempDir
    private static Path folder;

    private static MiniDFSCluster hdfs;
    private static S3Server s3;

    @BeforeAll
    static void start() throws Exception {
        s3 = new S3Server(UnaryOperator.identity());
        hdfs = new MiniDFSCluster.Builder(
                        new Configuration(), folder.resolve("hdfs").toFile())
                .numDataNodes(1)
                .build();
        hdfs.waitActive();
    }

    @AfterAll
    static void stop() throws Exception {
        hdfs.shutdown(true);
        s3.close();
    }

    private static CheckpointStore open(String scheme, String name) throws IOException {
        return CheckpointStores.open(scheme.equals("s3a") ? S3Server.place(name) : hdfs.getURI() + "/" + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hdfs", "s3a"})
    void aFileSystemKeepsThePromises(String scheme) throws IOException {
        StoreContract.check(open(scheme, "contract"), open(scheme, "contract"));
    }

    @Test
    void aLocalFileSystemKeepsThePromises() throws IOException {
        String place = folder.resolve("local").toUri().toString();
        StoreContract.check(CheckpointStores.open(place), CheckpointStores.open(place));
    }

    @ParameterizedTest
    @ValueSource(strings = {"hdfs", "s3a"})
    void aModelIsSavedWithIncrementsAndLoadedOnOtherServers(String scheme) throws IOException {
        TensorId w = TensorId.of("w");
        TensorSpec spec = TensorSpec.table("w", 5000, 8).optimizer(Optimizers.adam(0.1));
        float[] last;
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .checkpoints(open(scheme, "models"))
                .start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec);
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "ctr").keep(2).incremental(2);
            for (long step = 1; step <= 5; step++) {
                Tensors.pushRows(worker, w, new long[] {step, 4000 + step}, new float[16])
                        .await();
                Tensors.pushRows(worker, w, new long[] {step}, new float[] {1, 2, 3, 4, 5, 6, 7, step})
                        .await();
                checkpoints.save(step, Map.of("position", "" + step));
            }
            last = Tensors.pull(worker, w);
            Tensors.save(worker, w, "alone");
        }
        assertThat(Model.list(open(scheme, "models")))
                .extracting(Model.Step::model)
                .startsWith("alone/w.tensor")
                .contains("ctr");
        assertThat(Model.open(open(scheme, "models"), "ctr").row(w, 4003).orElseThrow())
                .isEqualTo(Arrays.copyOfRange(last, 4003 * 8, 4004 * 8));
        try (PsCluster cluster = PsCluster.builder()
                .servers(3)
                .checkpoints(open(scheme, "models"))
                .start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, spec);
            ModelCheckpoint loaded =
                    ModelCheckpoints.at(worker, "ctr").loadLatest().orElseThrow();
            assertThat(loaded.step()).isEqualTo(5);
            assertThat(loaded.record(0)).containsEntry("position", "5");
            assertThat(Tensors.pull(worker, w)).isEqualTo(last);
            Tensors.push(worker, w, new float[5000 * 8]).await();
            Tensors.load(worker, w, "alone");
            assertThat(Tensors.pull(worker, w)).isEqualTo(last);
        }
    }

    /** Each waits, or is complete already. */
    @ParameterizedTest
    @ValueSource(strings = {"hdfs", "s3a"})
    void moreFilesAreWrittenThanStayOpen(String scheme) throws IOException {
        CheckpointStore store = open(scheme, "many");
        List<CheckpointStore.NewFile> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            CheckpointStore.NewFile file = store.create("m/" + i);
            file.write(ByteBuffer.wrap(new byte[i]));
            file.end();
            all.add(file);
        }
        assertThat(all).filteredOn(CheckpointStore.NewFile::isOpen).hasSizeLessThanOrEqualTo(32);
        for (CheckpointStore.NewFile each : all.subList(1, 40)) {
            each.finish();
        }
        for (CheckpointStore.NewFile each : all) {
            each.close();
        }
        assertThat(store.list("m")).hasSize(39).allMatch(each -> each.bytes() == Long.parseLong(each.name()));
    }

    @Test
    void anotherJobIsRefusedWhileTheFirstRuns() throws IOException {
        TensorSpec spec = TensorSpec.dense("w", 10);
        Configuration impatient = new Configuration();
        impatient.set("psf.hdfs.lock.outlives", "1s");
        try (FileSystem files = FileSystem.newInstance(hdfs.getURI(), impatient);
                PsCluster cluster = PsCluster.builder()
                        .servers(1)
                        .checkpoints(open("hdfs", "jobs"))
                        .start();
                PsCluster other = PsCluster.builder()
                        .servers(1)
                        .checkpoints(new HadoopStore(files, new org.apache.hadoop.fs.Path(hdfs.getURI() + "/jobs")))
                        .start()) {
            TensorId w = Tensors.init(cluster.worker(), spec);
            Tensors.init(other.worker(), spec);
            Tensors.save(cluster.worker(), w, "one");
            assertThatThrownBy(() -> Tensors.save(other.worker(), w, "one"))
                    .hasMessageContaining("another job saves there, process ");
            Tensors.load(other.worker(), w, "one");
        }
    }

    /** HDFS gives the lease of a process that has ended to another one after a time. */
    @Test
    void theLockOfAJobThatWasKilledIsWaitedFor() throws Exception {
        hdfs.setLeasePeriod(1000, 60_000);
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HadoopStoreTest.class.getName(),
                        hdfs.getURI() + "/killed")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .checkpoints(open("hdfs", "killed"))
                .start()) {
            assertThat(holder.inputReader().readLine()).isEqualTo("locked");
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 10));
            CompletableFuture<Void> saved = CompletableFuture.runAsync(() -> Tensors.save(cluster.worker(), w, "one"));
            holder.destroyForcibly().waitFor();
            saved.join();
        } finally {
            holder.destroyForcibly();
            hdfs.setLeasePeriod(60_000, 1_200_000);
        }
        assertThat(Model.list(open("hdfs", "killed")))
                .extracting(Model.Step::state)
                .containsExactly(Model.State.COMPLETE);
    }

    /** The process that is killed. */
    public static void main(String[] place) throws Exception {
        CheckpointStores.open(place[0]).lock("one/lock", "another process\n".getBytes(UTF_8));
        System.out.println("locked");
        Thread.sleep(Long.MAX_VALUE);
    }

    @Test
    void aSchemeThatNothingHasIsRefused() {
        assertThatThrownBy(() -> CheckpointStores.open("nowhere://bucket/models"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "place of checkpoints: nowhere://bucket/models (expected: a directory, or a scheme");
    }
}
