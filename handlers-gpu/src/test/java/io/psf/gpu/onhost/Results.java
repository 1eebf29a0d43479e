package io.psf.gpu.onhost;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests in a process of their own, and writes the result of each to a file, one a line. */
final class Results implements TestExecutionListener {
    /**
     * The result of a test.
     *
     * @param text the stack of its failure, or why it was skipped
     */
    record Entry(String status, String name, String text) {
        boolean hasFailed() {
            return status.equals("FAILED");
        }

        boolean isSkipped() {
            return status.equals("ABORTED");
        }

        private static Entry of(String line) {
            String[] parts = line.split(" ", 3);
            return new Entry(parts[0], decoded(parts[1]), decoded(parts[2]));
        }

        private String line() {
            return status + " " + encoded(name) + " " + encoded(text);
        }

        private static String encoded(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }

        private static String decoded(String text) {
            return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
        }
    }

    private final Path file;
    private TestPlan plan;

    private Results(Path file) {
        this.file = file;
    }

    /**
     * Runs the tests of classes.
     *
     * @param arguments the file of the results, and the names of the classes
     */
    public static void main(String[] arguments) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Arrays.stream(arguments)
                                        .skip(1)
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .build(),
                        new Results(Path.of(arguments[0])));
        System.out.flush();
        Runtime.getRuntime().halt(0); // servers' threads may still run
    }

    static List<Entry> read(Path file) {
        try {
            return Files.exists(file)
                    ? Files.readAllLines(file).stream().map(Entry::of).toList()
                    : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        this.plan = started;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        System.out.println(name(test) + " begins");
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        write(new Entry("ABORTED", name(test), reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        TestExecutionResult.Status status = result.getStatus();
        if (test.isTest() || status != TestExecutionResult.Status.SUCCESSFUL) {
            write(new Entry(
                    status.name(),
                    name(test),
                    result.getThrowable().map(Results::stack).orElse("")));
        }
    }

    private String name(TestIdentifier test) {
        String parents = plan.getParent(test)
                .filter(parent -> plan.getParent(parent).isPresent())
                .map(parent -> name(parent) + ", ")
                .orElse("");
        return parents + test.getDisplayName();
    }

    private static String stack(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private void write(Entry entry) {
        try {
            Files.writeString(file, entry.line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
