package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Server;
import io.psf.runtime.Worker;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A kernel that fails a device for good. */
@ExtendWith(OnHostDriver.class)
class FailedDevice {
    @Test
    void itIsNamedOnceAndItsServersEnd() throws IOException {
        try (PsCluster cluster = PsCluster.builder().servers(2).devices(0).start()) {
            Worker worker = cluster.worker();
            Pair pair = Pair.init(worker, TensorSpec.table("t", 1000, 3).optimizer(Optimizers.sgd(0.1)));
            OnHostDriver.inject("run(psf_sgd_all):1:719");
            assertThatThrownBy(() ->
                            Tensors.push(worker, pair.device(), new float[3000]).await())
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
            for (Server server : cluster.servers()) {
                assertThatThrownBy(server::awaitTermination)
                        .isInstanceOf(PsException.class)
                        .hasMessageContaining("device 0 (")
                        .hasMessageMatching(
                                "(?s).*is lost: (kernel|.*last of other streams:) .*psf_sgd_all.*") // the other
                        // server's lane may
                        // find it first
                        .hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
            }
        }
    }
}
