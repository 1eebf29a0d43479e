package io.psf.gpu;

import io.psf.gpu.driver.Cuda;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a test class where there is no GPU, and says why. */
public final class OnDevice implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Assumptions.assumeTrue(
                Cuda.unavailable().isEmpty(),
                () -> "not run, since " + Cuda.unavailable().orElse(""));
    }
}
