package io.psf.gpu.onhost;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables with a policy, and formats of the wire, on a device whose driver and kernels are those of the host. */
@Tag("long")
@Timeout(500)
class TablesOnHostTest {
    @TempDir
    Path folder;

    @TestFactory
    List<DynamicTest> policies() {
        return new HostDriver(folder).run("io.psf.gpu.PoliciesOnDeviceTest");
    }

    @TestFactory
    List<DynamicTest> bags() {
        return new HostDriver(folder).run("io.psf.gpu.BagsOnDeviceTest");
    }

    @TestFactory
    List<DynamicTest> wireFormats() {
        return new HostDriver(folder).run("io.psf.gpu.WireOnDeviceTest");
    }
}
