package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs programs with the package of {@code python/}, where there is a Python with numpy. */
public final class Python {
    /** The folder of the package and of its tests. */
    public static final Path FOLDER = Path.of("../../python").toAbsolutePath().normalize();

    /** Those that are tried: the Python of the PATH may be another one than the system's, which has numpy. */
    private static final List<String> COMMANDS = List.of("python3", "/usr/bin/python3");

    /** By module: the first command whose Python has it; empty for none. */
    private static final Map<String, String> FOUND = new ConcurrentHashMap<>();

    private Python() {}

    /** Returns the command of a Python with a module, or with several ({@code "torch, mypy"}), or skips the test. */
    public static String with(String module) {
        String found = find(module);
        assumeTrue(
                !found.isEmpty(),
                "python3 with " + module + ": not found (expected: python3 on the PATH, or /usr/bin/python3, of 3.9 or"
                        + " newer, with it; apt-get install python3-"
                        + module.replace(", ", " python3-") + ")");
        return found;
    }

    /** Returns the command of a Python with the first module, or else with the second one, or skips the test. */
    static String with(String preferred, String module) {
        String found = find(preferred);
        return found.isEmpty() ? with(module) : found;
    }

    private static String find(String module) {
        return FOUND.computeIfAbsent(
                module,
                each -> COMMANDS.stream()
                        .filter(command -> has(command, each))
                        .findFirst()
                        .orElse(""));
    }

    private static boolean has(String command, String module) {
        try {
            Process process = new ProcessBuilder(
                            command, "-c", "import sys, numpy, " + module + "; sys.exit(sys.version_info < (3, 9))")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Starts a program in the folder of the package. Its output and its errors are one stream. */
    public static Process start(String command, Map<String, String> environment, List<String> arguments)
            throws IOException {
        List<String> line = new ArrayList<>(List.of(command, "-u"));
        line.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(line).directory(FOLDER.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("PSF_"));
        builder.environment().put("PYTHONPATH", FOLDER.toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs a program to its end, which has to be a success. Returns what it has printed. */
    public static String run(String command, Map<String, String> environment, String... arguments) throws IOException {
        Process process = start(command, environment, List.of(arguments));
        try (InputStream out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
            return printed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted", e));
        } finally {
            process.destroyForcibly();
        }
    }
}
