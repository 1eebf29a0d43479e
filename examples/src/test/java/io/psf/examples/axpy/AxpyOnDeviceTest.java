package io.psf.examples.axpy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.driver.Cuda;
import io.psf.gpu.driver.Nvcc;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class AxpyOnDeviceTest {
    private static final int ROWS = 100_003;
    private static final String SOURCE = "axpy.cu";
    private static final String PTX = "axpy.ptx";

    @Test
    void theKernelsNormIsThatOfTheHost() {
        Assumptions.assumeTrue(
                Cuda.unavailable().isEmpty(),
                () -> "not run, since " + Cuda.unavailable().orElse(""));
        try (PsCluster cluster = PsCluster.builder().servers(2).devices(0).start()) {
            Worker worker = cluster.worker();
            TensorSpec host = TensorSpec.dense("host", ROWS).initializer(Initializers.uniform(-1, 1, 7));
            TensorSpec device = TensorSpec.dense("device", ROWS)
                    .initializer(Initializers.uniform(-1, 1, 7))
                    .device();
            TensorId onHost = Tensors.init(worker, host);
            TensorId onDevice = Tensors.init(worker, device);
            FloatArray x = FloatArray.allocate(ROWS);
            for (int i = 0; i < ROWS; i++) {
                x.set(i, i % 17 - 8);
            }
            AxpyPsf.Stub axpy = AxpyPsf.stub(worker);
            double expected = Math.sqrt(axpy.call(onHost, 0.1f, x).await().squaredNorm());
            double actual = Math.sqrt(axpy.call(onDevice, 0.1f, x).await().squaredNorm());
            assertThat(actual).isCloseTo(expected, within(1e-6 * expected));
            float[] yOnHost = Tensors.pull(worker, onHost);
            float[] yOnDevice = Tensors.pull(worker, onDevice);
            for (int i = 0; i < ROWS; i++) {
                assertThat(yOnDevice[i]).as("element " + i).isCloseTo(yOnHost[i], within(1e-6f));
            }
        }
    }

    @Test
    void thePtxIsOfTheSource() throws IOException {
        String source = resource(SOURCE);
        if (Boolean.getBoolean("kernels.update")) {
            Path folder = Path.of("src/main/resources/io/psf/examples/axpy");
            Files.writeString(folder.resolve(PTX), Nvcc.compile(source, SOURCE));
            return; // the class path has the file after the next build
        }
        assertThat(resource(PTX).lines().findFirst())
                .as("stale: run mvn test -pl examples -am -Dtest=AxpyOnDeviceTest -Dkernels.update=true where nvcc is")
                .contains(Nvcc.header(source, SOURCE));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = AxpyOnDevice.class.getResourceAsStream(name)) {
            assertThat(in).as("resource " + name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
