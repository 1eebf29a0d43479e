package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that start on threads of other software, whose context class loader does not have this psf. */
@Timeout(60)
final class ContextClassLoaderTest {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    private enum Context {
        NONE,
        OF_THE_JVM,
        WITH_ANOTHER_PSF;

        @Nullable
        ClassLoader loader() {
            return switch (this) {
                case NONE -> null;
                case OF_THE_JVM -> ClassLoader.getPlatformClassLoader();
                case WITH_ANOTHER_PSF ->
                    new URLClassLoader(
                            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                    .map(Context::url)
                                    .toArray(URL[]::new),
                            ClassLoader.getPlatformClassLoader());
            };
        }

        private static URL url(String entry) {
            try {
                return Path.of(entry).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @AfterEach
    void theContextClassLoaderIsAsBefore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @ParameterizedTest
    @EnumSource
    void handlersKindsOfShardsAndNamesOfOptimizersAreFound(Context context) {
        Thread.currentThread().setContextClassLoader(context.loader());
        try (PsCluster cluster = PsCluster.embedded(1)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 3)
                            .placement(CountingFactory.COUNTING)
                            .initializer(Initializers.constant(1))
                            .optimizer(Optimizers.sgd(0.5)));
            Tensors.push(worker, w, new float[] {1, 2, 4}).await();
            assertThat(Tensors.pull(worker, w)).containsExactly(0.5f, 0, -1);
            assertThat(CountReadsPsf.stub(worker).call(w).await().reads()).isPositive();
        }
    }
}
