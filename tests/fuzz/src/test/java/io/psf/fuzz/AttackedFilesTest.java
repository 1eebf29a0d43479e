package io.psf.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.TableCounts;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.cache.SyncEmbeddingPsf;
import io.psf.builtin.internal.checkpoint.DeleteModelPsf;
import io.psf.builtin.internal.checkpoint.ListModelsPsf;
import io.psf.builtin.internal.checkpoint.LoadModelPsf;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.SaveModelPsf;
import io.psf.cli.LocalJob;
import io.psf.runtime.Client;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that only reads, and files and names of models that are none, against a server with a heap of 256 MB while a
 * worker trains. Each attack prints how long a push of 1 MB took at most, and the most memory of the server.
 */
@Tag("long")
@Timeout(300)
final class AttackedFilesTest {
    private static final int FLOATS = 250_000;
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(5);
    private static final List<String> NO_NAMES = List.of(
            "", ".", "..", "../m", "/etc", "m/../../m", "m//step", "a\nb", "m\0", "\u202em", "n".repeat(10_000));

    @TempDir
    private Path folder;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** What a client does. */
    private interface Attack {
        void run(Client client) throws Exception;
    }

    private LocalJob job() throws IOException {
        return LocalJob.builder()
                .workers(1)
                .nodeFlags(List.of("-Xmx256m"))
                .environment(Map.of("PSF_TRANSPORT", "tcp", "PSF_CHECKPOINTS", folder.toString()))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .start();
    }

    private static WorkerConfig config(LocalJob job) {
        String[] address = job.schedulerAddress().split(":", 2);
        return WorkerConfig.of(address[0], Integer.parseInt(address[1]));
    }

    /** Trains while a client attacks, and while other clients connect. */
    private void attack(String name, LocalJob job, Worker worker, Attack attack) throws Exception {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", FLOATS));
        CompletableFuture<Void> attacking = CompletableFuture.runAsync(() -> {
            try (Client client = Client.connect(config(job))) {
                attack.run(client);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        long slowest = 0;
        int pushes = 0;
        do {
            long begin = System.nanoTime();
            float[] ones = new float[FLOATS];
            ones[0] = 1;
            Tensors.push(worker, w, ones).await();
            if (++pushes % 10 == 0) {
                Client.connect(config(job)).close();
            }
            slowest = Math.max(slowest, System.nanoTime() - begin);
        } while (!attacking.isDone());
        attacking.join();
        System.out.printf(
                "%s: the slowest of %d pushes of 1 MB took %,.0f ms; at most %d MB at the server%n",
                name, pushes, slowest / 1e6, peakMegabytes(job.process("server 0")));
        assertThat(slowest).as("slowest push").isLessThan(LIMIT);
        assertThat(Tensors.pull(worker, w)[0]).isEqualTo(pushes);
        assertThat(lines).noneMatch(line -> line.contains("OutOfMemoryError") || line.contains("is full"));
    }

    /** Counters of versions for each of 14 tables would take 224 MB of the heap. */
    @Test
    void aReaderChangesNothing() throws Exception {
        try (LocalJob job = job();
                Worker worker = Worker.connect(config(job))) {
            int rows = 49_152;
            TensorId bounded = Tensors.init(
                    worker,
                    TensorSpec.growing("bounded", 4)
                            .policy(TablePolicy.keepAll().mostRows(rows)));
            long[] keys = LongStream.range(0, rows).toArray();
            Tensors.pushRows(worker, bounded, keys, new float[rows * 4]).await();
            List<TensorSpec> specs = new ArrayList<>();
            for (int i = 0; i < 14; i++) {
                specs.add(TensorSpec.table("table" + i, 2_000_000, 1));
            }
            List<TensorId> tables = new ArrayList<>(Tensors.init(worker, specs));
            tables.add(bounded);
            long bytes = bytes(worker);
            attack("READS_OF_A_CLIENT", job, worker, client -> {
                for (int i = 0; i < 200; i++) {
                    for (TensorId table : tables) {
                        SyncEmbeddingPsf.stub(client)
                                .call(table, LongArray.of(i), LongArray.of(-1), 0)
                                .await();
                        Tensors.pullRows(client, table, new long[] {i}, new float[table.equals(bounded) ? 4 : 1])
                                .await();
                    }
                }
            });
            for (int i = 0; i < 2; i++) {
                Tensors.pushRows(worker, bounded, keys, new float[rows * 4]).await();
            }
            assertThat(TableCounts.of(worker, bounded).evicted()).isZero();
            assertThat(TableCounts.of(worker, bounded).rows()).isEqualTo(rows);
            assertThat(bytes(worker) - bytes).as("of w").isEqualTo(4 * FLOATS);
        }
    }

    private static long bytes(Worker worker) {
        return Tensors.list(worker).stream()
                .mapToLong(tensor -> tensor.bytes().total())
                .sum();
    }

    @Test
    void filesAndNamesOfModelsThatAreNoneAreRefused() throws Exception {
        try (LocalJob job = job();
                Worker worker = Worker.connect(config(job))) {
            Tensors.init(worker, TensorSpec.dense("saved", 10));
            ModelCheckpoints.at(worker, "m").save(1, Map.of());
            Path manifest;
            try (var files = Files.walk(folder.resolve("m"))) {
                manifest = files.filter(file -> file.getFileName().toString().equals("model"))
                        .findFirst()
                        .orElseThrow();
            }
            List<String> models = List.of("fifo", "link", "zero", "folder");
            for (String model : models) {
                Path made = folder.resolve(model).resolve(folder.resolve("m").relativize(manifest));
                Files.createDirectories(made.getParent());
                switch (model) {
                    case "fifo" ->
                        assumeTrue(new ProcessBuilder("mkfifo", made.toString())
                                        .start()
                                        .waitFor()
                                == 0);
                    case "link" -> Files.createSymbolicLink(made, manifest);
                    case "zero" -> Files.createSymbolicLink(made, Path.of("/dev/zero"));
                    default -> Files.createDirectory(made);
                }
            }
            attack("FILES_AND_NAMES_OF_MODELS", job, worker, client -> {
                for (int i = 0; i < 50; i++) {
                    for (String model : models) {
                        ListModelsPsf.stub(client).call(0, model).await();
                        assertThat(ModelCheckpoints.at(client, model).list()).isEmpty();
                        assertThatThrownBy(
                                        () -> ModelCheckpoints.at(client, model).load(1))
                                .isInstanceOf(PsException.class);
                    }
                    NO_NAMES.forEach(name -> refused(client, name));
                }
            });
            assertThat(ModelCheckpoints.at(worker, "m").list()).hasSize(1);
        }
    }

    private static final ModelOptions OPTIONS = new ModelOptions(1, 0, List.of(), List.of(), false, false);

    private static void refused(Caller client, String name) {
        for (Pending<?> call : List.of(
                ListModelsPsf.stub(client).call(0, name),
                DeleteModelPsf.stub(client).call(0, name),
                SaveModelPsf.stub(client).call(0, name, 1, OPTIONS, List.of(), 0),
                LoadModelPsf.stub(client).call(0, name, 1, OPTIONS, LoadScope.MODEL, 0))) {
            assertThatThrownBy(call::await)
                    .isInstanceOfSatisfying(
                            PsException.class,
                            e -> assertThat(e.code())
                                    .as("%.100s", e.getMessage())
                                    .isEqualTo(Code.BAD_REQUEST));
        }
    }

    /** Returns the most memory that a process has had, in MB. */
    private static long peakMegabytes(Process process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                .findFirst()
                .orElseThrow();
    }
}
