package io.psf.gpu.onhost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests that are not run by {@link HostDriver}, since they have settings of it. Clears its log before each test.
 */
public final class OnHostDriver implements BeforeAllCallback, BeforeEachCallback {
    private static Optional<Path> file(String setting) {
        return Optional.ofNullable(System.getenv(setting)).map(Path::of);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Assumptions.assumeTrue(
                file(HostDriver.LOG).isPresent(), "not run, since this process has the CUDA driver of the machine");
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        Files.deleteIfExists(file(HostDriver.LOG).orElseThrow());
        inject("");
    }

    /** Returns what the driver has found in this test. */
    public static String violations() throws IOException {
        Path log = file(HostDriver.LOG).orElseThrow();
        return Files.exists(log) ? Files.readString(log) : "";
    }

    /** Returns the functions that have failed since the last {@link #inject}. */
    public static List<String> injected() throws IOException {
        Path done = Path.of(file(HostDriver.FAIL).orElseThrow() + ".done");
        return Files.exists(done) ? Files.readAllLines(done) : List.of();
    }

    /** Sets the errors that the driver injects from now on, as driver.h describes them. */
    public static void inject(String lines) throws IOException {
        Path file = file(HostDriver.FAIL).orElseThrow();
        Files.deleteIfExists(Path.of(file + ".done"));
        Path written = Files.writeString(file.resolveSibling("next"), lines);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
