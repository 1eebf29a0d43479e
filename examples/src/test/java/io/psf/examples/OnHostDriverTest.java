package io.psf.examples;

import io.psf.gpu.onhost.HostDriver;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples on a GPU, with a CUDA driver that executes their kernels on the host. */
@Timeout(500)
@Tag("long")
class OnHostDriverTest {
    @TempDir
    Path folder;

    @TestFactory
    List<DynamicTest> examples() {
        return new HostDriver(folder)
                .with(Path.of("src/main/resources/io/psf/examples/axpy/axpy.cu"))
                .run("io.psf.examples.demo.DemoOnDeviceTest", "io.psf.examples.axpy.AxpyOnDeviceTest");
    }
}
