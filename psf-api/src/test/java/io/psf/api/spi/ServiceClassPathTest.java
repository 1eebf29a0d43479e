package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The class loader that services are found by: the program's, if it has this psf. */
final class ServiceClassPathTest {
    private static final ClassLoader OWN = ServiceClassPath.class.getClassLoader();

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void theContextClassLoaderIsAsBefore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private static ClassLoader foundIn(@Nullable ClassLoader context) {
        Thread.currentThread().setContextClassLoader(context);
        return ServiceClassPath.of(ServiceClassPath.class);
    }

    @Test
    void aLoaderOfAProgramThatHasThisPsfIsUsed() throws IOException {
        try (URLClassLoader program = new URLClassLoader(new URL[0], OWN)) {
            assertThat(foundIn(program)).isSameAs(program);
        }
    }

    @Test
    void aThreadWithoutALoaderUsesThatOfPsf() {
        assertThat(foundIn(null)).isSameAs(OWN);
    }

    @Test
    void aLoaderWithoutPsfIsNotUsed() {
        assertThat(foundIn(ClassLoader.getPlatformClassLoader())).isSameAs(OWN);
    }

    @Test
    void aLoaderWithAPsfOfItsOwnIsNotUsed() throws Exception {
        URL classes =
                ServiceClassPath.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader other = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            assertThat(other.loadClass(ServiceClassPath.class.getName())).isNotSameAs(ServiceClassPath.class);
            assertThat(foundIn(other)).isSameAs(OWN);
        }
    }
}
