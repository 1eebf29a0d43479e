package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed takes with it what it has acknowledged: those who pushed are told, though no call fails. */
@Timeout(120)
final class LostServerTest {
    @Test
    void whoeverHasPushedToALostServerIsTold() {
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "1500ms"))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":");
            Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 100));
            Tensors.push(worker, w, new float[100]).await();
            worker.barrier();
            worker.awaitAll();
            Tensors.push(worker, w, new float[100]).await(); // acknowledged
            job.kill("server 1");
            assertTold(worker::barrier);
            assertTold(worker::awaitAll);
            assertTold(worker::close);
        }
    }

    /** Without anything after the push but the end of the program. */
    @Test
    void aWorkerThatOnlyClosesIsToldToo() {
        try (LocalJob job = LocalJob.builder()
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "1500ms"))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":");
            Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 100));
            Tensors.push(worker, w, new float[100]).await();
            job.kill("server 0");
            assertTold(worker::close);
        }
    }

    private static void assertTold(ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("lost server ")
                .hasMessageContaining("it held what this worker has changed");
    }
}
