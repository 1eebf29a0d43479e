package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.PendingAll;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.reports.ReportScalar;
import io.psf.builtin.internal.reports.ReportScalarPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker learns once that its model has gone back to a checkpoint, whatever calls were under way. */
@Timeout(120)
class RollbackTest {
    private static final TensorSpec SPEC =
            TensorSpec.table("w", 30, 2).slices(3).initializer(Initializers.constant(1));
    private static final long[] KEYS = LongStream.range(0, 30).toArray();

    @TempDir
    Path folder = Path.of("");

    private PsCluster cluster;
    private Worker worker;
    private TensorId w;
    private ModelCheckpoints checkpoints;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void save() {
        cluster = PsCluster.builder()
                .servers(3)
                .workers(1)
                .checkpoints(folder)
                .serverReturn(Duration.ofMinutes(2))
                .start();
        worker = cluster.worker();
        w = Tensors.init(worker, SPEC);
        checkpoints = ModelCheckpoints.at(worker, "m");
        checkpoints.save(1, Map.of());
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private static void requireRolledBack(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.ROLLED_BACK));
    }

    /** Server 1 comes back, and the worker has heard of it. */
    private void comeBack() {
        long before = worker.notedRollback();
        cluster.restart(1);
        await().until(() -> worker.notedRollback() > before);
    }

    private void requireOnce() {
        assertThat(checkpoints.loadLatest()).isPresent();
        worker.awaitAll();
        assertThat(Tensors.pull(worker, w)).containsOnly(1);
        worker.awaitAll();
    }

    @Test
    void itIsToldOnceHoweverManyCallsItFails() {
        cluster.servers().get(1).close();
        for (int i = 0; i < 5; i++) {
            Tensors.push(worker, w, new float[60]);
        }
        comeBack();
        requireRolledBack(worker::awaitAll);
        requireOnce();
    }

    @Test
    void theNextCallIsToldIfNoneWasUnderWay() {
        cluster.servers().get(1).close();
        comeBack();
        requireRolledBack(() -> Tensors.pull(worker, w));
        requireOnce();
    }

    @Test
    void severalCallsThatNobodyAwaitsAreTold() {
        cluster.servers().get(1).close();
        comeBack();
        requireRolledBack(() -> PendingAll.of(2, i -> Tensors.push(worker, w, new float[60])));
        requireOnce();
    }

    /** A prefetch may fail otherwise: the next look-up requests the rows. */
    @Test
    void aLookUpTellsWhatAPrefetchWasTold() {
        EmbeddingCache cache = EmbeddingCache.of(worker, SPEC).rows(30).open();
        cluster.servers().get(1).close();
        cache.prefetch(KEYS);
        comeBack();
        requireRolledBack(() -> cache.lookUp(KEYS, new float[60]));
        requireOnce();
    }

    @Test
    void aCallInTheBackgroundIsNotTold() {
        cluster.servers().get(1).close();
        Pending<?> report = FunctionCaller.of(worker)
                .call(
                        ReportScalarPsf.FUNCTION,
                        new ReportScalar.Request(1, "hits", 1, 0.5),
                        null,
                        CallOptions.DEFAULT.inBackground());
        comeBack();
        requireRolledBack(() -> Tensors.pull(worker, w));
        report.await();
        requireOnce();
    }
}
