package io.psf.gpu.onhost;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables with a policy, formats of the wire, pulls of several tables together, and pushes of repeated keys, on a device
 * whose driver and kernels are those of the host.
 */
@Timeout(500)
class TablesOnHostTest {
    @TempDir
    Path folder;

    @Tag("long")
    @TestFactory
    List<DynamicTest> policies() {
        return new HostDriver(folder).run("io.psf.gpu.PoliciesOnDeviceTest");
    }

    @Tag("long")
    @TestFactory
    List<DynamicTest> bags() {
        return new HostDriver(folder).run("io.psf.gpu.BagsOnDeviceTest");
    }

    @Tag("long")
    @TestFactory
    List<DynamicTest> wireFormats() {
        return new HostDriver(folder).run("io.psf.gpu.WireOnDeviceTest");
    }

    @Tag("long")
    @TestFactory
    List<DynamicTest> chains() {
        return new HostDriver(folder).run("io.psf.gpu.ChainsOnDeviceTest", "io.psf.gpu.shard.PullsTest");
    }

    @Tag("long")
    @TestFactory
    List<DynamicTest> pushesByKey() {
        return new HostDriver(folder).run("io.psf.gpu.shard.PushesByKeyTest");
    }
}
