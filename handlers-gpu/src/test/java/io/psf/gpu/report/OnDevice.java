package io.psf.gpu.report;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import io.psf.gpu.driver.Cuda;
import io.psf.gpu.driver.Device;
import io.psf.gpu.shard.DeviceBenchmarks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.TagFilter;

/**
 * Runs the tests and the benchmarks on a machine that has a GPU and no Maven. Started by on-device.sh, once for each
 * part of the report: a kernel that fails makes the device useless to its process.
 */
public final class OnDevice {
    /** Exit codes. */
    private static final int FAILED = 1;

    private static final int NO_DEVICE = 3;

    private static final String TESTS = "tests";
    private static final String BENCHMARKS = "benchmarks";

    /** The tests that launch every kernel, with little data. */
    private static final String EVERY_KERNEL = "every-kernel";

    /** Tests of the examples, which are on the class path if on-device.sh has packed it. */
    private static final List<String> OF_EXAMPLES =
            List.of("io.psf.examples.demo.DemoOnDeviceTest", "io.psf.examples.axpy.AxpyOnDeviceTest");

    private OnDevice() {}

    /**
     * Runs one part.
     *
     * @param arguments the part: tests, every-kernel, benchmarks, sanitizer or demo; the report's folder; for the last
     *     two, the result in words
     */
    public static void main(String[] arguments) {
        Report report = new Report(Path.of(arguments[1]));
        int exit = switch (arguments[0]) {
            case TESTS -> tests(report);
            case EVERY_KERNEL -> everyKernel();
            case BENCHMARKS -> benchmarks(report);
            case "sanitizer" -> sanitizer(report, arguments[2]);
            case "demo" -> demo(report, arguments[2]);
            default ->
                throw new IllegalArgumentException(
                        "part: " + arguments[0] + " (expected: tests, every-kernel, benchmarks, sanitizer or demo)");
        };
        System.out.flush();
        Runtime.getRuntime().halt(exit); // servers' threads may still run
    }

    private static int tests(Report report) {
        Machine.describe(report);
        report.put(TESTS, Map.of("ended", false), "did not end");
        TestRun run = new TestRun();
        List<DiscoverySelector> selectors = new ArrayList<>();
        selectors.add(selectPackage("io.psf.gpu"));
        OF_EXAMPLES.stream().filter(OnDevice::isThere).forEach(name -> selectors.add(selectClass(name)));
        // Both need the sources, and a compiler: they run wherever the module is built.
        run.run(selectors, excludeClassNamePatterns(".*OnHostTest", ".*\\.KernelsTest"));
        run.report(report);
        if (run.hasFailed()) {
            return FAILED;
        }
        return Cuda.unavailable().isPresent() ? NO_DEVICE : 0;
    }

    private static boolean isThere(String name) {
        try {
            Class.forName(name, false, OnDevice.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static int everyKernel() {
        TestRun run = new TestRun();
        run.run(List.of(selectPackage("io.psf.gpu")), TagFilter.includeTags(EVERY_KERNEL));
        return run.hasFailed() ? FAILED : 0;
    }

    private static int benchmarks(Report report) {
        List<Measured> rows = new ArrayList<>();
        if (Cuda.unavailable().isPresent()) {
            rows.add(Measured.skipped("all", Cuda.unavailable().get()));
            write(report, rows, true);
            return NO_DEVICE;
        }
        write(report, rows, false);
        DeviceBenchmarks.run(Device.of(0), row -> {
            rows.add(row);
            System.out.println(row.text());
            write(report, rows, false);
        });
        write(report, rows, true);
        return 0;
    }

    private static void write(Report report, List<Measured> rows, boolean ended) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ended", ended);
        json.put("rows", rows.stream().map(Measured::json).toList());
        String lines = rows.stream().map(Measured::text).collect(Collectors.joining("\n"));
        report.put(BENCHMARKS, json, Measured.header() + "\n" + lines + (ended ? "" : "\ndid not end"));
    }

    /** Writes the results of compute-sanitizer, one a line: a tool, a colon, and the result. */
    private static int sanitizer(Report report, String results) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (String line : results.lines().toList()) {
            int colon = line.indexOf(": ");
            json.put(line.substring(0, colon), line.substring(colon + 2));
        }
        report.put("sanitizer", json, results);
        return 0;
    }

    /** Writes how the demo has ended. */
    private static int demo(Report report, String result) {
        report.put("demo", result, result);
        return 0;
    }
}
