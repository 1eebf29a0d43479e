package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Ptx;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kernels are loaded when a server starts: a device that is full by the first use of one has it. */
@ExtendWith(OnHostDriver.class)
class LoadedKernels {
    private static final TensorSpec SPEC =
            TensorSpec.growing("t", 3).optimizer(Optimizers.adam(0.1)).device();

    @Test
    void aDeviceWithTooLittleMemoryForThemIsNotUsedAndLaterOnesLoadNone() throws IOException {
        OnHostDriver.inject("cuFuncGetAttribute:7:2");
        try (PsCluster cluster = PsCluster.builder().servers(1).devices(0).start()) {
            assertThat(OnHostDriver.injected()).containsExactly("cuFuncGetAttribute");
            assertThatThrownBy(() -> Tensors.init(cluster.worker(), SPEC))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("(expected: one that this server has: host)");
        }
        OnHostDriver.inject("cuFuncGetAttribute:7:2");
        Device device = Device.of(0);
        device.use();
        String ptx = Ptx.resource(LoadedKernels.class, "psf.ptx");
        assertThatThrownBy(() -> device.module(ptx, "psf.ptx"))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED))
                .hasMessageMatching("(?s).*kernel \"psf_\\w+\" of psf.ptx: CUDA_ERROR_OUT_OF_MEMORY.*");
        OnHostDriver.inject("");
        try (PsCluster cluster = PsCluster.builder().servers(1).devices(0).start()) {
            Worker worker = cluster.worker();
            OnHostDriver.inject("cuModuleGetFunction:1:2\ncuFuncGetAttribute:1:2");
            var table = Tensors.init(worker, SPEC);
            Tensors.pushRows(worker, table, new long[] {1, 2, 1}, new float[9]).await();
            Tensors.removeRows(worker, table, new long[] {1}).await();
            assertThat(OnHostDriver.injected()).isEmpty();
        }
    }

    @Test
    void kernelsThatAreAssembledAreLoadedAndPtxIfTheDriverRefusesThem() throws IOException {
        Device device = Device.of(0);
        device.use();
        String ptx = Ptx.resource(LoadedKernels.class, "psf.ptx");
        byte[] binary = {0x7f, 'E', 'L', 'F', 0};
        OnHostDriver.inject("cuModuleLoadDataEx:1:201"); // the call that loads PTX
        Module loaded = device.module(ptx + "\n// one", "one", () -> binary);
        assertThat(OnHostDriver.injected()).as("PTX that was compiled").isEmpty();
        assertThat(device.module(ptx + "\n// one", "one", () -> {
                    throw new AssertionError("loaded twice");
                }))
                .isSameAs(loaded);

        OnHostDriver.inject("cuModuleLoadData:1:209"); // no binary for this device
        Module compiled = device.module(ptx + "\n// two", "two", () -> binary);
        assertThat(OnHostDriver.injected()).containsExactly("cuModuleLoadData");
        OnHostDriver.inject("");
        assertThat(compiled).isNotSameAs(loaded);
        assertThat(OnHostDriver.violations()).isEmpty();
    }
}
