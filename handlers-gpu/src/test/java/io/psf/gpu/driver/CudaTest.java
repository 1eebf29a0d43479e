package io.psf.gpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The reasons for which CUDA cannot be used. */
class CudaTest {
    @Test
    void driverThatIsMissing() {
        assertThat(Cuda.reason(new UnsatisfiedLinkError(
                        "Error while loading native library ..\nlibcuda.so.1: cannot open shared object file")))
                .isEqualTo("there is no CUDA driver: libcuda.so.1 cannot be loaded");
    }

    @Test
    void jcudaThatIsMissing() {
        assertThat(Cuda.reason(new NoClassDefFoundError("jcuda/driver/JCudaDriver")))
                .isEqualTo("JCuda is not on the class path");
    }

    @Test
    void platformWithoutLibrary() {
        assertThat(Cuda.reason(new UnsatisfiedLinkError("No resource found with name '/lib/libJCudaDriver..'")))
                .startsWith("JCuda has no library for this platform (")
                .contains(System.getProperty("os.arch"));
    }

    @Test
    void otherFailuresAreOneLine() {
        assertThat(Cuda.reason(new UnsatisfiedLinkError("first line\nsecond line")))
                .isEqualTo("JCuda cannot be loaded: first line");
    }

    @Test
    void theReasonStaysTheSame() {
        assertThat(Cuda.unavailable()).isEqualTo(Cuda.unavailable());
        Cuda.unavailable().ifPresent(reason -> assertThat(reason).doesNotContain("\n"));
    }
}
