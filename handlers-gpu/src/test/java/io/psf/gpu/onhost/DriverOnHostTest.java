package io.psf.gpu.onhost;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver that runs on the host: defects that it finds, memory that is short, calls that fail, several devices. */
@Tag("long")
@Timeout(500)
class DriverOnHostTest {
    @TempDir
    Path folder;

    private HostDriver driver() {
        return new HostDriver(folder).with(Cpp.sources().resolve("defects.cu"));
    }

    /** With seeds that are known to lead to the order in which a missing wait is an error. */
    @TestFactory
    List<DynamicTest> defects() {
        return driver().with("HOST_CUDA_SEED", 1).runAndIgnoreViolations(Defects.class.getName());
    }

    @TestFactory
    List<DynamicTest> writesOutsideMemory() {
        return driver().with("HOST_CUDA_DEVICES", 6).runAndIgnoreViolations(Writes.class.getName());
    }

    @TestFactory
    List<DynamicTest> growthWithLittleMemory() {
        return driver().with("HOST_CUDA_MEMORY", 64 << 20).run("io.psf.gpu.GrowthWithLittleMemory");
    }

    @TestFactory
    List<DynamicTest> growthWithLittleMemoryThatIsNotMapped() {
        return driver().with("HOST_CUDA_MEMORY", 64 << 20)
                .with("HOST_CUDA_WITHOUT_MAPPING", true)
                .run("io.psf.gpu.GrowthWithLittleMemory");
    }

    @TestFactory
    List<DynamicTest> failedCalls() {
        return driver().run("io.psf.gpu.FailedCalls");
    }

    @TestFactory
    List<DynamicTest> failedCallsWithMemoryThatIsNotMapped() {
        return driver().with("HOST_CUDA_WITHOUT_MAPPING", true).run("io.psf.gpu.FailedCalls");
    }

    @TestFactory
    List<DynamicTest> loadedKernels() {
        return driver().run("io.psf.gpu.LoadedKernels");
    }

    @TestFactory
    List<DynamicTest> aFailedDevice() {
        return driver().run("io.psf.gpu.FailedDevice");
    }

    @TestFactory
    List<DynamicTest> twoDevices() {
        return driver().with("HOST_CUDA_DEVICES", 2).run("io.psf.gpu.TwoDevices");
    }
}
