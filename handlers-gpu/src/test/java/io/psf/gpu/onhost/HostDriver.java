package io.psf.gpu.onhost;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs tests in a JVM whose CUDA driver, libcuda.so.1, is C++ of this module that executes kernels on the host. The
 * driver is chosen when a process starts, so the tests run in one of their own; each of their results is a test here.
 */
public final class HostDriver {
    static final String LOG = "HOST_CUDA_LOG";
    static final String FAIL = "HOST_CUDA_FAIL";

    private static final Pattern FUNCTION = Pattern.compile("\0(cu[A-Z]\\w+)(?=\0)");
    private static final int MOST_SECONDS = 400;

    private final Path folder;
    private final List<Path> kernels = new ArrayList<>();
    private final Map<String, String> settings = new LinkedHashMap<>();

    /**
     * Prepares a driver with psf's kernels.
     *
     * @param folder an empty folder for logs
     */
    public HostDriver(Path folder) {
        this.folder = folder;
        kernels.add(Cpp.module().resolve("src/main/cuda/psf.cu"));
        settings.put("HOST_CUDA_SEED", Long.toUnsignedString(System.nanoTime()));
        settings.put(LOG, folder.resolve("violations").toString());
        settings.put(FAIL, folder.resolve("fail").toString());
    }

    /** Adds the kernels of a source of CUDA C. */
    public HostDriver with(Path source) {
        kernels.add(source.toAbsolutePath());
        return this;
    }

    /** Sets a variable of the driver, as driver.h describes them. */
    public HostDriver with(String setting, Object value) {
        settings.put(setting, value.toString());
        return this;
    }

    /** Returns the library. The test is skipped if this machine cannot have it. */
    private Path library() {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "not run, since JCuda has no library for this platform");
        Cpp.assumeCompiler();
        try (Stream<Path> files = Files.list(Cpp.sources().resolve("driver"))) {
            List<Path> sources =
                    new ArrayList<>(files.filter(each -> each.toString().endsWith(".cpp"))
                            .sorted()
                            .toList());
            sources.add(Cpp.sources().resolve("threads.cpp"));
            return Cpp.build(
                    "libcuda.so.1",
                    List.of("-shared", "-Wl,-soname,libcuda.so.1", "-pthread"),
                    sources,
                    kernels,
                    HostDriver::others);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the settings of a process that uses the driver. The test is skipped if this machine cannot have it. */
    public Map<String, String> environment() {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("LD_LIBRARY_PATH", library().getParent().toString());
        return all;
    }

    /** Returns the functions that JCuda's library refers to, for those that the driver does not have: not supported. */
    private static String others() {
        String all;
        try (InputStream in = HostDriver.class.getResourceAsStream("/lib/" + nativeLibrary())) {
            all = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Matcher names = FUNCTION.matcher(all);
        TreeSet<String> functions = new TreeSet<>();
        while (names.find()) {
            functions.add(names.group(1));
        }
        String head = "#include \"driver/driver.h\"\n"
                + "#define OTHER(name) extern \"C\" __attribute__((weak, visibility(\"default\"))) int name() {"
                + " report(#name \": not a function of this driver\"); return NOT_SUPPORTED; }\n";
        return functions.stream().map(each -> "OTHER(" + each + ")\n").collect(Collectors.joining("", head, ""));
    }

    private static String nativeLibrary() {
        String version = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> Path.of(each).getFileName().toString())
                .filter(each -> each.startsWith("jcuda-natives-"))
                .map(each -> each.replaceAll("jcuda-natives-(.*)-linux.*", "$1"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("class path: no jcuda-natives"));
        return "libJCudaDriver-" + version + "-linux-x86_64.so";
    }

    /** Runs tests, and returns a test for each. One more fails if the driver has found a violation of its rules. */
    public List<DynamicTest> run(String... classes) {
        List<DynamicTest> tests = runAndIgnoreViolations(classes);
        tests.add(DynamicTest.dynamicTest("the driver has found nothing wrong", () -> {
            String violations = violations();
            if (!violations.isEmpty()) {
                throw new AssertionError(violations);
            }
        }));
        return tests;
    }

    /** Runs tests, and returns a test for each. */
    public List<DynamicTest> runAndIgnoreViolations(String... classes) {
        Path results = folder.resolve("results");
        String output = fork(results, classes);
        List<DynamicTest> tests = new ArrayList<>();
        for (Results.Entry each : Results.read(results)) {
            tests.add(DynamicTest.dynamicTest(each.name(), () -> {
                Assumptions.assumeFalse(each.isSkipped(), each.text());
                if (each.hasFailed()) {
                    throw new AssertionError(each.name() + "\n" + each.text() + "\n" + this + "\n" + violations());
                }
            }));
        }
        if (tests.isEmpty()) {
            throw new AssertionError(this + ": no test has ended\n" + output);
        }
        return tests;
    }

    private String violations() {
        Path log = Path.of(settings.get(LOG));
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String fork(Path results, String... classes) {
        Path library = library();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("-X") || each.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dpsf.gpu.poison=true"));
        command.addAll(List.of("-XX:ErrorFile=" + folder.resolve("hs_err"), "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(Results.class.getName(), results.toString()));
        command.addAll(List.of(classes));
        Path output = folder.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(settings);
        builder.environment()
                .merge("LD_LIBRARY_PATH", library.getParent().toString(), (before, own) -> own + ":" + before);
        try {
            Process process = builder.start();
            boolean ended = process.waitFor(MOST_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly().waitFor();
            String said = Files.readString(output);
            if (!ended || process.exitValue() != 0) {
                String tail = said.substring(Math.max(0, said.length() - 5000));
                throw new AssertionError(this + ": "
                        + (ended ? "exit code " + process.exitValue() : "not ended after " + MOST_SECONDS + " s") + "\n"
                        + tail);
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the settings, with the seed. */
    @Override
    public String toString() {
        return settings.toString();
    }
}
