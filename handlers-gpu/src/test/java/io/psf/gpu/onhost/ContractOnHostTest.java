package io.psf.gpu.onhost;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the builtin functions on a device, whose driver and kernels are those of the host. */
@Tag("long")
@Timeout(500)
class ContractOnHostTest {
    @TempDir
    Path folder;

    @TestFactory
    List<DynamicTest> functions() {
        return new HostDriver(folder)
                .with("HOST_CUDA_MEMORY", 900 << 20) // two tensors of 1 GiB do not fit
                .run("io.psf.gpu.FunctionsOnDeviceTest", "io.psf.gpu.HalvesOnDeviceTest");
    }
}
