package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.spi.shard.ShardFactory;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The module's classes on a class path without JCuda, and without its natives. */
class WithoutJcudaTest {
    /** Returns a loader of this test's class path without some of its jars; psf's interfaces are those of this test. */
    private static URLClassLoader without(String jars) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!Path.of(entry).getFileName().toString().startsWith(jars)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                boolean isShared = name.startsWith("io.psf.") && !name.startsWith("io.psf.gpu.");
                return isShared ? Class.forName(name) : super.loadClass(name, resolve);
            }
        };
    }

    private static ShardFactory factory(ClassLoader loader) throws ReflectiveOperationException {
        return (ShardFactory) loader.loadClass("io.psf.gpu.shard.DeviceFactory")
                .getConstructor()
                .newInstance();
    }

    @Test
    void withoutJcudaTheReasonIsNamed() throws Exception {
        try (URLClassLoader loader = without("jcuda")) {
            ShardFactory factory = factory(loader);
            assertThat(factory.placements(List.of(0))).isEmpty();
            assertThat(factory.unavailable())
                    .containsExactly("device 0: not used, since JCuda is not on the class path");
            assertThat(factory.hostMemory()).isNull();
        }
    }

    @Test
    void withoutNativesTheReasonIsNamed() throws Exception {
        try (URLClassLoader loader = without("jcuda-natives")) {
            ShardFactory factory = factory(loader);
            assertThat(factory.placements(List.of(0, 1))).isEmpty();
            assertThat(factory.unavailable())
                    .hasSize(2)
                    .allSatisfy(sentence -> assertThat(sentence)
                            .contains("not used, since JCuda has no library for this platform")
                            .doesNotContain("\n"));
        }
    }

    @Test
    void aServerWithoutDevicesAsksForNothing() throws Exception {
        try (URLClassLoader loader = without("jcuda")) {
            ShardFactory factory = factory(loader);
            assertThat(factory.placements(List.of())).isEmpty();
            assertThat(factory.unavailable()).isEmpty();
        }
    }

    @Test
    void theTypesThatHandlersForDevicesNameAreLoadedWithoutJcuda() throws Exception {
        try (URLClassLoader loader = without("jcuda")) {
            Class<?> shard = loader.loadClass(DeviceShard.class.getName());
            assertThat(shard.getClassLoader()).isEqualTo(loader);
            assertThat(shard.getMethods()).anyMatch(method -> method.getName().equals("launch"));
            Class<?> kernel = loader.loadClass(DeviceKernel.class.getName());
            assertThat(kernel.getConstructor(Class.class, String.class, String.class)
                            .newInstance(kernel, "axpy.ptx", "axpy"))
                    .isNotNull();
        }
    }
}
